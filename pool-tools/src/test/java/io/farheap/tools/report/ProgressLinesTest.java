package io.farheap.tools.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Lines of how far work is, on a clock that the test sets. */
class ProgressLinesTest {
    private static final long MIB = 1 << 20;
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong(-SECOND);
    private final StringWriter out = new StringWriter();

    private Progress copying(boolean json, long bytes) {
        return new ProgressLines(new PrintWriter(out), json, "copying", bytes, clock::get);
    }

    private List<String> lines() {
        return out.toString().lines().toList();
    }

    @Test
    void aLineAtMostEveryFiveSecondsAndOneAtTheEnd() {
        Progress progress = copying(false, 64 * MIB);
        for (int i = 0; i < 32; i++) {
            clock.addAndGet(SECOND / 2);
            progress.advanced(2 * MIB);
        }
        progress.complete();
        progress.close();
        assertThat(lines())
                .containsExactly(
                        "copying: 20.0 MiB of 64.0 MiB, 4.0 MiB/s, 11 s left",
                        "copying: 40.0 MiB of 64.0 MiB, 4.0 MiB/s, 6 s left",
                        "copying: 60.0 MiB of 64.0 MiB, 4.0 MiB/s, 1 s left",
                        "copying: done, 64.0 MiB in 16 s, 4.0 MiB/s");
    }

    @Test
    void theSameForAProgram() throws IOException {
        Progress progress = copying(true, 64 * MIB);
        clock.addAndGet(8 * SECOND);
        progress.reached(16 * MIB);
        clock.addAndGet(8 * SECOND);
        progress.complete();
        List<String> lines = lines();
        assertThat(lines).hasSize(2);
        JsonNode first = new JsonMapper().readTree(lines.get(0));
        assertThat(first.fieldNames())
                .toIterable()
                .containsExactly(
                        "task",
                        "bytes",
                        "totalBytes",
                        "bytesPerSecond",
                        "secondsLeft",
                        "seconds",
                        "done");
        assertThat(first.get("task").asText()).isEqualTo("copying");
        assertThat(first.get("bytes").asLong()).isEqualTo(16 * MIB);
        assertThat(first.get("totalBytes").asLong()).isEqualTo(64 * MIB);
        assertThat(first.get("bytesPerSecond").asLong()).isEqualTo(2 * MIB);
        assertThat(first.get("secondsLeft").asLong()).isEqualTo(24);
        assertThat(first.get("seconds").asDouble()).isEqualTo(8);
        assertThat(first.get("done").isBoolean()).isTrue();
        assertThat(first.get("done").asBoolean()).isFalse();
        JsonNode last = new JsonMapper().readTree(lines.get(1));
        assertThat(last.get("done").asBoolean()).isTrue();
        assertThat(last.get("bytes").asLong()).isEqualTo(64 * MIB);
        assertThat(last.get("secondsLeft").asLong()).isZero();
    }

    @Test
    void whatIsCopiedAgainIsNotMoreThanAll() {
        Progress progress = copying(false, MIB);
        clock.addAndGet(5 * SECOND);
        progress.advanced(5 * MIB);
        assertThat(lines()).containsExactly("copying: 1.0 MiB of 1.0 MiB, 0.2 MiB/s, 0 s left");
    }

    @Test
    void whereNothingIsDoneYetNobodyKnowsHowLongItTakes() throws IOException {
        Progress text = copying(false, MIB);
        Progress json = copying(true, MIB);
        clock.addAndGet(5 * SECOND);
        text.advanced(0);
        json.advanced(0);
        assertThat(lines().get(0)).isEqualTo("copying: 0.0 MiB of 1.0 MiB, 0.0 MiB/s");
        assertThat(new JsonMapper().readTree(lines().get(1)).get("secondsLeft").isNull()).isTrue();
    }

    /** Nothing was to be done, and no time has passed. */
    @Test
    void nothingIsDoneAtOnce() {
        copying(false, 0).complete();
        copying(true, 0).complete();
        assertThat(lines())
                .containsExactly(
                        "copying: done, 0.0 MiB in 0 s, 0.0 MiB/s",
                        "{\"task\":\"copying\",\"bytes\":0,\"totalBytes\":0,\"bytesPerSecond\":0,"
                                + "\"secondsLeft\":0,\"seconds\":0.0,\"done\":true}");
    }

    @Test
    void workThatFailsHasNoLastLine() {
        copying(false, MIB).close();
        assertThat(lines()).isEmpty();
    }
}
