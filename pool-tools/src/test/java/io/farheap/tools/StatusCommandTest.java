package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap status} on pools of this machine. */
class StatusCommandTest {
    private static final int NOT_CURRENT = 5;

    @TempDir Path dir;
    private Path set;

    @BeforeEach
    void aMirroredPool() throws IOException {
        set = dir.resolve("bank.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\n".formatted(dir));
        ObjectPool.create(set, "bank").close();
    }

    private long number(String part) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "r")) {
            file.seek(Descriptor.RUN_ID);
            return Long.reverseBytes(file.readLong());
        }
    }

    private void setNumber(String part, long number) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "rw")) {
            file.seek(Descriptor.RUN_ID);
            file.writeLong(Long.reverseBytes(number));
        }
    }

    private Map<Path, FileTime> times() throws IOException {
        Map<Path, FileTime> times = new TreeMap<>();
        try (Stream<Path> files = Files.list(dir)) {
            for (Path file : files.toList()) {
                times.put(file, Files.getLastModifiedTime(file));
            }
        }
        return times;
    }

    @Test
    void everyCopyIsShown() throws IOException {
        Map<Path, FileTime> before = times();
        Run run = Run.farheap("status", set).succeeded();

        assertThat(run.out())
                .isEqualTo(
                        """
                        poolset     : %1$s
                        number      : %2$d
                        open in     : no process
                        copies      : 2, 2 without a fault
                        looked at   : headers and numbers; at what is behind them: farheap check, farheap verify

                        replica 0   : %3$s/a
                        verdict     : current: it has the pool's number
                        number      : %2$d
                        next step   : none

                        replica 1   : %3$s/b
                        verdict     : current: it has the pool's number
                        number      : %2$d
                        next step   : none
                        """
                                .formatted(set, number("a"), dir));
        assertThat(times()).isEqualTo(before);
    }

    @Test
    void aPoolThatIsOpenIsShownAndGoesOn() throws IOException {
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            Run run = Run.farheap("status", set).succeeded();

            assertThat(run.out())
                    .contains("open in     : process " + ProcessHandle.current().pid())
                    .contains("copies      : 2, 2 without a fault");
            pool.root(64);
        }
        ObjectPool.open(set, "bank").close();
    }

    @Test
    void aLostPartAndAnOldCopyAreNotCurrent() throws IOException {
        ObjectPool.open(set, "bank").close(); // so that the older number is not that of a new pool
        long older = number("b") - 2;
        setNumber("b", older);
        Run run = Run.farheap("status", set);
        assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
        assertThat(run.out())
                .contains("verdict     : of another run: its number is " + older)
                .contains("copies      : 2, 1 without a fault");

        Files.delete(dir.resolve("b"));
        run = Run.farheap("status", set);
        assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
        assertThat(run.out())
                .contains("verdict     : broken: " + dir.resolve("b") + " is missing")
                .contains("next step   : farheap sync " + set);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void jsonSaysTheSame() throws IOException {
        Run run = Run.farheap("status", "--json", set).succeeded();

        assertThat(run.out())
                .contains("\"poolset\" : \"" + set + "\"")
                .contains("\"number\" : " + number("a"))
                .contains("\"current\" : true")
                .contains("\"verdict\" : \"CURRENT\"");
    }

    @Test
    void aMistakeInThePoolsetFileIsNamedByItsLine() throws IOException {
        Files.writeString(set, "PMEMPOOLSET\n8M " + dir + "/a\nREPLICA\n8X " + dir + "/b\n");
        Run.farheap("status", set).failedWith(ExitCode.BAD_DATA, set + ":4:");
    }

    @Test
    void onePoolFileIsACopyToo() {
        assertThat(Run.farheap("status", dir.resolve("a")).out()).contains("copies      : 1, ");
    }

    @Test
    void metricsSayTheSame() throws IOException {
        Run run = Run.farheap("status", "--prometheus=-", set).succeeded();
        String copy = "farheap_copy_good{poolset=\"" + set + "\",replica=\"";
        assertThat(run.out())
                .contains("farheap_pool_current{poolset=\"" + set + "\"} 1")
                .contains("farheap_pool_open{poolset=\"" + set + "\"} 0")
                .contains(copy + "0\",host=\"\",name=\"" + dir + "/a\",verdict=\"CURRENT\"} 1")
                .contains(copy + "1\",host=\"\",name=\"" + dir + "/b\",verdict=\"CURRENT\"} 1")
                .doesNotContain("null");
    }

    @Test
    void metricsHaveWhatTheProgramCounts() {
        String labels = "{poolset=\"" + set + "\"} ";
        try (ObjectPool pool = ObjectPool.open(set, "bank")) {
            Ref root = pool.root(64);
            pool.transaction(tx -> tx.setLong(root, 0, 1));
            long commits = pool.counters().commits();
            assertThat(Run.farheap("status", "--prometheus=-", set).succeeded().out())
                    .contains("farheap_commits_total" + labels + commits + "\n")
                    .contains("farheap_pool_number" + labels + pool.position().number() + "\n")
                    .contains("farheap_heap_used_bytes" + labels + pool.heap().space().usedBytes())
                    .contains("farheap_pool_not_closed" + labels + "0\n");
        }
        assertThat(Run.farheap("status", "--prometheus=-", set).succeeded().out())
                .contains("# TYPE farheap_commits_total counter")
                .doesNotContain("farheap_commits_total{")
                .contains("farheap_copy_number{");
    }

    @Test
    void metricsAreAFileThatIsReplacedAsAWhole() throws IOException {
        Path out = dir.resolve("bank.prom");
        Files.delete(dir.resolve("b"));
        Run run = Run.farheap("status", "--prometheus", out, set);
        assertThat(run.exitCode()).isEqualTo(NOT_CURRENT);
        assertThat(run.out()).isEmpty();
        assertThat(out).content().contains("verdict=\"BROKEN\"} 0", "farheap_pool_current");
        assertThat(Run.farheap("status", "--prometheus", out, set).exitCode())
                .isEqualTo(NOT_CURRENT);
    }

    @Test
    void metricsOfAnotherPoolAreNotReplaced() throws IOException {
        Path out = dir.resolve("bank.prom");
        Run.farheap("status", "--prometheus", out, set).succeeded();
        byte[] before = Files.readAllBytes(out);
        Run.farheap("status", "--prometheus", out, dir.resolve("a"))
                .failedWith(ExitCode.WRONG_USE, out + " has the metrics of " + set, "another file");
        assertThat(out).hasBinaryContent(before);

        Path roundabout = dir.resolve("x").resolve("..").resolve(set.getFileName());
        Files.createDirectory(dir.resolve("x"));
        Run.farheap("status", "--prometheus", out, roundabout).succeeded();
        for (String typed : List.of("bank.set", roundabout.toString())) {
            Files.writeString(out, Files.readString(out).replace(set.toString(), typed));
            Run.farheap("status", "--prometheus", out, set).succeeded();
        }
        assertThat(out).content().contains("poolset=\"" + set);
    }

    @Test
    void whatIsNoMetricsFileIsNotReplaced() throws IOException {
        Files.writeString(dir.resolve("agent.prom"), "# HELP farheap_agent_time_seconds When.\n");
        for (String victim : List.of("a", "bank.set", "agent.prom")) {
            Path file = dir.resolve(victim);
            byte[] before = Files.readAllBytes(file);
            Run run = Run.farheap("status", "--prometheus", file, set);
            assertThat(run.exitCode()).isNotZero();
            assertThat(run.err()).contains("no metrics of farheap status, and is not replaced");
            assertThat(Files.readAllBytes(file)).isEqualTo(before);
        }
    }
}
