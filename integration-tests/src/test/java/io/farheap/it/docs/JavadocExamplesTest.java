package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the public types' comments and the overview show as Java code is code that compiles. */
class JavadocExamplesTest {
    private static final Path OVERVIEW = Path.of("../src/main/javadoc/overview.html");
    private static final Path COMPILED =
            Path.of("src/test/java/io/farheap/it/docs/JavadocExamples.java");
    private static final Pattern SHOWN =
            Pattern.compile("(?s)<pre>(.*?)</pre>|\\{@snippet\\b(.*?)\\n *\\* *\\}");
    private static final Pattern EXPORTED_TYPE =
            Pattern.compile(
                    "(?m)^public (?:final |abstract |sealed |non-sealed )*"
                            + "(?:class|interface|record|enum|@interface) ");

    @Test
    void everyExampleIsOneOfThoseThatTheCompilerHasSeen() throws IOException {
        String compiled =
                bare(Files.readString(COMPILED)).replace("(bankSet", "(Path.of(\"bank.set\")");
        List<String> examples = examples();

        assertThat(examples).as("examples in comments of public types").hasSizeGreaterThan(9);
        assertThat(examples).allSatisfy(example -> assertThat(compiled).contains(bare(example)));
    }

    @Test
    void theExampleOfTheOverviewWorks(@TempDir Path directory) throws IOException {
        Path set =
                Files.writeString(
                        directory.resolve("bank.set"), "PMEMPOOLSET\n8M " + directory + "/bank\n");

        assertThat(JavadocExamples.Overview.run(set)).isEqualTo(100);
        assertThat(JavadocExamples.Overview.run(set)).isEqualTo(200);
    }

    /** The pages are of the exported packages, and the overview leads to each. */
    @Test
    void theOverviewLeadsToEveryExportedPackage() throws IOException {
        Set<String> exported = new TreeSet<>();
        for (Path source : PublicApiTest.exported()) {
            exported.add(packageOf(source));
        }

        assertThat(all("<dt>\\{@link (io\\.farheap[\\w.]*)}</dt>", OVERVIEW)).isEqualTo(exported);
        assertThat(all("<include>(io/farheap[\\w/]*)/\\*\\.java</include>", Path.of("../pom.xml")))
                .isEqualTo(exported);
    }

    private static Set<String> all(String pattern, Path file) throws IOException {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(matcher.group(1).replace('/', '.'));
        }
        return found;
    }

    private static String packageOf(Path source) {
        String folder = source.getParent().toString().replace('\\', '/');
        return folder.substring(folder.indexOf("/io/farheap") + 1).replace('/', '.');
    }

    private static List<String> examples() throws IOException {
        List<String> examples = new ArrayList<>(shown(Files.readString(OVERVIEW)));
        for (Path source : PublicApiTest.exported()) {
            String text = Files.readString(source);
            if (EXPORTED_TYPE.matcher(text).find()) {
                examples.addAll(shown(text));
            }
        }
        return examples;
    }

    /** Those with a call: the others are pictures. */
    private static List<String> shown(String text) {
        List<String> shown = new ArrayList<>();
        Matcher block = SHOWN.matcher(text);
        while (block.find()) {
            String code =
                    (block.group(1) == null ? block.group(2) : block.group(1))
                            .replaceAll("(?m)^ *\\* ?", "")
                            .replaceAll("(?s)^\\s*\\{@code(.*)}\\s*$", "$1")
                            .replace("&lt;", "<")
                            .replace("&gt;", ">")
                            .replace("&#064;", "@")
                            .replace("&amp;", "&");
            if (code.contains("(")) {
                shown.add(code);
            }
        }
        return shown;
    }

    private static String bare(String code) {
        return code.replaceAll("\\s+", "");
    }
}
