package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page names the packages, modules and threads that there are. */
class ArchitecturePageTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern PACKAGE =
            Pattern.compile("(?m)^package (io\\.farheap(?:\\.\\w+)*);");
    private static final Pattern NAMED_PACKAGE = Pattern.compile("`(io\\.farheap(?:\\.\\w+)*)`");

    /** What a row of the table has in its second column. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\|[^|]*\\|([^|]*)\\|");

    private static final Pattern THREAD =
            Pattern.compile("(?s)\\.name\\(\\s*\"(farheap-[a-z]+(?:-[a-z]+)*)");
    private static final Pattern NAMED_THREAD =
            Pattern.compile("`(farheap-[a-z]+(?:-[a-z]+)*)(?:-[A-Z]+)?`");
    private static final Pattern MODULE = Pattern.compile("<module>([\\w-]+)</module>");
    private static final Pattern NAMED_MODULE =
            Pattern.compile("(?m)^    ([a-z]+(?:-[a-z]+)*) {3,}");

    private final ProjectText project;
    private final String page;

    ArchitecturePageTest() throws IOException {
        project = new ProjectText();
        page = Files.readString(ROOT.resolve("docs/architecture.md"));
    }

    @Test
    void itNamesTheModules() throws IOException {
        String pictures = page.substring(0, page.indexOf("## Packages"));

        assertThat(found(NAMED_MODULE, pictures))
                .isEqualTo(found(MODULE, Files.readString(ROOT.resolve("pom.xml"))));
    }

    /** Each has a row: one that is below another, too. */
    @Test
    void itsTableHasThePackages() {
        int table = page.indexOf("## Packages");
        Matcher row = ROW.matcher(page.substring(table, page.indexOf("\n## ", table)));
        Set<String> named = new TreeSet<>();
        while (row.find()) {
            named.addAll(found(NAMED_PACKAGE, row.group(1)));
        }

        assertThat(named).isEqualTo(inProduct(PACKAGE));
        assertThat(named).hasSizeGreaterThan(70);
    }

    @Test
    void itNamesTheThreads() {
        assertThat(found(NAMED_THREAD, page)).isEqualTo(inProduct(THREAD));
    }

    private Set<String> inProduct(Pattern pattern) {
        Set<String> found = new TreeSet<>();
        for (Path file : project.files()) {
            String name = file.toString();
            if (name.contains("/src/main/java/")
                    && !name.contains("/benchmarks/")
                    && !name.contains("/examples/")
                    && !name.contains("/protocol-model/")) {
                found.addAll(found(pattern, project.whole(file)));
            }
        }
        return found;
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
