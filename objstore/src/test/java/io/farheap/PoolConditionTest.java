package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Conditions that lie in objects. */
class PoolConditionTest extends LockFixture {
    @Test
    void aSignalWakesTheOneWhoWaitsLongest() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        List<OtherThread<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int name = i;
            waiting.add(
                    OtherThread.doing(
                            () -> {
                                mutex().lock();
                                boolean signalled = condition().await(mutex());
                                woken.set(name);
                                mutex().unlock();
                                return signalled;
                            }));
            waiting.get(i).untilItWaits();
            mutex().lock(); // has it: so the other one gave it up
            mutex().unlock();
        }

        condition().signal();
        assertThat(waiting.get(0).result()).isTrue();
        assertThat(woken.get()).isZero();
        assertThat(waiting.get(1).isDone()).isFalse();
        condition().signalAll();
        assertThat(waiting.get(1).result()).isTrue();
        assertThat(waiting.get(2).result()).isTrue();
        condition().signal(); // nobody
    }

    @Test
    void aSignalBeforeTheWaitIsLostAndTheWaitEnds() throws Exception {
        reopen(SimulatedPool.IMPATIENT);
        condition().signal();
        mutex().lock();

        assertThat(condition().await(mutex(), 1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(condition().await(mutex())).as("the pool's bound").isFalse();

        assertThat(mutex().isHeldByCurrentThread()).isTrue();
        mutex().unlock();
    }

    @Test
    void whoGaveUpWaitingTakesNobodysSignal() throws Exception {
        OtherThread<Boolean> givesUp =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            try {
                                return condition().await(mutex(), 50, TimeUnit.MILLISECONDS);
                            } finally {
                                mutex().unlock();
                            }
                        });
        OtherThread<Boolean> stays =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            try {
                                return condition().await(mutex());
                            } finally {
                                mutex().unlock();
                            }
                        });
        stays.untilItWaits();
        assertThat(givesUp.result()).isFalse();

        condition().signal();

        assertThat(stays.result()).isTrue();
    }

    @Test
    void waitingNeedsTheMutex() {
        assertThatThrownBy(() -> condition().await(mutex()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not hold a mutex");
    }

    @Test
    void anInterruptedWaitHasTheMutexAgain() throws Exception {
        OtherThread<Boolean> other =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            try {
                                condition().await(mutex());
                                return false;
                            } catch (InterruptedException e) {
                                return mutex().isHeldByCurrentThread();
                            } finally {
                                mutex().unlock();
                            }
                        });
        other.untilItWaits();

        other.interrupt();

        assertThat(other.result()).isTrue();
    }

    @Test
    void aSignalIsNotLostToAWaitThatIsInterruptedAtTheSameMoment() throws Exception {
        for (int round = 0; round < 50; round++) {
            OtherThread<Boolean> first = OtherThread.doing(this::waitForASignal);
            first.untilItWaits();
            OtherThread<Boolean> second = OtherThread.doing(this::waitForASignal);
            second.untilItWaits();

            first.interrupt();
            condition().signal();

            if (!first.result()) {
                assertThat(second.result()).as("round " + round).isTrue();
            } else {
                condition().signal();
                assertThat(second.result()).isTrue();
            }
        }
    }

    /** Whether there was a signal; false for an interrupt before it. */
    private boolean waitForASignal() {
        mutex().lock();
        try {
            return condition().await(mutex(), 5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        } finally {
            mutex().unlock();
        }
    }
}
