package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.Actions;
import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.PoolLocks;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The table of libpmemobj's API has no hole, and what it names is there. */
class ApiTableTest {
    private static final Path ROOT = Path.of("..");
    private static final Path TABLE = ROOT.resolve("docs/libpmemobj.md");
    private static final Path NAMES = Path.of("src/test/resources/libpmemobj-names.txt");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([^`]+)` \\| (.*) \\| (.*)\\|$", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"([^\"\\\\\n]|\\\\.)*\"");
    private static final Pattern RUNS = Pattern.compile("@(Test|ParameterizedTest|TestFactory)\\b");

    /** Whose methods give out what the table names. */
    private static final List<Class<?>> SOURCES =
            List.of(ObjectPool.class, PoolLocks.class, ManualTransaction.class, Actions.class);

    /** For nothing else may Java offer none. */
    private static final Map<String, Pattern> MAY_BE_MISSING =
            Map.of(
                    "typing", Pattern.compile("TOID.*|OID_INSTANCEOF|POBJ_LAYOUT_.*"),
                    "set_funcs", Pattern.compile("pmemobj_set_funcs"),
                    "check_version", Pattern.compile("pmemobj_check_version"),
                    "log buffers", Pattern.compile(".*LOG_APPEND_BUFFER.*|.*log_append_buffer"),
                    "CPU tuning", Pattern.compile("PMEM_(NO_|MOVNT|AVX|MOVDIR|WC_).*"));

    private static final Map<String, Row> ROWS = new LinkedHashMap<>();
    private static final Map<String, String> TESTS = new HashMap<>();

    /** What Java has for one name. */
    private record Row(String java, List<String> types, List<String> tests) {
        boolean isNone() {
            return java.startsWith("none: ");
        }

        String reason() {
            return java.substring("none: ".length()).replaceFirst(";.*", "");
        }
    }

    @BeforeAll
    static void read() throws IOException {
        Matcher row = ROW.matcher(Files.readString(TABLE));
        while (row.find()) {
            String java = row.group(2);
            // What stands behind the colon is a remark.
            List<String> types = codes(java.replaceFirst("(?<=`): .*", ""));
            Row before = ROWS.put(row.group(1), new Row(java, types, codes(row.group(3))));
            assertThat(before).as("two rows for " + row.group(1)).isNull();
        }
        for (String module :
                List.of("objstore", "replication", "pool-tools", "integration-tests")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                files.filter(file -> file.toString().matches(".*(Test|Fixture)\\.java"))
                        .forEach(file -> TESTS.put(simpleName(file), read(file)));
            }
        }
        Map<String, String> whole = new HashMap<>();
        TESTS.forEach((name, source) -> whole.put(name, source + inherited(source)));
        TESTS.putAll(whole);
    }

    private static String inherited(String source) {
        Matcher above = Pattern.compile("class \\w+ extends (\\w+Fixture)").matcher(source);
        if (!above.find()) {
            return "";
        }
        String fixture = TESTS.get(above.group(1));
        return fixture + inherited(fixture);
    }

    @Test
    void everyNameHasARowAndEveryRowAName() throws IOException {
        List<String> names =
                Files.readAllLines(NAMES).stream()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.replaceFirst("^\\w+ ", ""))
                        .toList();

        assertThat(names).hasSize(106 + 145 + 30 + 18).doesNotHaveDuplicates();
        assertThat(ROWS.keySet()).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void everyRowAnswers() {
        ROWS.forEach(
                (name, row) -> {
                    if (row.isNone()) {
                        assertThat(MAY_BE_MISSING).as(name).containsKey(row.reason());
                        assertThat(name).matches(MAY_BE_MISSING.get(row.reason()));
                    } else {
                        assertThat(row.types()).as(name).isNotEmpty();
                        assertThat(row.tests()).as("tests of " + name).isNotEmpty();
                    }
                });
    }

    @Test
    void everyNamedMethodIsThere() {
        ROWS.forEach(
                (name, row) ->
                        row.types()
                                .forEach(
                                        java ->
                                                assertThat(isThere(java))
                                                        .as("%s for %s", java, name)
                                                        .isTrue()));
    }

    @Test
    void everyNamedMethodIsUsedByANamedTest() {
        List<String> unused = new ArrayList<>();
        ROWS.forEach(
                (name, row) -> {
                    assertThat(TESTS.keySet()).as(name).containsAll(row.tests());
                    for (String java : row.types()) {
                        if (row.tests().stream().noneMatch(test -> uses(TESTS.get(test), java))) {
                            unused.add(java + " for " + name + " by " + row.tests());
                        }
                    }
                });
        assertThat(unused).isEmpty();
    }

    /** In its code, not in a comment or a text; and with something of the right type in sight. */
    private static boolean uses(String source, String java) {
        String member = java.substring(java.lastIndexOf('.') + 1);
        String code = COMMENT_OR_TEXT.matcher(source).replaceAll(" ");
        if (!RUNS.matcher(code).find() || code.contains("@Disabled")) {
            return false;
        }
        if (member.equals(typeName(java))) {
            // An event is known by its name in a recording.
            String event = "io.farheap." + member.replace("Event", "");
            return Pattern.compile("\\b" + member + "\\b").matcher(code).find()
                    || source.contains(event);
        }
        Class<?> type = type(java);
        boolean method = Stream.of(type.getMethods()).anyMatch(m -> m.getName().equals(member));
        String use = method ? "\\.\\s*(<[^<>]*>)?%1$s\\s*\\(|::%1$s\\b" : "\\b%1$s\\b";
        return Pattern.compile(use.formatted(member)).matcher(code).find() && isInSight(type, code);
    }

    /** Named, or got from a method that returns it. */
    private static boolean isInSight(Class<?> type, String code) {
        return Pattern.compile("\\b" + type.getSimpleName() + "\\b").matcher(code).find()
                || SOURCES.stream()
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

    private static boolean isThere(String java) {
        int end = typeEnd(java);
        return end == java.length() || hasMember(type(java), java.substring(end + 1));
    }

    private static Class<?> type(String java) {
        try {
            return Class.forName(
                    "io.farheap." + java.substring(0, typeEnd(java)),
                    false,
                    ApiTableTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError("no type " + java, e);
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
