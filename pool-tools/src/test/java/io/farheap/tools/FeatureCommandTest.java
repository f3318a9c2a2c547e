package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.ObjectPool;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FeatureCommandTest {
    private static final int SECTOR = 512;
    private static final List<String> PARTS = List.of("a", "b", "c");

    @TempDir Path dir;
    private Path set;

    @BeforeEach
    void aSet() throws IOException {
        set = dir.resolve("z.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M " + dir + "/a\n8M " + dir + "/b\nREPLICA\n16M " + dir + "/c\n");
        Run.farheap("create", "-l", "bank", set).succeeded();
    }

    private String query(String feature) {
        return Run.farheap("feature", "-q", feature, set).succeeded().out();
    }

    private void opens() {
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            assertThat(pool.layout()).isEqualTo("bank");
        }
        Run.farheap("check", set).succeeded();
    }

    private byte[] header(String part) throws IOException {
        return Arrays.copyOf(Files.readAllBytes(dir.resolve(part)), (int) PoolHeader.SIZE);
    }

    private void write(String part, int offset, byte[] bytes, int length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "rw")) {
            file.seek(offset);
            file.write(bytes, offset, length);
        }
    }

    @Test
    void showsAndTurnsSwitches() {
        assertThat(Run.farheap("feature", "-l", set).succeeded().out())
                .contains("SINGLEHDR                : off\n", "CKSUM_2K                 : on\n")
                .contains("SHUTDOWN_STATE           : on\n", "CHECK_BAD_BLOCKS         : on\n");
        assertThat(Run.farheap("feature", "--list", "--json", set).succeeded().out())
                .contains("\"shutdownState\" : true");
        for (String feature : List.of("SHUTDOWN_STATE", "CKSUM_2K", "CHECK_BAD_BLOCKS")) {
            assertThat(Run.farheap("feature", "-d", feature, set).succeeded().out()).isEmpty();
            assertThat(query(feature)).isEqualTo("0\n");
        }
        opens();
        for (String feature : List.of("CKSUM_2K", "SHUTDOWN_STATE", "CHECK_BAD_BLOCKS")) {
            Run.farheap("feature", "-e", feature, set).succeeded();
            assertThat(query(feature)).isEqualTo("1\n");
        }
        opens();
    }

    @Test
    void whatIsSoAlreadyIsNotWritten() throws IOException {
        byte[] before = Files.readAllBytes(dir.resolve("b"));
        Object time = Files.getLastModifiedTime(dir.resolve("b"));
        Run.farheap("feature", "-e", "CKSUM_2K", set).succeeded();
        assertThat(Files.readAllBytes(dir.resolve("b"))).isEqualTo(before);
        assertThat(Files.getLastModifiedTime(dir.resolve("b"))).isEqualTo(time);
    }

    @Test
    void whatCannotBeTurnedIsRefused() throws IOException {
        byte[] before = header("a");
        Run.farheap("feature", "-e", "SINGLEHDR", set)
                .failedWith(ExitCode.WRONG_USE, "unsupported feature: SINGLEHDR");
        Run.farheap("feature", "-d", "CKSUM_2K", set)
                .failedWith(
                        ExitCode.WRONG_USE, "disable SHUTDOWN_STATE prior to disabling CKSUM_2K");
        assertThat(header("a")).isEqualTo(before);
        Run.farheap("feature", "-d", "SHUTDOWN_STATE", set).succeeded();
        Run.farheap("feature", "-d", "CKSUM_2K", set).succeeded();
        Run.farheap("feature", "-e", "SHUTDOWN_STATE", set)
                .failedWith(ExitCode.WRONG_USE, "enable CKSUM_2K prior");
        Run.farheap("feature", "-q", "NONE", set).failedWith(ExitCode.WRONG_USE, "NONE");
        Run.farheap("feature", set).failedWith(ExitCode.WRONG_USE, "-e=FEATURE");
    }

    @Test
    void aPoolInUseOrWithADamagedHeaderIsRefused() throws IOException {
        try (ObjectPool inUse = ObjectPool.open(set, "bank")) {
            assertThat(inUse.layout()).isEqualTo("bank");
            Run.farheap("feature", "-d", "SHUTDOWN_STATE", set)
                    .failedWith(ExitCode.ENVIRONMENT, "in use");
        }
        write("b", 100, new byte[200], 16);
        Run.farheap("feature", "-d", "SHUTDOWN_STATE", set)
                .failedWith(ExitCode.BAD_DATA, dir + "/b", "checksum");
        Run.farheap("feature", "-q", "SHUTDOWN_STATE", set)
                .failedWith(ExitCode.BAD_DATA, dir + "/b", "checksum");
        assertThat(header("a")[16]).isEqualTo((byte) 6);
    }

    /** Which headers a change reached, and which half of the next. */
    @ParameterizedTest
    @ValueSource(strings = {"-d SHUTDOWN_STATE", "-d CHECK_BAD_BLOCKS"})
    void aChangeThatWasCutIsFinishedByTheSameCommand(String words) throws IOException {
        List<byte[]> before = new ArrayList<>();
        for (String part : PARTS) {
            before.add(header(part));
        }
        List<Object> command = new ArrayList<>(List.of("feature"));
        command.addAll(List.of(words.split(" ")));
        command.add(set);
        Run.farheap(command.toArray()).succeeded();
        List<byte[]> after = new ArrayList<>();
        for (String part : PARTS) {
            after.add(header(part));
        }
        for (int reached = 0; reached < PARTS.size(); reached++) {
            for (boolean head : List.of(true, false)) {
                for (int p = 0; p < PARTS.size(); p++) {
                    write(PARTS.get(p), 0, p < reached ? after.get(p) : before.get(p), 4096);
                }
                int offset = head ? 0 : 4096 - SECTOR;
                write(PARTS.get(reached), offset, after.get(reached), SECTOR);

                String other = words.endsWith("BLOCKS") ? "SHUTDOWN_STATE" : "CHECK_BAD_BLOCKS";
                Run.farheap("feature", "-d", other, set).failedWith(ExitCode.BAD_DATA);
                Run.farheap(command.toArray()).succeeded();

                for (int p = 0; p < PARTS.size(); p++) {
                    assertThat(header(PARTS.get(p)))
                            .as("part %d, reached %d, %s", p, reached, head)
                            .isEqualTo(after.get(p));
                }
                if (reached == 1 && head) {
                    opens();
                }
                for (int p = 0; p < PARTS.size(); p++) {
                    write(PARTS.get(p), 0, before.get(p), 4096);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-d SHUTDOWN_STATE", "-d CHECK_BAD_BLOCKS"})
    void whoeverMeetsAChangeThatWasCutNamesTheCommandThatFinishesIt(String words)
            throws IOException {
        Object[] command = cutAfterTheFirstHeader(words);
        String mend = "farheap feature " + words + " " + set;

        Run status = Run.farheap("status", set);
        assertThat(status.exitCode()).isEqualTo(5);
        assertThat(status.out()).contains(mend).doesNotContain("remove what", "farheap sync");
        Run.farheap("sync", "-d", set).failedWith(ExitCode.BAD_DATA, mend);
        for (List<String> how : List.of(List.<String>of(), List.of("-r", "-d"))) {
            List<Object> check = new ArrayList<>(List.of("check"));
            check.addAll(how);
            check.add(set);
            Run said = Run.farheap(check.toArray());
            assertThat(said.exitCode()).isEqualTo(ExitCode.BAD_DATA);
            assertThat(said.out()).contains("next step: " + mend).doesNotContain("sync");
        }
        Run.farheap("transform", "-d", set, single()).failedWith(ExitCode.BAD_DATA, mend);

        Run.farheap(command).succeeded();
        opens();
    }

    /** Such a pool opens, as it does in libpmemobj; the same change again makes them alike. */
    @Test
    void replicasMayDifferInASwitch() throws IOException {
        byte[] before = header("c");
        Run.farheap("feature", "-d", "SHUTDOWN_STATE", set).succeeded();
        byte[] after = header("c");
        write("c", 0, before, 4096);

        opens();
        assertThat(Run.farheap("status", set).succeeded().out()).doesNotContain("broken");
        Run.farheap("feature", "-d", "SHUTDOWN_STATE", set).succeeded();
        assertThat(header("c")).isEqualTo(after);
    }

    @Test
    void headersThatDifferInMoreAreToldInNumbers() throws IOException {
        byte[] second = header("b");
        Run.farheap("feature", "-d", "SHUTDOWN_STATE", set).succeeded();
        Run.farheap("feature", "-d", "CHECK_BAD_BLOCKS", set).succeeded();
        write("b", 0, second, 4096);
        Run.farheap("feature", "-e", "SHUTDOWN_STATE", set)
                .failedWith(
                        ExitCode.BAD_DATA, "mismatch detected: 0x1, 0x6, 0x0, and 0x0, 0x6, 0x0");
    }

    private Object[] cutAfterTheFirstHeader(String words) throws IOException {
        byte[] second = header("b");
        byte[] third = header("c");
        List<Object> command = new ArrayList<>(List.of("feature"));
        command.addAll(List.of(words.split(" ")));
        command.add(set);
        Run.farheap(command.toArray()).succeeded();
        write("b", 0, second, 4096);
        write("c", 0, third, 4096);
        return command.toArray();
    }

    private Path single() throws IOException {
        Path file = dir.resolve("single.set");
        return Files.writeString(file, "PMEMPOOLSET\n16M " + dir + "/d\n");
    }

    @Test
    void aPartOfASetIsNotTurnedAlone() throws IOException {
        byte[] before = header("b");
        for (String part : PARTS) {
            Run.farheap("feature", "-d", "CHECK_BAD_BLOCKS", dir.resolve(part))
                    .failedWith(ExitCode.WRONG_USE, "one part of a set", "poolset file");
        }
        assertThat(header("b")).isEqualTo(before);
        Run.farheap("feature", "-l", dir.resolve("b")).succeeded();
        opens();
    }

    @Test
    void theShutdownStateIsForgottenWithItsSwitch() throws IOException {
        byte[] dirty = header("a");
        new ShutdownState(MemorySegment.ofArray(dirty)).open(7, 8);
        write("a", 0, dirty, 4096);
        Run.farheap("feature", "-d", "SHUTDOWN_STATE", set).succeeded();
        int from = (int) ShutdownState.OFFSET;
        assertThat(Arrays.copyOfRange(header("a"), from, from + 64)).containsOnly(0);
        opens();
    }

    @Test
    void remoteReplicasKeepTheirs() throws IOException {
        Path plain = dir.resolve("p.set");
        Files.writeString(plain, "PMEMPOOLSET\n8M " + dir + "/p\n");
        Run.farheap("create", plain).succeeded();
        Files.writeString(plain, "PMEMPOOLSET\n8M " + dir + "/p\nREPLICA far copy.set\n");
        assertThat(Run.farheap("feature", "-d", "SHUTDOWN_STATE", plain).succeeded().out())
                .isEqualTo(
                        "the replica on far keeps its switches; there: farheap feature -d"
                                + " SHUTDOWN_STATE copy.set\n");
        assertThat(Run.farheap("feature", "-d", "SHUTDOWN_STATE", plain).succeeded().out())
                .isEmpty();
    }

    @Test
    void programsAreToldWhatChangedAndWhatDidNot() throws IOException {
        JsonNode off = json("-d", "SHUTDOWN_STATE");
        assertThat(off.get("shutdownState").asBoolean()).isFalse();
        assertThat(off.get("changed").asBoolean()).isTrue();
        assertThat(off.get("unchangedReplicas").size()).isZero();
        assertThat(query("SHUTDOWN_STATE")).isEqualTo("0\n");
        assertThat(json("-d", "SHUTDOWN_STATE").get("changed").asBoolean()).isFalse();

        Files.writeString(set, "REPLICA far copy.set\n", StandardOpenOption.APPEND);
        JsonNode on = json("-e", "SHUTDOWN_STATE");
        assertThat(on.get("shutdownState").asBoolean()).isTrue();
        assertThat(on.get("unchangedReplicas").get(0).asText()).isEqualTo("far copy.set");
    }

    private JsonNode json(String letter, String feature) throws IOException {
        Run run = Run.farheap("feature", "--json", letter, feature, set).succeeded();
        return JsonMapper.builder().build().readTree(run.out());
    }
}
