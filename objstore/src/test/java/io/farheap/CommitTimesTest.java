package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.engine.CommitTimes;
import io.farheap.engine.EngineOf;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class CommitTimesTest {
    private static final long SLOW = Duration.ofMillis(20).toNanos();

    /** How many there are of a name that took at least so long. */
    private static long slow(Map<String, Long> measured, String name) {
        return measured.entrySet().stream()
                .filter(each -> each.getKey().startsWith(name + "Below"))
                .filter(each -> Long.parseLong(each.getKey().replaceAll("\\D", "")) > SLOW)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    void aCommitThatWaitsForItsReplicaIsSeenWaiting() {
        RecordingSink sink = new RecordingSink();
        try (ObjectPool pool = SimulatedPool.open(SimulatedPool.formatted(), sink)) {
            Ref root = pool.root(64);
            CommitTimes times = EngineOf.pool(pool).times();
            sink.whileWaiting = () -> sleep();
            pool.transaction(tx -> tx.setLong(root, 0, 1));
            assertThat(times.byName()).as("nobody watched").isEmpty();
            times.watch();
            pool.transaction(tx -> tx.setLong(root, 0, 2));
            sink.whileWaiting = () -> {};
            pool.transaction(tx -> tx.setLong(root, 0, 3));
            times.unwatch();
            pool.transaction(tx -> tx.setLong(root, 0, 4));
            Map<String, Long> measured = times.byName();
            assertThat(measured.values().stream().mapToLong(n -> n).sum()).isEqualTo(4);
            assertThat(slow(measured, "commitNanos")).isEqualTo(1);
            assertThat(slow(measured, "replicaWaitNanos")).isEqualTo(1);
        }
    }

    private static void sleep() {
        long end = System.nanoTime() + SLOW;
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }
}
