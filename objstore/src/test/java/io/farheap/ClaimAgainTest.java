package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.pmemobj.MemoryOption;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The epoch ends while a record is waited for: it is claimed again, with undo entries, stores and
 * locks in place, and the caller notices nothing.
 */
class ClaimAgainTest {
    private static final long TYPE = 7;

    /** Every way in which a record leaves. */
    private static final Map<String, Work> WORK =
            Map.of(
                    "buffered", (pool, object) -> pool.setLong(object, 8, 1),
                    "in place", (pool, object) -> pool.update(object, 8, 64, s -> s.fill((byte) 1)),
                    "not atomic",
                            (pool, object) ->
                                    pool.memory()
                                            .fill(object, 8, 64, (byte) 1, MemoryOption.NOT_ATOMIC),
                    "travels ahead",
                            (pool, object) ->
                                    pool.transaction(
                                            tx -> {
                                                Ref large = tx.allocateZeroed(20_000, TYPE);
                                                tx.setLong(large, 19_000, 5);
                                                tx.setRef(object, 8, large);
                                            }),
                    "set-up of the heap",
                            (pool, object) -> {
                                Ref unused = pool.compute(tx -> tx.allocateZeroed(300_000, TYPE));
                            });

    private interface Work {
        void on(ObjectPool pool, Ref object);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"buffered", "in place", "not atomic", "travels ahead", "set-up of the heap"})
    void everyRecordIsSentAgainAndNothingTwice(String name) {
        RecordingSink sink = new RecordingSink();
        sink.maxEntryBytes = 8192;
        CrashSimulation machine = SimulatedPool.formatted();
        MemorySegment before = SimulatedPool.formatted().memory().image();
        try (ObjectPool pool = SimulatedPool.open(machine, sink)) {
            Ref object = pool.compute(tx -> tx.allocateZeroed(256, TYPE));
            int sent = sink.records.size();
            sink.epochsToEnd = 3;

            WORK.get(name).on(pool, object);

            assertThat(sink.epochsToEnd).as("epochs that ended").isZero();
            assertThat(sink.calls).noneMatch(call -> call.startsWith("rolledBack"));
            assertThat(sink.records.size() - sent).isGreaterThan(3);
            CrashSimulation replica = sink.replica(before, sink.records.size());
            ObjectPool promoted = SimulatedPool.open(replica);
            assertThat(promoted.objects()).containsExactlyElementsOf(pool.objects());
            assertThat(bytes(promoted, object)).isEqualTo(bytes(pool, object));
        }
    }

    private static byte[] bytes(ObjectPool pool, Ref object) {
        return MemorySegment.ofArray(pool.readBytes(object, 0, 256)).toArray(ValueLayout.JAVA_BYTE);
    }
}
