package io.farheap.engine;

import io.farheap.testing.support.LincheckFiles;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of threads that claim and give back lanes, as far as Lincheck's model checker
 * gets: a lane has one owner, who sees what the owner before wrote, and none is lost.
 *
 * <p>It has a JVM of its own, because Lincheck rewrites the classes of the one that it runs in, and
 * its package's other tests count allocations.
 */
@Tag("own-jvm")
@Param(name = "lane", gen = IntGen.class, conf = "0:1")
public class LanePoolInterleavingsTest {
    /** Two for threads that begin, and one more for those that have one already. */
    private static final int LANES = 2;

    private static final int ALL_LANES = 3;
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    private final LanePool pool = new LanePool(LANES, ALL_LANES);

    /** Each element belongs to the owner of its lane: stored plainly, as a lane's logs are. */
    private final int[] uses = new int[ALL_LANES];

    private final AtomicInteger operations = new AtomicInteger();

    @Operation
    public void use(@Param(name = "lane") int preferred) {
        int lane = pool.claim(preferred, TIMEOUT_NANOS);
        uses[lane]++;
        pool.release(lane);
        operations.incrementAndGet();
    }

    /** An operation in the middle of a transaction has a second lane. */
    @Operation
    public void useTwo(@Param(name = "lane") int preferred) {
        int outer = pool.claim(preferred, TIMEOUT_NANOS);
        int inner = pool.claimAnother(preferred, TIMEOUT_NANOS);
        uses[outer]++;
        uses[inner]++;
        pool.release(inner);
        pool.release(outer);
        operations.addAndGet(2);
    }

    @Validate
    public void everyUseCountsAndNoLaneIsLost() {
        if (IntStream.of(uses).sum() != operations.get()) {
            throw new IllegalStateException(operations + " uses, counted " + Arrays.toString(uses));
        }
        if (pool.inUse() != 0) {
            throw new IllegalStateException(pool.inUse() + " lanes are still in use");
        }
    }

    /** Whatever the order, each operation returns nothing: {@link Validate} says what matters. */
    public static final class AnyOrder {
        public void use(int preferred) {
            // no result to compare
        }

        public void useTwo(int preferred) {
            // no result to compare
        }
    }

    @AfterAll
    static void leaveNothing() {
        LincheckFiles.remove();
    }

    @Test
    void aLaneHasOneOwner() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .sequentialSpecification(AnyOrder.class)
                .check(LanePoolInterleavingsTest.class);
    }
}
