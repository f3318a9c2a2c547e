package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.Transaction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page's table of a C library's names: what Java has for each, and the tests that show it. The
 * rows are {@code | `name` | `Type.member`, ... | `SomeTest` |}; instead of members there may be
 * {@code none: reason; more}.
 */
final class ApiTable {
    private static final Path ROOT = Path.of("..");
    private static final String ROOT_PACKAGE = "io.farheap.";
    private static final List<String> API =
            List.of(ROOT_PACKAGE, "io.farheap.pmemobj.", "io.farheap.base.");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([^`]+)` \\| (.*) \\| (.*)\\|$", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"([^\"\\\\\n]|\\\\.)*\"");
    private static final Pattern RUNS = Pattern.compile("@(Test|ParameterizedTest|TestFactory)\\b");

    private final String base;
    private final List<Class<?>> sources;
    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final Map<String, String> tests = new HashMap<>();

    /** What Java has for one name. */
    record Row(String java, List<String> types, List<String> tests) {
        boolean isNone() {
            return java.startsWith("none: ");
        }

        String reason() {
            return java.substring("none: ".length()).replaceFirst(";.*", "");
        }
    }

    /**
     * @param page in the documentation
     * @param base the package of names that are not found in the API, with its last dot
     * @param sources whose methods give out what the table names
     */
    ApiTable(String page, String base, List<Class<?>> sources) throws IOException {
        this.base = base;
        this.sources = sources;
        Matcher row = ROW.matcher(Files.readString(ROOT.resolve("docs").resolve(page)));
        while (row.find()) {
            String java = row.group(2);
            // What stands behind the colon is a remark.
            List<String> types = codes(java.replaceFirst("(?<=`): .*", ""));
            Row before = rows.put(row.group(1), new Row(java, types, codes(row.group(3))));
            assertThat(before).as("two rows for " + row.group(1)).isNull();
        }
        for (String module :
                List.of(
                        "objstore",
                        "replication",
                        "remote-memory",
                        "pool-tools",
                        "integration-tests")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                files.filter(file -> file.toString().matches(".*(Test|Fixture)\\.java"))
                        .forEach(file -> tests.put(simpleName(file), read(file)));
            }
        }
        Map<String, String> whole = new HashMap<>();
        tests.forEach((name, source) -> whole.put(name, source + inherited(source)));
        tests.putAll(whole);
    }

    private String inherited(String source) {
        Matcher above = Pattern.compile("class \\w+ extends (\\w+Fixture)").matcher(source);
        if (!above.find()) {
            return "";
        }
        String fixture = tests.get(above.group(1));
        return fixture + inherited(fixture);
    }

    /** The names of a list, one a line behind the word that says what it is; each has a row. */
    void assertHasRowsOf(String list, int count) throws IOException {
        List<String> names =
                Files.readAllLines(Path.of("src/test/resources").resolve(list)).stream()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.replaceFirst("^\\w+ ", ""))
                        .toList();

        assertThat(names).hasSize(count).doesNotHaveDuplicates();
        assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(names);
    }

    void forEachRow(BiConsumer<String, Row> check) {
        rows.forEach(check);
    }

    void assertNamedMembersAreThere() {
        rows.forEach(
                (name, row) ->
                        row.types()
                                .forEach(
                                        java ->
                                                assertThat(isThere(java))
                                                        .as("%s for %s", java, name)
                                                        .isTrue()));
    }

    void assertNamedMembersAreUsedByANamedTest() {
        List<String> unused = new ArrayList<>();
        rows.forEach(
                (name, row) -> {
                    assertThat(tests.keySet()).as(name).containsAll(row.tests());
                    for (String java : row.types()) {
                        if (row.tests().stream().noneMatch(test -> uses(tests.get(test), java))) {
                            unused.add(java + " for " + name + " by " + row.tests());
                        }
                    }
                });
        assertThat(unused).isEmpty();
    }

    /** In its code, not in a comment or a text; and with something of the right type in sight. */
    private boolean uses(String source, String java) {
        String member = java.substring(java.lastIndexOf('.') + 1);
        String code = COMMENT_OR_TEXT.matcher(source).replaceAll(" ");
        if (!RUNS.matcher(code).find() || code.contains("@Disabled")) {
            return false;
        }
        if (member.equals(typeName(java))) {
            // An event is known by its name in a recording.
            String event = ROOT_PACKAGE + member.replace("Event", "");
            return Pattern.compile("\\b" + member + "\\b").matcher(code).find()
                    || source.contains(event);
        }
        Class<?> type = type(java);
        boolean method = Stream.of(type.getMethods()).anyMatch(m -> m.getName().equals(member));
        String use = method ? "\\.\\s*(<[^<>]*>)?%1$s\\s*\\(|::%1$s\\b" : "\\b%1$s\\b";
        return Pattern.compile(use.formatted(member)).matcher(code).find() && isInSight(type, code);
    }

    /** Named, or got from a method that returns it. */
    private boolean isInSight(Class<?> type, String code) {
        return Pattern.compile("\\b" + type.getSimpleName() + "\\b").matcher(code).find()
                || sources.stream()
                        .flatMap(source -> Stream.of(source.getMethods()))
                        .filter(method -> type.isAssignableFrom(method.getReturnType()))
                        .anyMatch(method -> code.contains("." + method.getName() + "("))
                || type == Transaction.class && code.contains("tx ->");
    }

    private static String typeName(String java) {
        return Stream.of(java.split("\\."))
                .filter(part -> Character.isUpperCase(part.charAt(0)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no type in " + java));
    }

    private boolean isThere(String java) {
        int end = typeEnd(java);
        return end == java.length() || hasMember(type(java), java.substring(end + 1));
    }

    private Class<?> type(String java) {
        String name = java.substring(0, typeEnd(java));
        return Stream.concat(API.stream(), Stream.of(base))
                .flatMap(prefix -> named(prefix + name).stream())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no type " + java));
    }

    private static Optional<Class<?>> named(String name) {
        try {
            return Optional.of(Class.forName(name, false, ApiTable.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
    }

    private static int typeEnd(String java) {
        String type = typeName(java);
        return java.indexOf(type) + type.length();
    }

    private static boolean hasMember(Class<?> type, String member) {
        return Stream.of(type.getMethods(), type.getDeclaredMethods())
                        .flatMap(Stream::of)
                        .map(Executable::getName)
                        .anyMatch(member::equals)
                || Stream.of(type.getFields()).map(Field::getName).anyMatch(member::equals);
    }

    private static List<String> codes(String cell) {
        List<String> found = new ArrayList<>();
        Matcher code = CODE.matcher(cell);
        while (code.find()) {
            found.add(code.group(1));
        }
        return List.copyOf(found);
    }

    private static String simpleName(Path file) {
        return file.getFileName().toString().replace(".java", "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
