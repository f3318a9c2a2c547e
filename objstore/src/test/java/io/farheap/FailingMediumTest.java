package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Stores of the heap's own that fail here: only recovery knows what is there. */
class FailingMediumTest {
    private static final long TYPE = 7;

    private final CrashSimulation machine = SimulatedPool.formatted();
    private final RecordingSink sink = new RecordingSink();

    /** The next fence fails. */
    private boolean failing;

    private final PoolMemory memory =
            new PoolMemory(
                    machine.memory().image(),
                    new Persistence() {
                        @Override
                        public void flush(long offset, long length) {
                            machine.flush(offset, length);
                        }

                        @Override
                        public void fence() {
                            if (failing) {
                                failing = false;
                                throw new IllegalStateException("the medium is gone");
                            }
                            machine.fence();
                        }
                    });

    @Test
    void aRunThatCanNotBeMadeLeavesThePoolToRecovery() {
        ObjectPool pool = SimulatedPool.open(memory, null);
        failing = true;

        assertThatThrownBy(() -> pool.transaction(tx -> tx.allocate(64, TYPE)))
                .isInstanceOf(FarheapException.class)
                .hasRootCauseMessage("the medium is gone");

        assertRefused(pool);
        pool.close();
        assertSound(machine.memory().image());
    }

    @Test
    void andOneThatTheReplicasHaveDoesToo() {
        ObjectPool pool = SimulatedPool.open(memory, sink);
        sink.whileWaiting = () -> failing = true;

        assertThatThrownBy(() -> pool.transaction(tx -> tx.allocate(64, TYPE)))
                .isInstanceOf(FarheapException.class)
                .hasRootCauseMessage("the medium is gone");

        assertThat(sink.calls)
                .as("its outcome is not known")
                .containsExactly("append 1", "await 1", "broken 1");
        assertRefused(pool);
        assertSound(machine.memory().image());
    }

    private static void assertRefused(ObjectPool pool) {
        assertThatThrownBy(() -> pool.atomic().allocate(64, TYPE))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("decided when the pool is opened again");
        assertThatThrownBy(pool::root).hasMessageContaining("opened again");
    }

    /** What was stored before the failure is no obstacle to the next opening. */
    private static void assertSound(MemorySegment image) {
        ObjectPool recovered = SimulatedPool.open(new CrashSimulation(image));
        Ref object = recovered.atomic().allocate(64, TYPE);
        assertThat(recovered.objects()).containsExactly(object);
        recovered.close();
    }
}
