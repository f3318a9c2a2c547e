package io.farheap.objects.collection;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What {@link CollectionPowerLossTest} does, more thoroughly and again and again with new seeds,
 * until the time is over: {@code mvn verify -Pcrash -Dcrash.minutes=60 -pl objects -am}; {@code
 * -Dcrash.seed=N} begins with that seed.
 */
@Tag("crash")
@Tag("long")
class CollectionMarathonTest {
    private static final int COMBINATIONS = 16;
    private static final int SAMPLES = 4;

    private interface Story {
        void run() throws Exception;
    }

    @Test
    void untilTheTimeIsOver() throws Exception {
        long minutes = Long.getLong("crash.minutes", 10);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        long seed = Long.getLong("crash.seed", System.currentTimeMillis());
        SplittableRandom seeds = new SplittableRandom(seed);
        do {
            round(seed, deadline);
            seed = seeds.nextLong();
        } while (System.nanoTime() < deadline);
    }

    /** All changes, or as many as there is time for. */
    private static void round(long seed, long deadline) throws Exception {
        CollectionPowerLossTest changes = new CollectionPowerLossTest();
        changes.loss = new CollectionLoss(COMBINATIONS, SAMPLES, 1, seed);
        List<Story> stories =
                List.of(
                        changes::aCounterAdds,
                        changes::aMapInsertsAndReplaces,
                        changes::aMapRemovesAndClears,
                        changes::aSetAddsRemovesAndClears,
                        changes::aSortedMapSplitsALeafAndTheRoot,
                        changes::aSortedMapLosesALeafAndALevel,
                        changes::aSortedSetSplitsAndLosesALeaf,
                        changes::aListSplitsInItsMiddleAndShrinks,
                        changes::aDequeAddsAndLosesAChunkAtEachEnd,
                        changes::aBlobGrowsAndShrinks,
                        changes::aBlobGetsAndLosesASecondExtent,
                        changes::aMapGrows,
                        changes::aMapGrowsFar);
        int told = 0;
        for (Story story : stories) {
            if (System.nanoTime() < deadline) {
                try {
                    story.run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("with -Dcrash.seed=" + seed, e);
                }
                told++;
            }
        }
        System.out.printf("seed %d: %d of %d changes%n", seed, told, stories.size());
    }
}
