package io.farheap.objects.type;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long PORTION = Pace.PORTION_NANOS;
    private static final int MANY_STEPS = 10_000;

    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    private final List<Long> rests = new ArrayList<>();
    private final Pace pace = new Pace(commits::get, nanos::get, this::rest);

    private void rest(long time) {
        rests.add(time);
        nanos.addAndGet(time);
    }

    private void steps(long nanosOfEach) {
        for (int i = 0; i < MANY_STEPS; i++) {
            nanos.addAndGet(nanosOfEach);
            pace.step();
        }
    }

    @Test
    void aloneItNeverRests() {
        steps(PORTION / 100);
        for (int i = 0; i < MANY_STEPS; i++) {
            nanos.addAndGet(PORTION / 10);
            commits.incrementAndGet();
            pace.committed();
        }
        assertThat(rests).isEmpty();
        assertThat(pace.isAlone()).isTrue();
    }

    @Test
    void whileOthersCommitItRestsThreeTimesAsLongAsItWorks() {
        for (int i = 0; i < MANY_STEPS; i++) {
            nanos.addAndGet(PORTION / 100);
            commits.incrementAndGet();
            pace.step();
        }
        long worked = MANY_STEPS * (PORTION / 100);
        assertThat(pace.isAlone()).isFalse();
        assertThat(total()).isBetween(worked * 29 / 10, worked * 3);
    }

    @Test
    void itRestsLongerForItsOwnCommits() {
        for (int i = 0; i < MANY_STEPS; i++) {
            nanos.addAndGet(PORTION / 100);
            commits.addAndGet(2); // one's own, and another
            pace.committed();
        }
        long worked = MANY_STEPS * (PORTION / 100);
        assertThat(total()).isBetween(worked * 39 / 10, worked * 4);
    }

    @Test
    void whatHeldItUpCostsNoLongRest() {
        commits.incrementAndGet();
        nanos.addAndGet(1000 * PORTION);
        pace.committed();
        assertThat(total()).isLessThanOrEqualTo(10 * PORTION);
    }

    @Test
    void inAHurryItDoesNotRest() {
        pace.hurry(true);
        commits.incrementAndGet();
        steps(PORTION / 100);
        assertThat(rests).isEmpty();
        pace.hurry(false);
        commits.incrementAndGet();
        steps(PORTION / 100);
        assertThat(rests).hasSize(1);
    }

    @Test
    void onceTheOthersAreGoneItIsAloneAgain() {
        commits.incrementAndGet();
        steps(PORTION / 100);
        assertThat(rests).hasSize(1);
        assertThat(pace.isAlone()).isTrue();
    }

    private long total() {
        return rests.stream().mapToLong(Long::longValue).sum();
    }
}
