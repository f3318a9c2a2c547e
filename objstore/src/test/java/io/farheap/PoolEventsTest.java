package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.CrashSimulation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolEventsTest {
    @TempDir Path dir;

    @Test
    void commitsRollBacksAndRecoveryLeaveFlightRecorderEvents() throws IOException {
        CrashSimulation machine = SimulatedPool.formatted();
        RecordingSink sink = new RecordingSink();
        Path file = dir.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.farheap.Commit").withoutThreshold();
            recording.enable("io.farheap.Recovery").withoutThreshold();
            recording.start();
            try (ObjectPool pool = SimulatedPool.open(machine, sink)) {
                Ref root = pool.root(64);
                pool.transaction(tx -> tx.setLong(root, 0, 1));
                assertThat(catchAbort(pool, root)).isNotNull();
            }
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> recoveries = named(events, "io.farheap.Recovery");
        List<RecordedEvent> commits = named(events, "io.farheap.Commit");
        assertThat(recoveries).hasSize(1);
        assertThat(recoveries.get(0).getBoolean("replicated")).isTrue();
        assertThat(commits).hasSize(3);
        assertThat(commits.get(1).getBoolean("committed")).isTrue();
        assertThat(commits.get(1).getInt("ranges")).isEqualTo(1);
        assertThat(commits.get(2).getBoolean("committed")).isFalse();
    }

    private static TransactionAbortedException catchAbort(ObjectPool pool, Ref root) {
        try {
            pool.transaction(
                    tx -> {
                        tx.setLong(root, 0, 2);
                        tx.abort();
                    });
            return null;
        } catch (TransactionAbortedException aborted) {
            return aborted;
        }
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(e -> e.getEventType().getName().equals(name)).toList();
    }
}
