package io.farheap.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.SnapshotOption;
import io.farheap.testing.PowerLoss.Tried;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a power loss leaves is found, whatever mistake of the program it comes from. */
class PowerLossTest {
    private static final int WORDS = 4;

    private static void makeRoot(ObjectPool pool) {
        Ref unused = pool.root(WORDS * Long.BYTES);
    }

    private static void set(ObjectPool pool, int word, long value) {
        pool.setLong(pool.root(), (long) word * Long.BYTES, value);
    }

    private static long get(ObjectPool pool, int word) {
        return pool.getLong(pool.root(), (long) word * Long.BYTES);
    }

    private static void setAll(ObjectPool pool, long value) {
        pool.transaction(
                tx -> {
                    for (int word = 0; word < WORDS; word++) {
                        tx.setLong(tx.root(), (long) word * Long.BYTES, value);
                    }
                });
    }

    /** Stores in place, as far as a snapshot of that kind lets a crash see it. */
    private static void storeAll(ObjectPool pool, SnapshotOption option) {
        pool.transaction(
                tx -> {
                    MemorySegment words = tx.snapshot(tx.root(), 0, WORDS * Long.BYTES, option);
                    for (int word = 0; word < WORDS; word++) {
                        words.set(ValueLayout.JAVA_LONG, (long) word * Long.BYTES, 7);
                    }
                });
    }

    /** Leaves stores that nobody ever flushes. */
    private static void storeAndAbort(ObjectPool pool, long value) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.snapshot(
                                                            tx.root(),
                                                            0,
                                                            Long.BYTES,
                                                            SnapshotOption.NO_SNAPSHOT)
                                                    .set(ValueLayout.JAVA_LONG, 0, value);
                                            throw tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
        assertThat(get(pool, 0)).isEqualTo(value);
    }

    private static void areAlike(ObjectPool pool) {
        for (int word = 1; word < WORDS; word++) {
            assertThat(get(pool, word)).isEqualTo(get(pool, 0));
        }
    }

    @Test
    void aTransactionIsWholeOrNot() throws Exception {
        Set<Long> found = new HashSet<>();

        Tried tried =
                PowerLoss.during(pool -> setAll(pool, 7))
                        .startingWith(PowerLossTest::makeRoot)
                        .onceReturned(pool -> assertThat(get(pool, 0)).isEqualTo(7))
                        .check(
                                pool -> {
                                    areAlike(pool);
                                    boolean unused = found.add(get(pool, 0));
                                });

        assertThat(found).containsExactlyInAnyOrder(0L, 7L);
        assertThat(tried.moments()).isGreaterThan(10);
        assertThat(tried.states()).isGreaterThan(tried.moments());
    }

    @Test
    void twoTransactionsMayBeTornApart() {
        PowerLoss losses =
                PowerLoss.during(
                                pool -> {
                                    set(pool, 0, 7);
                                    set(pool, 1, 7);
                                    set(pool, 2, 7);
                                    set(pool, 3, 7);
                                })
                        .startingWith(PowerLossTest::makeRoot);

        assertThatThrownBy(() -> losses.check(PowerLossTest::areAlike))
                .isInstanceOf(PowerLossError.class)
                .hasMessageContaining("moment ")
                .hasMessageContaining("seed 1")
                .satisfies(
                        error ->
                                assertThat(error.getCause().getStackTrace())
                                        .as("goes on to the change")
                                        .anyMatch(
                                                frame ->
                                                        frame.getMethodName()
                                                                .contains(
                                                                        "twoTransactionsMayBeTorn")));
    }

    @Test
    void storesThatNobodyTakesBackAreSeen() {
        PowerLoss losses =
                PowerLoss.during(pool -> storeAll(pool, SnapshotOption.NO_SNAPSHOT))
                        .startingWith(PowerLossTest::makeRoot);

        assertThatThrownBy(() -> losses.check(PowerLossTest::areAlike))
                .isInstanceOf(PowerLossError.class);
    }

    @Test
    void whatIsNotWrittenBackIsMissedOnceTheChangeHasReturned() {
        PowerLoss losses =
                PowerLoss.during(pool -> storeAll(pool, SnapshotOption.NO_FLUSH))
                        .startingWith(PowerLossTest::makeRoot)
                        .onceReturned(pool -> assertThat(get(pool, 0)).isEqualTo(7));

        assertThatThrownBy(() -> losses.check(pool -> {}))
                .isInstanceOf(PowerLossError.class)
                .hasMessageContaining("once the change had returned");
    }

    @Test
    void whatACheckChangesTheNextOneDoesNotFind() throws Exception {
        Tried tried =
                PowerLoss.during(pool -> setAll(pool, 7))
                        .startingWith(PowerLossTest::makeRoot)
                        .check(
                                pool -> {
                                    assertThat(get(pool, 0)).isIn(0L, 7L);
                                    storeAndAbort(pool, 8);
                                });

        assertThat(tried.states()).isGreaterThan(10);
    }

    @Test
    void theSameSettingsTryTheSame() throws Exception {
        PowerLoss losses =
                PowerLoss.during(pool -> setAll(pool, 7))
                        .startingWith(PowerLossTest::makeRoot)
                        .effort(2, 3)
                        .seed(5);

        assertThat(losses.check(PowerLossTest::areAlike))
                .isEqualTo(losses.check(PowerLossTest::areAlike))
                .isNotEqualTo(losses.effort(64, 3).check(PowerLossTest::areAlike));
    }

    @Test
    void aLargerPoolHasMoreRoom() throws Exception {
        Tried tried =
                PowerLoss.during(pool -> pool.transaction(tx -> tx.allocate(9 << 20, 1)))
                        .poolSize(16 << 20)
                        .effort(1, 1)
                        .check(pool -> {});

        assertThat(tried.states()).isPositive();
    }

    @Test
    void whatTheChangeThrowsIsThrown() {
        PowerLoss losses =
                PowerLoss.during(
                        pool -> {
                            throw new IOException("no network");
                        });

        assertThatThrownBy(() -> losses.check(pool -> {})).isInstanceOf(IOException.class);
    }
}
