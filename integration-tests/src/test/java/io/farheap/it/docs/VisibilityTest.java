package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A type is public only where another package uses it; one simple name means one type. */
class VisibilityTest {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
    private static final Pattern IMPORTED =
            Pattern.compile("(?m)^import (?:static )?([a-z][\\w.]*\\.[A-Z]\\w*)");
    private static final Pattern PUBLIC =
            Pattern.compile(
                    "(?m)^public (?:final |abstract |sealed |non-sealed )*"
                            + "(?:class|interface|record|enum|@interface) (\\w+)");

    private static final Pattern EXPORTED = Pattern.compile("(?m)^ *exports ([\\w.]+);");
    private static final Pattern COMPARED =
            Pattern.compile("<include>(io\\.farheap[\\w.]*)</include>");

    /** What module descriptors export to all. */
    private static final Set<String> API =
            Set.of(
                    "io.farheap",
                    "io.farheap.availability",
                    "io.farheap.base",
                    "io.farheap.metrics",
                    "io.farheap.objects",
                    "io.farheap.objects.schema",
                    "io.farheap.pmemobj",
                    "io.farheap.poolset",
                    "io.farheap.remote",
                    "io.farheap.testing",
                    "io.farheap.testing.inject");

    /** No import names them. */
    private static final Map<String, String> OTHERWISE_USED =
            Map.of(
                    "io.farheap.agent.store.ReplicaOwnership", "a store has one",
                    "io.farheap.engine.AttachedReplicas", "an engine has one",
                    "io.farheap.engine.RootObject", "an engine has one",
                    "io.farheap.engine.ScratchPool", "its objects are taken and given back",
                    "io.farheap.heap.SpaceListener", "lambdas of the engine implement it",
                    "io.farheap.lock.VolatileValues", "its objects are asked for cells",
                    "io.farheap.replication.session.ImageClient", "a session has one",
                    "io.farheap.replication.stream.AckedPositions", "a stream member has one",
                    "io.farheap.replication.fabric.verbs.disni.DisniFabric", "loaded by its name",
                    "io.farheap.zookeeper.ZooKeeperEngine", "found by a ServiceLoader");

    private final ProjectText project = new ProjectText();

    VisibilityTest() throws IOException {}

    @Test
    void aPublicTypeThatIsNoApiIsUsedByAnotherPackage() {
        Set<String> unused = new TreeSet<>(publicTypes().keySet());
        unused.removeAll(OTHERWISE_USED.keySet());
        for (Path file : project.files()) {
            if (file.toString().endsWith(".java")) {
                String text = project.whole(file);
                String own = first(PACKAGE, text);
                IMPORTED.matcher(text)
                        .results()
                        .map(found -> found.group(1))
                        .filter(type -> !type.equals(own + type.substring(type.lastIndexOf('.'))))
                        .forEach(unused::remove);
            }
        }

        assertThat(unused).isEmpty();
        assertThat(publicTypes()).containsKeys(OTHERWISE_USED.keySet().toArray(String[]::new));
    }

    @Test
    void aNameOfATypeIsOfOneType() {
        Map<String, Path> places = new HashMap<>();
        Set<String> twice = new TreeSet<>();
        for (Path file : mainSources()) {
            String name = file.getFileName().toString();
            Path other = places.put(name, file);
            if (other != null && !name.contains("-info")) {
                twice.add(other + " and " + file);
            }
        }

        assertThat(twice).isEmpty();
        assertThat(places).hasSizeGreaterThan(500);
    }

    @Test
    void theComparisonWithAnEarlierVersionLooksAtWhatModulesExport() throws IOException {
        Set<String> exported = new TreeSet<>();
        for (Path file : project.files()) {
            if (file.endsWith("module-info.java")) {
                all(EXPORTED, project.whole(file), exported);
            }
        }
        Set<String> compared = new TreeSet<>();
        all(COMPARED, Files.readString(Path.of("../pom.xml")), compared);

        assertThat(exported).isEqualTo(new TreeSet<>(API));
        assertThat(compared).isEqualTo(exported);
    }

    /** 148 once, when a program saw all that was public. */
    @Test
    void aProgramSeesFewTypesOfTheEngine() throws IOException {
        Path sources = Path.of("../objstore/src/main/java");
        long seen = 0;
        for (Path file : mainSources()) {
            String text = project.whole(file);
            boolean isApi = API.contains(first(PACKAGE, text)) && !first(PUBLIC, text).isEmpty();
            seen += isApi && file.startsWith(sources) ? 1 : 0;
        }
        assertThat(seen).isBetween(50L, 75L);
    }

    @Test
    void aPackageSaysWhatItIsFor() {
        Set<Path> silent = new TreeSet<>();
        for (Path file : mainSources()) {
            if (!file.endsWith("module-info.java")
                    && !project.files().contains(file.resolveSibling("package-info.java"))) {
                silent.add(file.getParent());
            }
        }
        assertThat(silent).isEmpty();
    }

    private static void all(Pattern pattern, String text, Set<String> into) {
        pattern.matcher(text).results().map(found -> found.group(1)).forEach(into::add);
    }

    private Map<String, Path> publicTypes() {
        Map<String, Path> types = new HashMap<>();
        for (Path file : mainSources()) {
            String text = project.whole(file);
            String own = first(PACKAGE, text);
            String name = first(PUBLIC, text);
            boolean isEntry = text.contains("public static void main(");
            if (!name.isEmpty() && !API.contains(own) && !isEntry && !isOfBenchmarks(file)) {
                types.put(own + '.' + name, file);
            }
        }
        return types;
    }

    /** JMH wants them public. */
    private static boolean isOfBenchmarks(Path file) {
        return file.toString().contains("/benchmarks/");
    }

    private Collection<Path> mainSources() {
        return project.files().stream()
                .filter(file -> file.toString().contains("/src/main/java/"))
                .filter(file -> file.toString().endsWith(".java"))
                .toList();
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }
}
