package io.farheap.it.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A test stands in a package of its own module, or in one that is for tests only: who changes what
 * is private to a package finds all that depends on it in the module. What a module's tests share
 * with those of others is in its {@code src/contract}, under the same rule.
 */
class ForeignPackagesTest {
    private static final Path ROOT = Path.of("..");
    private static final String MAIN = "src/main/java";
    private static final List<String> FOR_TESTS =
            List.of(
                    "io.farheap.it",
                    "io.farheap.simulation",
                    "io.farheap.testing",
                    "io.farheap.fuzz");

    /** What a simulation calls in the place of a package's own methods. */
    private static final String IN_THEIR_PLACE =
            "the simulation sends calls of the package's private methods to it, with its private"
                    + " types, and it needs the simulation, which is in no module below";

    /** In a package of another module, and why. */
    private static final Map<String, String> KNOWN =
            Map.of(
                    "io.farheap.agent.data.SimulatedChoice", IN_THEIR_PLACE,
                    "io.farheap.agent.replica.SimulatedFiles", IN_THEIR_PLACE,
                    "io.farheap.availability.SimulatedNode", IN_THEIR_PLACE,
                    "io.farheap.availability.SpoiledRecord", IN_THEIR_PLACE,
                    "io.farheap.availability.etcd.SimulatedWire", IN_THEIR_PLACE,
                    "io.farheap.replication.epoch.SpoiledSwitch", IN_THEIR_PLACE);

    @Test
    void aTestStandsInAPackageOfItsOwnModule() throws IOException {
        Set<String> foreign = new TreeSet<>();
        Set<String> seen = new TreeSet<>();
        for (Path module : modules()) {
            Set<String> own =
                    main(module).stream()
                            .map(ForeignPackagesTest::packageOf)
                            .collect(Collectors.toSet());
            for (Path file : besideMain(module)) {
                String in = packageOf(file);
                seen.add(in);
                if (!own.contains(in) && !isForTests(in)) {
                    foreign.add(in + "." + file.getFileName().toString().replace(".java", ""));
                }
            }
        }

        assertThat(foreign).isEqualTo(new TreeSet<>(KNOWN.keySet()));
        assertThat(seen).hasSizeGreaterThan(50);
    }

    /** It would take the other one's place on the class path. */
    @Test
    void noTestHasTheNameOfAProductsType() throws IOException {
        Set<Path> types = new TreeSet<>();
        Set<Path> twice = new TreeSet<>();
        for (Path module : modules()) {
            main(module).stream().map(ForeignPackagesTest::inFolder).forEach(types::add);
        }
        for (Path module : modules()) {
            besideMain(module).stream()
                    .map(ForeignPackagesTest::inFolder)
                    .filter(types::contains)
                    .forEach(twice::add);
        }

        assertThat(twice).isEmpty();
        assertThat(types).hasSizeGreaterThan(500);
    }

    private static boolean isForTests(String name) {
        return FOR_TESTS.stream().anyMatch(top -> name.equals(top) || name.startsWith(top + "."));
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> children = Files.list(ROOT)) {
            return children.filter(child -> Files.exists(child.resolve("pom.xml"))).toList();
        }
    }

    /** What the module compiles into its product. */
    private static List<Path> main(Path module) throws IOException {
        Path top = module.resolve(MAIN);
        return sources(module).filter(file -> file.startsWith(top)).toList();
    }

    /** Whatever it compiles, or lets another one compile, besides that: in any folder. */
    private static List<Path> besideMain(Path module) throws IOException {
        Path top = module.resolve(MAIN);
        return sources(module).filter(file -> !file.startsWith(top)).toList();
    }

    private static Stream<Path> sources(Path module) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(
                module,
                new SimpleFileVisitor<>() {
                    /** In there other tests make and delete files meanwhile. */
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        return folder.equals(module.resolve("target"))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.toString().endsWith(".java")
                                && !file.endsWith("module-info.java")) {
                            found.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return found.stream();
    }

    /** As its folder says, which the compiler checks. */
    private static String packageOf(Path file) {
        return inFolder(file).getParent().toString().replace('/', '.');
    }

    /** Where it is below the folder of all sources. */
    private static Path inFolder(Path file) {
        Path top = file;
        while (!top.endsWith("java")) {
            top = top.getParent();
        }
        return top.relativize(file);
    }
}
