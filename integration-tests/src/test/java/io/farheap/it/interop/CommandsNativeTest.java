package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.it.support.Agreement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One command line typed to pmempool and to farheap, on copies of the same files: both succeed or
 * both fail, and the same files are left, but where the table says that farheap does better.
 */
class CommandsNativeTest {
    private static final List<String> COMMANDS =
            List.of("info", "check", "create", "rm", "sync", "transform", "feature", "dump");

    private static final Pattern OPTION = Pattern.compile("^ +(-[A-Za-z], --[a-z-]+)");
    private static final Set<String> GENERAL = Set.of("-h, --help", "-V, --version");
    private static final String DESCRIPTOR = "4196";
    private static final String HEADER = "100";

    @TempDir private static Path directory;
    private static int number;

    @BeforeAll
    static void aJudge() {
        NativeJudge.require();
    }

    /** What both find: the words before {@code :} say what is done before. */
    private static void prepare(Path dir, String state) throws IOException {
        Files.createDirectories(dir);
        Path set = dir.resolve("z.set");
        Files.writeString(set, "PMEMPOOLSET\n8M @/a\n8M @/b\n".replace("@", dir.toString()));
        Files.writeString(dir.resolve("text"), "no pool");
        switch (state) {
            case "nothing" -> {}
            case "file" ->
                    ObjectPool.at(dir.resolve("f")).layout("kept").size(9 << 20).create().close();
            default -> {
                ObjectPool.create(set, "").close();
                if (state.startsWith("without ")) {
                    Files.delete(dir.resolve(state.substring(8)));
                } else if (state.startsWith("damaged at ")) {
                    Path part = dir.resolve("a");
                    byte[] bytes = Files.readAllBytes(part);
                    bytes[Integer.parseInt(state.substring(11))] ^= 1;
                    Files.write(part, bytes);
                }
            }
        }
    }

    /** Names and sizes. */
    private static TreeMap<String, Long> files(Path dir) throws IOException {
        TreeMap<String, Long> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(dir)) {
            for (Path file : files.toList()) {
                // The poolset file has the directory's name in it.
                boolean set = file.endsWith("z.set");
                found.put(file.getFileName().toString(), set ? 0 : Files.size(file));
            }
        }
        found.keySet().removeIf(name -> name.endsWith(".disk-journal")); // on an ordinary disk
        return found;
    }

    private static String[] words(String line, Path dir) {
        return line.replace("@", dir + "/").split(" ");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "nothing, --version, same",
        "nothing, unheardof, fails",
        "nothing, create obj @f, same",
        "nothing, create -s 16M obj @f, same",
        "nothing, create --size 4M obj @f, fails",
        "nothing, create foo @f, fails",
        "nothing, create -v obj @z.set, same",
        "nothing, create -s 16M obj @z.set, fails",
        "nothing, create obj @none/f, fails",
        "nothing, create obj @text, fails",
        "file, create obj @f, fails",
        "file, create -f -s 9M obj @f, asks",
        "file, create -i @f @g, same",
        "set, rm @z.set, asks",
        "set, rm -s @z.set, asks",
        "set, rm -a @z.set, asks",
        "set, rm -l @z.set, asks",
        "set, rm -r @z.set, asks",
        "set, rm -v @a @b, asks",
        "nothing, rm @f, fails",
        "nothing, rm -f @f, same",
        "without b, rm -f @z.set, asks",
        "set, check @z.set, same",
        "without b, check @z.set, fails",
        "damaged at " + HEADER + ", check -q @z.set, fails",
        "set, check -d @z.set, fails",
        "set, check -b @backup @z.set, fails",
        "set, check -y @z.set, fails",
        "set, check -a @z.set, fails",
        "set, check -r -y @z.set, same",
        "nothing, check @text, fails",
        "set, info @z.set, same",
        "file, info @f, same",
        "nothing, info @text, fails",
        "damaged at " + HEADER + ", info @a, fails",
        "without b, info @z.set, fails",
        "file, sync @f, fails",
        "set, transform @z.set @z.set, fails",
        "set, transform @z.set @none, fails",
        "file, dump @f, fails",
        "file, convert @f, fails",
        // ---- better here
        "damaged at " + DESCRIPTOR + ", check @z.set, finds more",
        "damaged at " + HEADER + ", check -r -y @z.set, does more",
        "damaged at " + HEADER + ", check -r -d -y @z.set, fails",
        "nothing, help, does more"
    })
    void verdictsAndFilesAreTheSame(String state, String line, String how) throws IOException {
        number++;
        Path theirs = directory.resolve("theirs" + number);
        Path ours = directory.resolve("ours" + number);
        prepare(theirs, state);
        prepare(ours, state);

        NativeJudge.Answer natives = NativeTools.pmempool(words(line, theirs));
        NativeJudge.Answer answer = NativeTools.farheap(words(line, ours));
        if (how.equals("asks")) {
            assertThat(answer.exitCode()).as("%s", answer).isEqualTo(2);
            answer = NativeTools.farheap(Agreement.words(answer.err()));
        }

        boolean succeedsThere = List.of("same", "asks", "finds more").contains(how);
        boolean succeedsHere = List.of("same", "asks", "does more").contains(how);
        assertThat(natives.exitCode() == 0).as("%s", natives).isEqualTo(succeedsThere);
        assertThat(answer.exitCode() == 0).as("%s", answer).isEqualTo(succeedsHere);
        assertThat(files(ours)).isEqualTo(files(theirs));
    }

    /** Of pools of type obj; help and version have rows of their own. */
    @Test
    void everyOptionThatPmempoolNamesIsInTheTable() throws IOException {
        String table = Files.readString(Path.of("../docs/pmempool.md"));
        int named = 0;
        for (String command : COMMANDS) {
            boolean obj = true;
            for (String line : NativeTools.pmempool(command, "--help").out().lines().toList()) {
                obj = line.startsWith("Options for") ? line.contains("PMEMOBJ") : obj;
                Matcher option = OPTION.matcher(line);
                if (option.find() && obj && !GENERAL.contains(option.group(1))) {
                    assertThat(table).contains("| " + command + " " + option.group(1) + " |");
                    named++;
                }
            }
        }
        assertThat(named).isGreaterThan(45);
    }

    @Test
    void whatCreateIsToldIsInThePool() throws IOException {
        Path dir = directory.resolve("told");
        prepare(dir, "file");
        for (String program : List.of("theirs", "ours")) {
            create(program, "create", "-l", "name", "-m", "640", "obj", dir + "/l-" + program);
            create(program, "create", "-i", dir + "/f", "-l", "kept", "obj", dir + "/i-" + program);
        }
        for (String made : List.of("l-", "i-")) {
            String theirs = NativeTools.pmempool("info", dir + "/" + made + "theirs").out();
            String ours = NativeTools.pmempool("info", dir + "/" + made + "ours").out();
            for (String label : List.of("Layout", "size", "Number of lanes", "Heap size")) {
                assertThat(lines(ours, label))
                        .as(label)
                        .isNotEmpty()
                        .isEqualTo(lines(theirs, label));
            }
        }
        assertThat(Files.getPosixFilePermissions(dir.resolve("l-ours")))
                .isEqualTo(Files.getPosixFilePermissions(dir.resolve("l-theirs")));
    }

    private static void create(String program, String... words) {
        NativeJudge.Answer answer =
                program.equals("ours") ? NativeTools.farheap(words) : NativeTools.pmempool(words);
        assertThat(answer.exitCode()).as("%s: %s", program, answer).isZero();
    }

    private static List<String> lines(String text, String label) {
        return text.lines().filter(line -> line.startsWith(label)).toList();
    }

    @Test
    void aRemovalThatCanNotBeWholeRemovesNothingHere() throws IOException {
        Path theirs = directory.resolve("theirs-without");
        Path ours = directory.resolve("ours-without");
        prepare(theirs, "without b");
        prepare(ours, "without b");

        assertThat(NativeTools.pmempool("rm", theirs + "/z.set").exitCode()).isOne();
        assertThat(NativeTools.farheap("rm", ours + "/z.set").exitCode()).isEqualTo(3);

        assertThat(theirs.resolve("a")).doesNotExist();
        assertThat(ours.resolve("a")).exists();
    }

    @Test
    void aPoolInUseIsNotTouched() throws IOException {
        Path dir = directory.resolve("in-use");
        prepare(dir, "set");
        try (ObjectPool pool = ObjectPool.open(dir.resolve("z.set"), "")) {
            assertThat(pool.root(8).isNull()).isFalse();
            assertThat(NativeTools.pmempool("check", dir + "/z.set").exitCode()).isOne();
            for (String command : List.of("check", "rm", "sync")) {
                NativeJudge.Answer answer = NativeTools.farheap(command, dir + "/z.set");
                assertThat(answer.exitCode()).as("%s %s", command, answer).isEqualTo(3);
                assertThat(answer.err()).contains("in use by this process");
            }
            assertThat(dir.resolve("a")).exists();
            assertThat(NativeTools.pmempool("rm", dir + "/z.set").exitCode())
                    .as("by a poolset file pmempool removes what a program has")
                    .isZero();
            assertThat(dir.resolve("a")).doesNotExist();
        }
    }
}
