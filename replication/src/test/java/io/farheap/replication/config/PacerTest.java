package io.farheap.replication.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The token bucket, on a clock that passes only while somebody waits. */
class PacerTest {
    private static final long SECOND = 1_000_000_000;
    private static final long MIB = 1 << 20;

    /** How far the first bytes may be ahead. */
    private static final long KEPT = Pacer.KEPT_NANOS;

    private final VirtualClock clock = new VirtualClock();

    private static final class VirtualClock implements Pacer.Clock {
        private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 3 * SECOND); // it wraps
        private final long begin = now.get();

        /** How much of each pause passes, in hundredths. */
        private int share = 100;

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public void pause(long nanos) {
            now.addAndGet(Math.max(1, nanos / 100 * share));
        }

        void pass(long nanos) {
            now.addAndGet(nanos);
        }

        long passed() {
            return now.get() - begin;
        }
    }

    @Test
    void workTakesTheTimeThatItsBytesAreWorth() {
        Pacer pacer = new Pacer(8 * MIB, clock);
        for (int i = 0; i < 640; i++) {
            pacer.take(MIB / 8);
        }
        assertThat(clock.passed()).isBetween(10 * SECOND - KEPT, 10 * SECOND);
    }

    @Test
    void timeThatTheWorkTakesItselfCounts() {
        Pacer pacer = new Pacer(MIB, clock);
        for (int i = 0; i < 20; i++) {
            pacer.take(MIB);
            clock.pass(SECOND * 3 / 4);
        }
        assertThat(clock.passed()).isBetween(20 * SECOND, 21 * SECOND);
    }

    @Test
    void workThatIsSlowerDoesNotWait() {
        Pacer pacer = new Pacer(MIB, clock);
        clock.pass(SECOND);
        for (int i = 0; i < 10; i++) {
            assertThat(pacer.claim(MIB / 20)).isZero();
            clock.pass(SECOND / 10);
        }
    }

    @Test
    void aPauseIsNotFollowedByABurst() {
        Pacer pacer = new Pacer(MIB, clock);
        pacer.take(MIB);
        clock.pass(1000 * SECOND);
        assertThat(pacer.claim(MIB)).as("it may have been worked on").isZero();
        assertThat(pacer.claim(MIB)).isEqualTo(SECOND);
        clock.pass(1000 * SECOND);
        for (int i = 0; i < 32; i++) {
            pacer.take(MIB / 32);
        }
        assertThat(pacer.claim(0)).as("small ones").isZero();
        assertThat(clock.passed()).isGreaterThanOrEqualTo(2002 * SECOND - SECOND / 10 - KEPT);
    }

    /** Else each of many small pieces would cost a pause that lasts longer than it says. */
    @Test
    void shortWaitsAreOwedTogether() {
        Pacer pacer = new Pacer(1000 * MIB, clock);
        pacer.take(MIB);
        long waits = 0;
        long most = 0;
        for (int i = 0; i < 16 * 1000; i++) {
            long wait = pacer.claim(MIB / 16);
            assertThat(wait == 0 || wait >= Pacer.SHORTEST_NANOS).isTrue();
            waits += wait > 0 ? 1 : 0;
            most = Math.max(most, wait);
            pacer.await(wait);
        }
        assertThat(clock.passed()).isCloseTo(SECOND, Offset.offset(Pacer.SHORTEST_NANOS * 2));
        assertThat(waits).isLessThan(1100);
        assertThat(most).isLessThan(2 * Pacer.SHORTEST_NANOS);
    }

    @Test
    void aPauseThatEndsTooSoonGoesOn() {
        clock.share = 10;
        new Pacer(MIB, clock).take(5 * MIB);
        assertThat(clock.passed()).isGreaterThanOrEqualTo(5 * SECOND);
    }

    @Test
    void whoIsInterruptedGoesOnAndStaysSo() {
        Thread.currentThread().interrupt();
        new Pacer(1, clock).take(MIB);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(clock.passed()).isZero();
    }

    @Test
    void theSmallestRateAndTheLargestWorkDoNotOverflow() {
        Pacer pacer = new Pacer(1, clock);
        assertThat(pacer.claim(Long.MAX_VALUE)).isGreaterThan(SECOND);
        assertThat(pacer.claim(Long.MAX_VALUE)).isGreaterThan(SECOND);
        assertThat(new Pacer(Pacer.NO_LIMIT - 1, clock).claim(MIB)).isZero();
    }

    @Test
    void threadsShareTheRate() throws InterruptedException {
        Pacer pacer = new Pacer(MIB, clock);
        List<Thread> threads = new ArrayList<>();
        AtomicLong longest = new AtomicLong();
        for (int t = 0; t < 4; t++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 1000; i++) {
                                            long wait = pacer.claim(MIB);
                                            longest.accumulateAndGet(wait, Math::max);
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(longest.get()).isEqualTo(4000 * SECOND);
    }

    @Test
    void withoutALimitNobodyLooksAtTheClock() {
        Pacer pacer = Pacer.UNLIMITED;
        assertThat(pacer.isUnlimited()).isTrue();
        assertThat(pacer.claim(Long.MAX_VALUE)).isZero();
        pacer.take(Long.MAX_VALUE);
    }

    @Test
    void aPieceLeavesNoGarbage() {
        Pacer pacer = new Pacer(MIB, clock);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        takeMany(pacer);
        threads.getCurrentThreadAllocatedBytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        takeMany(pacer);
        long after = threads.getCurrentThreadAllocatedBytes();
        assertThat(after - before).isLessThan(1000);
    }

    private static void takeMany(Pacer pacer) {
        for (int i = 0; i < 20_000; i++) {
            pacer.take(MIB);
        }
    }

    @Test
    void aRateIsPositive() {
        assertThatThrownBy(() -> Pacer.of(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
