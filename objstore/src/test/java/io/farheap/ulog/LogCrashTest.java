package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Power is cut before every flush and every fence of lane operations. The enumeration finds each
 * flush, fence and checksum check that is taken away: so each is needed, and the enumeration sees.
 */
class LogCrashTest {
    /** Of what takes long one in so many is tried. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;

    /** Workloads over the same bytes on two lanes: what one leaves behind, the other would see. */
    enum Workload {
        /** A store and its undo; the commit is a single word. */
        UNDO(TestImage.SMALL_SLOTS) {
            @Override
            List<LaneTransaction> transactions() {
                return List.of(
                        new LaneTransaction(0).range(3, 90).range(200, 64).filledWith(1),
                        new LaneTransaction(1).range(0, 100).range(190, 70).filledWith(2),
                        new LaneTransaction(0).range(3, 90).filledWith(3).rolledBack(),
                        new LaneTransaction(1).range(0, 300).filledWith(4),
                        new LaneTransaction(0).range(3, 20).range(100, 30).filledWith(5).inPlace(),
                        new LaneTransaction(1).range(0, 300).filledWith(6));
            }
        },
        /** Words through the redo log, with and without undo. */
        REDO(TestImage.SMALL_SLOTS) {
            @Override
            List<LaneTransaction> transactions() {
                return List.of(
                        new LaneTransaction(0).words(0, 4, 100),
                        new LaneTransaction(1).words(0, 5, 200).range(300, 50).filledWith(1),
                        new LaneTransaction(0).words(0, 5, 300).range(300, 50).filledWith(2),
                        new LaneTransaction(1).words(0, 5, 400).range(300, 50).filledWith(3),
                        new LaneTransaction(0).words(0, 40, 500),
                        new LaneTransaction(1).words(0, 39, 600).range(320, 10).filledWith(4));
            }
        },
        /** A redo log longer than its lane's bytes, over one extension and two. */
        LONG_REDO(TestImage.SMALL_SLOTS) {
            @Override
            List<LaneTransaction> transactions() {
                return List.of(
                        new LaneTransaction(0).words(0, 41, 1000),
                        new LaneTransaction(1).words(0, 48, 2000).rolledBack(),
                        new LaneTransaction(0).words(0, 93, 3000),
                        new LaneTransaction(1).words(0, 41, 4000),
                        new LaneTransaction(0).words(0, 50, 5000));
            }
        },
        /** An undo log longer than its lane's bytes, over one extension and two. */
        LONG_UNDO(TestImage.LARGE_SLOTS) {
            @Override
            List<LaneTransaction> transactions() {
                return List.of(
                        new LaneTransaction(0).range(0, 1900).filledWith(1),
                        new LaneTransaction(1).range(0, 2010).filledWith(2),
                        new LaneTransaction(0).range(0, 1960).filledWith(3).rolledBack(),
                        new LaneTransaction(1).range(0, 1900).filledWith(4),
                        new LaneTransaction(0).range(0, 1895).filledWith(5));
            }
        },
        /** Long entries and short ones in turns: where one has data, the next one has a head. */
        MIXED_UNDO(TestImage.LARGE_SLOTS) {
            @Override
            List<LaneTransaction> transactions() {
                return List.of(
                        new LaneTransaction(0).range(0, 1500).filledWith(HEADS),
                        new LaneTransaction(0).range(0, 1500).filledWith(OTHER_HEADS),
                        eightOf40(0).filledWith(1).inPlace(),
                        new LaneTransaction(0).range(0, 1500).filledWith(2).rolledBack(),
                        new LaneTransaction(1).range(8, 1700).filledWith(HEADS),
                        new LaneTransaction(1)
                                .range(0, 700)
                                .range(700, 500)
                                .filledWith(OTHER_HEADS),
                        eightOf40(1).range(400, 700).filledWith(3),
                        new LaneTransaction(1).range(0, 1500).filledWith(4));
            }
        },
        /** The same where the second transaction's heads meet data in the extension. */
        LONG_MIXED_UNDO(TestImage.LARGE_SLOTS) {
            @Override
            List<LaneTransaction> transactions() {
                return List.of(
                        new LaneTransaction(0).range(0, 4096).filledWith(HEADS),
                        new LaneTransaction(0).range(1, 4090).filledWith(OTHER_HEADS),
                        new LaneTransaction(0).range(0, 2300).range(2400, 400).filledWith(1),
                        new LaneTransaction(1).range(0, 3000).filledWith(HEADS).rolledBack(),
                        new LaneTransaction(0)
                                .range(0, 1900)
                                .range(1920, 30)
                                .range(1960, 1000)
                                .filledWith(2)
                                .inPlace(),
                        new LaneTransaction(0).range(0, 2500).filledWith(3));
            }
        };

        /** Words of this are heads of entries of absurd size, wherever they begin. */
        private static final int HEADS = 0xC0;

        private static final int OTHER_HEADS = 0xC1;

        final TestImage image;

        Workload(TestImage image) {
            this.image = image;
        }

        abstract List<LaneTransaction> transactions();

        private static LaneTransaction eightOf40(int lane) {
            LaneTransaction transaction = new LaneTransaction(lane);
            for (int i = 0; i < 8; i++) {
                transaction.range(48L * i, 40);
            }
            return transaction;
        }

        CrashEnumeration enumeration(int samples) {
            return new CrashEnumeration(image, transactions(), ordinal(), samples);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCrashLeavesATransactionBoundary(Workload workload) {
        CrashEnumeration enumeration = workload.enumeration(12);

        enumeration.run();

        assertThat(enumeration.crashes()).isGreaterThan(500);
    }

    @ParameterizedTest
    @EnumSource
    void soDoesEveryCrashOfARecovery(Workload workload) {
        workload.enumeration(1).runWithCrashesInRecovery();
    }

    @ParameterizedTest
    @Tag("sliced")
    @EnumSource
    void soDoesEveryCrashOfTheTransactionsAfterARecovery(Workload workload) {
        // The second has one line of undo, in front of what the crash left of older ones.
        workload.enumeration(2)
                .atOneIn(STRIDE)
                .runAndGoOnWith(
                        new LaneTransaction(1).range(0, 300).filledWith(98),
                        new LaneTransaction(0).range(400, 37).filledWith(99));
    }

    @ParameterizedTest
    @EnumSource
    void noFlushCanBeLeftOut(Workload workload) {
        CrashEnumeration.Costs costs = workload.enumeration(0).costsBeforeTheLast();

        List<Integer> unnoticed =
                unnoticed(
                        costs.flushes(),
                        1,
                        costs.expendableFlushes(),
                        i -> workload.enumeration(1).droppingFlush(i),
                        i -> workload.enumeration(25).droppingFlush(i));

        assertThat(unnoticed).as("flushes of %s that nothing needs", costs).isEmpty();
    }

    @ParameterizedTest
    @Tag("sliced")
    @EnumSource
    void noFenceCanBeLeftOut(Workload workload) {
        CrashEnumeration.Costs costs = workload.enumeration(0).costsBeforeTheLast();

        List<Integer> unnoticed =
                unnoticed(
                        costs.fences(),
                        STRIDE,
                        costs.expendableFences(),
                        i -> workload.enumeration(1).droppingFence(i),
                        i -> workload.enumeration(25).droppingFence(i));

        assertThat(unnoticed).as("fences of %s that nothing needs", costs).isEmpty();
    }

    @Test
    void theChecksumOfARedoLogCannotBeLeftOut() {
        LogChecksums weaker =
                new LogChecksums() {
                    @Override
                    boolean redoLogMatches(long stored, long computed) {
                        return true;
                    }
                };

        assertThat(fails(Workload.REDO.enumeration(20).trusting(weaker))).isTrue();
    }

    @Test
    void theChecksumOfAnUndoEntryCannotBeLeftOut() {
        LogChecksums weaker =
                new LogChecksums() {
                    @Override
                    boolean bufferEntryMatches(long stored, long computed) {
                        return true;
                    }
                };

        assertThat(fails(Workload.UNDO.enumeration(20).trusting(weaker))).isTrue();
    }

    @Test
    void randomTransactionsSurviveEveryCrash() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 4; round++) {
            List<LaneTransaction> transactions = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                transactions.add(LaneTransaction.random(random));
            }
            CrashEnumeration enumeration =
                    new CrashEnumeration(TestImage.LARGE_SLOTS, transactions, random.nextLong(), 2);
            Throwable failure = catchThrowable(enumeration::run);
            assertThat(failure).as("seed %d, round %d", seed, round).isNull();
        }
    }

    /** Most are found with few samples, the others get more before they count as unnoticed. */
    private static List<Integer> unnoticed(
            int count,
            int stride,
            Set<Integer> expendable,
            IntFunction<CrashEnumeration> few,
            IntFunction<CrashEnumeration> many) {
        List<Integer> unnoticed = new ArrayList<>();
        for (int i = 0; i < count; i += stride) {
            if (!expendable.contains(i) && !fails(few.apply(i)) && !fails(many.apply(i))) {
                unnoticed.add(i);
            }
        }
        return unnoticed;
    }

    /** Whether recovery is refused, or gives a wrong state, somewhere in an enumeration. */
    private static boolean fails(CrashEnumeration enumeration) {
        Throwable failure = catchThrowable(enumeration::run);
        if (failure != null && !(failure instanceof FarheapException)) {
            assertThat(failure).isInstanceOf(AssertionError.class);
        }
        return failure != null;
    }
}
