package io.farheap.replication.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program says of its replicas is what others read, or nothing. */
class StatusFileTest {
    @TempDir Path dir;

    private volatile State state = State.ATTACHED;
    private volatile long compared;

    private List<ReplicaStatus> replicas() {
        return List.of(
                new ReplicaStatus(
                        "far copy.set",
                        ReplicaPolicy.DEGRADE,
                        state,
                        4711,
                        12,
                        state == State.ATTACHED ? 0 : -1,
                        Duration.ofMillis(1500),
                        Instant.ofEpochMilli(99),
                        "a reason with \"quotes\"",
                        "a step",
                        List.of(new ReplicaDifference("far copy.set", 5000, 3))));
    }

    @Test
    void whatIsSaidIsReadAndGoneAfterTheClose() {
        Path file = dir.resolve("part.status");
        try (StatusWriter writer =
                new StatusWriter(file, () -> 4711, () -> compared, this::replicas)) {
            writer.start();
            ProgramStatus read = StatusFile.read(file).orElseThrow();
            assertThat(read.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(read.epoch()).isEqualTo(4711);
            assertThat(read.replica("far copy.set")).contains(replicas().get(0));
            assertThat(read.replica("near copy.set")).isEmpty();

            state = State.LOST;
            writer.changed();
            await().until(
                            () ->
                                    StatusFile.read(file)
                                            .flatMap(status -> status.replica("far copy.set"))
                                            .filter(replica -> replica.state() == State.LOST)
                                            .isPresent());
            assertThat(StatusFile.read(file).orElseThrow().comparedMillis()).isZero();
            compared = 1234;
            writer.changed();
            await().until(
                            () ->
                                    StatusFile.read(file)
                                            .filter(status -> status.comparedMillis() == 1234)
                                            .isPresent());
        }
        assertThat(file).doesNotExist();
        assertThat(StatusFile.read(file)).isEmpty();
    }

    @Test
    void whatIsTornOrForeignSaysNothing() throws IOException {
        Path file = dir.resolve("part.status");
        for (String text : List.of("", "x", "00000000\n{}", "no checksum at all, and long\n{}")) {
            Files.writeString(file, text);
            assertThat(StatusFile.read(file)).as(text).isEmpty();
        }
        StatusWriter writer = new StatusWriter(file, () -> 1, () -> 0, this::replicas);
        writer.start();
        byte[] whole = Files.readAllBytes(file);
        writer.close();
        for (int length = 0; length < whole.length; length += 17) {
            Files.write(file, java.util.Arrays.copyOf(whole, length));
            assertThat(StatusFile.read(file)).isEmpty();
        }
    }

    @Test
    void aFileThatCanNotBeWrittenStopsNobody() {
        Path file = dir.resolve("no/such/directory/part.status");
        StatusWriter writer = new StatusWriter(file, () -> 1, () -> 0, this::replicas);
        writer.start();
        writer.close();
        assertThat(file).doesNotExist();
    }
}
