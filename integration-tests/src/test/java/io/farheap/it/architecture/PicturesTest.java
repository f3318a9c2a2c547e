package io.farheap.it.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pictures of docs/architecture.md and README.md are those of the imports. */
@AnalyzeClasses(packages = "io.farheap", importOptions = ImportOption.DoNotIncludeTests.class)
class PicturesTest {
    private static final Path ROOT = Path.of("..");

    /** A floor of the tower: each uses those below it. */
    private static final Pattern FLOOR =
            Pattern.compile("(?m)^    ([a-z]+(?:-[a-z]+)*) {3,}\\S.*[^)]$");

    /**
     * Beside the tower: sees one floor, or another such, and what that sees; a floor may see it.
     */
    private static final Pattern BESIDE =
            Pattern.compile(
                    "(?m)^    ([a-z]+(?:-[a-z]+)*) {3,}.*"
                            + "\\(sees ([a-z-]+)(?:, seen by ([a-z-]+))?\\)$");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([a-z-]*) ?\\| (`[^|]*) \\|");
    private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");
    private static final Pattern DIRECTORY = Pattern.compile("\\b([a-z]+(?:-[a-z]+)*)/(?= |\\n|$)");

    private final List<String> packages = new ArrayList<>();
    private final Map<String, String> moduleOf = new HashMap<>();
    private final String page;

    PicturesTest() throws IOException {
        page = Files.readString(ROOT.resolve("docs/architecture.md"));
        String table =
                page.substring(
                        page.indexOf("## Packages"), page.indexOf("## The life of a commit"));
        Matcher row = ROW.matcher(table);
        String module = "";
        while (row.find()) {
            module = row.group(1).isEmpty() ? module : row.group(1);
            Matcher name = NAME.matcher(row.group(2));
            String first = "";
            while (name.find()) {
                String one = name.group(1).startsWith(".") ? first + name.group(1) : name.group(1);
                first = first.isEmpty() ? one : first;
                packages.add(one);
                moduleOf.put(one, module);
            }
        }
    }

    /** The nearest row: a package without one belongs to that above it. */
    private String row(JavaClass type) {
        String name = type.getPackageName();
        while (!moduleOf.containsKey(name) && name.contains(".")) {
            name = name.substring(0, name.lastIndexOf('.'));
        }
        return name;
    }

    private static Stream<Dependency> uses(JavaClasses all) {
        return all.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(use -> use.getTargetClass().getPackageName().startsWith("io.farheap"))
                .filter(
                        use ->
                                !use.getOriginClass()
                                        .getPackageName()
                                        .equals(use.getTargetClass().getPackageName()));
    }

    @ArchTest
    void aPackageOfTheTableUsesThoseBelowIt(JavaClasses all) {
        Map<String, String> upwards = new TreeMap<>();
        Set<String> arrows = new HashSet<>();
        uses(all)
                .forEach(
                        use -> {
                            String from = row(use.getOriginClass());
                            String to = row(use.getTargetClass());
                            arrows.add(from + to);
                            if (packages.indexOf(from) > packages.indexOf(to)) {
                                upwards.put(from + " uses " + to, use.getDescription());
                            }
                        });

        assertThat(upwards).isEmpty();
        assertThat(arrows).hasSizeGreaterThan(100);
    }

    @ArchTest
    void aModuleUsesWhatThePictureHasBelowIt(JavaClasses all) {
        String picture =
                page.substring(page.indexOf("## Modules"), page.indexOf("A module uses only"));
        List<String> tower = FLOOR.matcher(picture).results().map(floor -> floor.group(1)).toList();
        Map<String, MatchResult> beside = new HashMap<>();
        BESIDE.matcher(picture).results().forEach(one -> beside.put(one.group(1), one));
        assertThat(tower).contains("pool-tools", "replication", "poolset-parser");

        Map<String, String> wrong = new TreeMap<>();
        uses(all)
                .forEach(
                        use -> {
                            String from = moduleOf.get(row(use.getOriginClass()));
                            String to = moduleOf.get(row(use.getTargetClass()));
                            if (!from.equals(to) && !sees(tower, beside, from, to)) {
                                wrong.put(from + " uses " + to, use.getDescription());
                            }
                        });
        assertThat(wrong).isEmpty();
    }

    private static boolean sees(
            List<String> tower, Map<String, MatchResult> beside, String from, String to) {
        if (beside.containsKey(from)) {
            String seen = beside.get(from).group(2);
            if (beside.containsKey(seen)) {
                return to.equals(seen) || sees(tower, beside, seen, to);
            }
            int floor = tower.indexOf(seen);
            return floor >= 0 && tower.indexOf(to) >= floor;
        }
        return beside.containsKey(to)
                ? from.equals(beside.get(to).group(3))
                : tower.indexOf(from) < tower.indexOf(to);
    }

    @ArchTest
    void theReadmeNamesTheModules(JavaClasses all) throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        String picture =
                readme.substring(
                        readme.indexOf("## The picture"),
                        readme.indexOf("A commit, and what it waits for"));
        Set<String> named = new TreeSet<>();
        DIRECTORY.matcher(picture).results().forEach(one -> named.add(one.group(1)));

        assertThat(named).containsExactlyInAnyOrderElementsOf(new TreeSet<>(moduleOf.values()));
    }
}
