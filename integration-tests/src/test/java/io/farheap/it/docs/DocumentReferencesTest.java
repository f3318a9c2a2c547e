package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Whatever a comment or a page cites is in the tree: pages, their sections, types, members. */
@TestInstance(Lifecycle.PER_CLASS)
class DocumentReferencesTest {
    private static final Pattern CITED =
            Pattern.compile("(?<![\\w./:-])((?:file:///)?[\\w.-]+(?:/[\\w.-]+)*\\.md)(#[\\w-]+)?");
    private static final Pattern LINKED = Pattern.compile("\\]\\(([^)#\\s]*)(#[^)\\s]*)?\\)");

    /** A page that only its writer had: "protocol, section 7", "spec: heap, 3". */
    private static final Pattern CITED_BY_NUMBER =
            Pattern.compile(
                    "(?i)\\bspec(ification)?: *[a-z]"
                            + "|\\b(protocol|architecture|design|spec)[,:]? (sections? )?\\d"
                            + "|\\b(protocol|architecture|design|spec), (sections?|states)\\b");

    /** A rule of a protocol: its name, and what is said of it. */
    private static final Pattern RULE =
            Pattern.compile("(?ms)^#### ([a-z][a-z-]*)$(.*?)(?=^#{1,4} |\\z)");

    private static final String MODEL = "**[model]**";
    private static final Pattern NAMED_TEST = Pattern.compile("`\\w+Test(#\\w+)?`");

    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern NAMED =
            Pattern.compile(
                    "([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)*)(?:[.#]([a-z]\\w*))?(?:\\([^)]*\\))?");

    /** A type with its package, or an event as recordings have it. */
    private static final Pattern QUALIFIED = Pattern.compile("(io(?:\\.[a-z]\\w*)+)\\.([A-Z]\\w+)");

    private static final Pattern EVENT = Pattern.compile("@Name\\(\"(io\\.farheap\\.\\w+)\"\\)");

    private static final Pattern ABOVE = Pattern.compile("\\b(?:extends|implements) ([\\w<>, ]+)");

    /** Units in samples. */
    private static final Set<String> NO_TYPES = Set.of("KiB", "MiB", "GiB", "TiB", "PiB");

    private static final List<String> JAVA =
            List.of(
                    "java.lang.",
                    "java.lang.foreign.",
                    "java.math.",
                    "java.nio.channels.",
                    "java.time.",
                    "java.util.",
                    "java.util.concurrent.");

    private final ProjectText project;

    DocumentReferencesTest() throws IOException {
        project = new ProjectText();
    }

    /** Of a kind of file that is not read here, no citation would be looked for. */
    @Test
    void noKindOfFileIsOverlooked() {
        assertThat(project.unread()).isEmpty();
        assertThat(project.files().stream().map(file -> file.getFileName().toString()))
                .contains(
                        "Ledger.kt",
                        "mkdocs.yml",
                        "tree.py",
                        "farheap-agent.service",
                        "Dockerfile");
    }

    @Test
    void everyCitedPageIsThereWithTheCitedSection() {
        List<String> missing = new ArrayList<>();
        int resolved = 0;
        for (Path file : project.files()) {
            Matcher cited = CITED.matcher(project.whole(file));
            while (cited.find()) {
                resolved += resolve(file, cited.group(1), cited.group(2), missing);
            }
        }

        assertThat(missing).isEmpty();
        assertThat(resolved).isGreaterThan(300);
    }

    @Test
    void everyLinkLeadsToAFileAndASection() {
        List<String> missing = new ArrayList<>();
        int resolved = 0;
        for (Path page : project.pages()) {
            Matcher link = LINKED.matcher(project.whole(page));
            while (link.find()) {
                if (!link.group(1).contains(":")) {
                    String target =
                            link.group(1).isEmpty() ? page.getFileName().toString() : link.group(1);
                    assertThat(page.resolveSibling(target)).as("linked in " + page).exists();
                    resolved += resolve(page, target, link.group(2), missing);
                }
            }
        }

        assertThat(missing).isEmpty();
        assertThat(resolved).isGreaterThan(100);
    }

    /** One, or none and why it is missing. */
    private int resolve(Path from, String cited, String anchor, List<String> missing) {
        Path page = ProjectText.page(from, cited);
        if (page == null) {
            missing.add(from + " cites " + cited + ", which is not in the tree");
            return 0;
        }
        if (anchor != null
                && !Files.isDirectory(page)
                && !ProjectText.anchors(page).contains(anchor.substring(1))) {
            missing.add(from + " cites " + cited + anchor + ", and there is no such section");
            return 0;
        }
        return 1;
    }

    /** Whoever changes the code that keeps a rule finds there that it is one. */
    @Test
    void everyRuleIsCitedByTheCodeThatKeepsIt() {
        for (String name : List.of("protocol.md", "high-availability.md")) {
            List<String> rules = rules(name).map(rule -> rule.group(1)).toList();
            Set<String> cited = new HashSet<>();
            for (Path file : project.files()) {
                if (isOfProduct(file)) {
                    CITED.matcher(project.prose(file))
                            .results()
                            .filter(citation -> citation.group(1).equals("docs/" + name))
                            .filter(citation -> citation.group(2) != null)
                            .forEach(citation -> cited.add(citation.group(2).substring(1)));
                }
            }

            assertThat(rules).as("rules of " + name).hasSizeGreaterThan(15);
            assertThat(rules.stream().filter(rule -> !cited.contains(rule)))
                    .as("rules of " + name + " that no main code cites")
                    .isEmpty();
        }
    }

    @Test
    void everyRuleOfNoModelNamesTheTestsThatCheckIt() {
        List<MatchResult> tested =
                Stream.of("protocol.md", "high-availability.md")
                        .flatMap(this::rules)
                        .filter(rule -> !rule.group(2).contains(MODEL))
                        .toList();

        assertThat(tested).hasSizeGreaterThan(5);
        assertThat(tested.stream().filter(rule -> !NAMED_TEST.matcher(rule.group(2)).find()))
                .extracting(rule -> rule.group(1))
                .isEmpty();
    }

    private Stream<MatchResult> rules(String page) {
        Path file = ProjectText.page(Path.of("..", "README.md"), page);
        return RULE.matcher(project.whole(file)).results();
    }

    /** The model has rules of these names without keeping anything. */
    private static boolean isOfProduct(Path file) {
        String path = file.toString();
        return path.contains("/src/main/")
                && path.matches(".*\\.(java|kt)")
                && !path.contains("protocol-model/");
    }

    @Test
    void nothingIsCitedByAnUnknownPagesSectionNumber() {
        List<String> found = new ArrayList<>();
        for (Path file : project.files()) {
            Matcher cited = CITED_BY_NUMBER.matcher(project.prose(file));
            while (cited.find() && !file.endsWith("DocumentReferencesTest.java")) {
                found.add(file + ": " + cited.group());
            }
        }

        assertThat(found).isEmpty();
    }

    @Test
    void everyTypeThatAPageNamesExistsAndHasTheNamedMember() {
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (Path page : project.pages()) {
            Matcher code = CODE.matcher(project.whole(page));
            while (code.find()) {
                Matcher name = NAMED.matcher(code.group(1));
                if (name.matches() && !NO_TYPES.contains(name.group(1))) {
                    named++;
                    if (!exists(name.group(1), name.group(2))) {
                        missing.add(page + " names " + code.group());
                    }
                }
            }
        }

        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(300);
    }

    @Test
    void everyTypeThatAPageNamesWithItsPackageIsThere() {
        Set<String> events = new HashSet<>();
        for (Path file : project.files()) {
            EVENT.matcher(project.whole(file))
                    .results()
                    .forEach(event -> events.add(event.group(1)));
        }
        List<String> missing = new ArrayList<>();
        for (Path page : project.pages()) {
            CODE.matcher(project.whole(page))
                    .results()
                    .map(code -> QUALIFIED.matcher(code.group(1)))
                    .filter(name -> name.matches() && !events.contains(name.group()))
                    .filter(name -> !isIn(name.group(1), name.group(2)))
                    .forEach(name -> missing.add(page + " names " + name.group()));
        }

        assertThat(missing).isEmpty();
        assertThat(events).hasSizeGreaterThan(3);
    }

    private boolean isIn(String packageName, String type) {
        return project.sourcesOf(type).stream()
                .anyMatch(source -> project.whole(source).contains("package " + packageName + ";"));
    }

    private boolean exists(String type, String member) {
        List<Path> sources = project.sourcesOf(type);
        if (sources.isEmpty()) {
            return isOfJava(type, member);
        }
        return member == null
                || sources.stream().anyMatch(source -> has(source, member))
                || isOfJava("Object", member);
    }

    /** The source of a type, or of one that it inherits from. */
    private boolean has(Path source, String member) {
        String text = project.whole(source);
        if (Pattern.compile("\\b" + member + "\\b").matcher(text).find()) {
            return true;
        }
        return ABOVE.matcher(text)
                .results()
                .flatMap(above -> Stream.of(above.group(1).split("\\W+")))
                .anyMatch(above -> exists(above, member));
    }

    private static boolean isOfJava(String type, String member) {
        for (String base : JAVA) {
            try {
                Class<?> found = Class.forName(base + type);
                return member == null
                        || Stream.of(found.getMethods()).anyMatch(m -> m.getName().equals(member));
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        return false;
    }
}
