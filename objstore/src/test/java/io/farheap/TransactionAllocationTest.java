package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Objects and the root come, move and go with their transaction. */
class TransactionAllocationTest extends TransactionFixture {
    // ---- allocation ----

    @Test
    void zeroedObjectsAreZeroOverTheirUsableSize() {
        Ref dirty = account(1);
        pool.transaction(
                tx -> {
                    tx.writeBytes(dirty, 0, new byte[] {-1, -1, -1, -1});
                    tx.free(dirty);
                });
        for (int i = 0; i < 50; i++) {
            Ref object = pool.compute(tx -> tx.allocateZeroed(50, TYPE));
            int size = (int) pool.usableSize(object);
            assertThat(pool.readBytes(object, 0, size)).containsOnly(0);
        }
    }

    @Test
    void reallocatingKeepsTheContentAndTheOwnWrites() {
        Ref object = account(1);
        Ref moved =
                pool.compute(
                        tx -> {
                            tx.setLong(object, 8, 2);
                            Ref larger = tx.reallocateZeroed(object, 5000, TYPE + 1);
                            tx.setLong(larger, 4000, 3);
                            return larger;
                        });

        assertThat(pool.getLong(moved, 0)).isEqualTo(1);
        assertThat(pool.getLong(moved, 8)).isEqualTo(2);
        assertThat(pool.getLong(moved, 4000)).isEqualTo(3);
        assertThat(pool.readBytes(moved, 112, 3000)).containsOnly(0);
        assertThat(pool.typeNumber(moved)).isEqualTo(TYPE + 1);
        assertThat(list(pool.objects())).containsExactly(moved);
    }

    @Test
    void reallocatingNothingAllocatesAndToNothingFrees() {
        Ref object = pool.compute(tx -> tx.reallocate(Ref.NULL, 64, TYPE));
        assertThat(list(pool.objects())).containsExactly(object);

        Ref gone = pool.compute(tx -> tx.reallocate(object, 0, TYPE));
        assertThat(gone).isEqualTo(Ref.NULL);
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void aFreedObjectIsAnErrorFromThenOn() {
        Ref object = account(1);

        pool.transaction(
                tx -> {
                    tx.setFailureBehavior(FailureBehavior.RETURN);
                    tx.free(object);
                    assertWrongUse(() -> tx.getLong(object, 0), "freed earlier");
                    assertWrongUse(() -> tx.setLong(object, 0, 1), "freed earlier");
                    assertWrongUse(() -> tx.snapshot(object, 0, 1), "freed earlier");
                    assertWrongUse(() -> tx.free(object), "freed earlier");
                    assertWrongUse(() -> tx.usableSize(object), "freed earlier");
                    Ref fresh = tx.allocate(64, TYPE);
                    tx.free(fresh);
                    assertWrongUse(() -> tx.setLong(fresh, 0, 1), "freed earlier");
                });

        assertWrongUse(() -> pool.getLong(object, 0));
        assertWrongUse(() -> pool.setLong(object, 0, 1));
        assertWrongUse(() -> pool.transaction(tx -> tx.free(object)));
    }

    @Test
    void anAbortedFreeDidNotHappen() {
        Ref object = account(1);

        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.free(object);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.getLong(object, 0)).isEqualTo(1);
        pool.transaction(tx -> tx.free(object));
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void impossibleSizesAreRefused() {
        assertWrongUse(() -> pool.transaction(tx -> tx.allocate(0, TYPE)), "at least 1 byte");
        assertWrongUse(() -> pool.transaction(tx -> tx.allocate(-1, TYPE)), "at least 1 byte");
        Throwable full = catchThrowable(() -> pool.transaction(tx -> tx.allocate(1 << 30, TYPE)));
        assertThat(full).isInstanceOf(FarheapException.class);
        assertThat(((FarheapException) full).category()).isEqualTo(Category.ENVIRONMENT);
    }

    @Test
    void manyAllocationsInOneTransaction() {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 3000; i++) {
                        Ref object = tx.allocate(64, i % 3);
                        tx.setLong(object, 0, i);
                    }
                });
        assertThat(list(pool.objects())).hasSize(3000);
        assertThat(list(pool.objects(1))).hasSize(1000);

        pool.transaction(tx -> tx.objects(1).forEach(tx::free));

        assertThat(list(pool.objects())).hasSize(2000);
        assertThat(list(pool.objects(1))).isEmpty();
        reopen();
        assertThat(list(pool.objects())).hasSize(2000);
    }

    // ---- root ----

    @Test
    void theRootGrowsKeepsItsContentAndIsNoObjectOfIteration() {
        assertThat(pool.root()).isEqualTo(Ref.NULL);
        assertWrongUse(() -> pool.root(0), "no root");
        Ref small = pool.root(64);
        assertThat(pool.root(10)).isEqualTo(small);
        pool.setLong(small, 0, 5);

        Ref large = pool.root(10_000);

        assertThat(pool.rootSize()).isEqualTo(10_000);
        assertThat(pool.getLong(large, 0)).isEqualTo(5);
        assertThat(pool.readBytes(large, 8, 9_000)).containsOnly(0);
        assertWrongUse(() -> pool.getLong(small, 0));
        assertWrongUse(() -> pool.transaction(tx -> tx.free(large)), "root");
        assertThat(list(pool.objects())).isEmpty();
        reopen();
        assertThat(pool.root(0)).isEqualTo(large);
        assertThat(pool.getLong(large, 0)).isEqualTo(5);
    }

    @Test
    void theRootMadeInATransactionIsUndoneWithIt() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            Ref root = pool.root(64);
                                            tx.setLong(root, 0, 1);
                                            Ref grown = pool.root(500);
                                            assertThat(tx.root()).isEqualTo(grown);
                                            assertThat(tx.getLong(grown, 0)).isEqualTo(1);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.root()).isEqualTo(Ref.NULL);
        assertThat(pool.rootSize()).isZero();
    }

    @Test
    void theRootIsMadeOnceByManyThreads() throws InterruptedException {
        List<Ref> roots = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Ref root = pool.root(64);
                                        synchronized (roots) {
                                            roots.add(root);
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(roots).hasSize(4).containsOnly(pool.root());
    }
}
