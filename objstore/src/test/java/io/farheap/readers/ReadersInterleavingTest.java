package io.farheap.readers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two words that are equal at every commit boundary, one that applies and one that reads, in every
 * order of their steps with up to three changes between the two: nobody is shown two that differ.
 */
@Tag("enumerated")
class ReadersInterleavingTest {
    /** Of all that is tried: it is in any state when the next one begins, as in life. */
    private static final SteppedFile FILE = new SteppedFile();

    private static final Duration LONG = Duration.ofSeconds(1);

    /** What an agent does, with the words that a reader looks at. */
    private abstract static class Replica implements Interleavings.Trial {
        final AtomicLong now = new AtomicLong(1);
        final ReadAdmission admission;
        final ReaderSlot slot;
        final List<String> seen = new ArrayList<>();
        private long one;
        private long two;
        private long committed;

        Replica(Duration hold) {
            this(hold, ProcessHandle.current().pid());
        }

        Replica(Duration hold, long pid) {
            admission = new ReadAdmission(FILE, hold, () -> now.addAndGet(20_000));
            slot = ReaderSlot.claim(FILE, pid, ProcessLife.UNKNOWN);
            assertThat(slot.begin()).isEqualTo(ReaderSlot.NOT_NOW);
            slot.end(); // as who was refused does
            admission.open(2, 0);
        }

        /** One commit, in two stores. */
        final void store() {
            committed++;
            Interleavings.step();
            one = committed;
            Interleavings.step();
            two = committed;
        }

        final void apply(boolean atOnce) {
            for (int attempt = 0; attempt < 2; attempt++) {
                if (admission.tryShut(atOnce)) {
                    store();
                    admission.reopen(2, committed);
                    return;
                }
            }
        }

        /** Reads both, as a view does. */
        @Override
        public void second() {
            for (int attempt = 0; attempt < 2; attempt++) {
                long evicted = slot.begin();
                if (evicted != ReaderSlot.NOT_NOW) {
                    Interleavings.step();
                    long first = one;
                    Interleavings.step();
                    long second = two;
                    if (slot.stands(evicted)) {
                        seen.add(first + " " + second);
                    }
                    slot.end();
                }
            }
        }

        @Override
        public void check(String order) {
            for (String pair : seen) {
                String[] words = pair.split(" ");
                assertThat(words[0]).as("two words of one moment: " + order).isEqualTo(words[1]);
            }
            slot.release();
        }
    }

    private static final class Waits extends Replica {
        Waits() {
            super(LONG);
        }

        @Override
        public void first() {
            apply(false);
            apply(false);
        }
    }

    private static final class Evicts extends Replica {
        Evicts() {
            super(LONG);
        }

        @Override
        public void first() {
            apply(true);
            apply(true);
        }
    }

    /** Who was evicted once, and is still there, is not waited for. */
    private static final class LosesPatience extends Replica {
        LosesPatience() {
            super(Duration.ZERO);
        }

        @Override
        public void first() {
            apply(false);
            apply(false);
        }
    }

    private static final class Closes extends Replica {
        Closes() {
            super(LONG);
        }

        @Override
        public void first() {
            admission.close();
            store();
            admission.open(4, 0);
            apply(false);
        }
    }

    /** A process that only seems to be gone, as one of another container. */
    private static final class TakenForDead extends Replica {
        TakenForDead() {
            super(LONG, 1L << 21);
        }

        @Override
        public void first() {
            admission.freeDead();
            apply(false);
        }
    }

    @Test
    void nobodyReadsHalfABatchWhereTheAgentWaits() {
        assertThat(Interleavings.explore(Waits::new)).isGreaterThan(1_000);
    }

    @Test
    void nobodyReadsHalfABatchWhereTheAgentEvicts() {
        assertThat(Interleavings.explore(Evicts::new)).isGreaterThan(1_000);
    }

    @Test
    void nobodyReadsHalfABatchWhereTheAgentGoesOnWithoutWhoStaysIn() {
        assertThat(Interleavings.explore(LosesPatience::new)).isGreaterThan(1_000);
    }

    @Test
    void nobodyReadsWhatIsStoredWhileTheReplicaIsClosed() {
        assertThat(Interleavings.explore(Closes::new)).isGreaterThan(1_000);
    }

    @Test
    void whoIsTakenForDeadReadsNothingThatIsTorn() {
        assertThat(Interleavings.explore(TakenForDead::new)).isGreaterThan(1_000);
    }
}
