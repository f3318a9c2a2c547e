package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransactionHandleTest {
    @Persistent
    interface Sum {
        long value();

        void value(long value);

        String text();

        void text(String value);

        PersistentList<String> texts();
    }

    private final PersistentHeap<Sum> heap = PersistentHeap.inMemory(Sum.class);

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void whatItsThreadDoesJoinsItUntilItIsCommitted() throws InterruptedException {
        try (TransactionHandle transaction = heap.begin()) {
            heap.root().value(1);
            heap.transaction(sum -> sum.value(sum.value() + 1));
            assertThat(heap.root().value()).isEqualTo(2);
            inAnotherThread(() -> assertThat(heap.root().value()).isZero());
            transaction.commit();
        }

        inAnotherThread(() -> assertThat(heap.root().value()).isEqualTo(2));
    }

    @Test
    void oneThatIsNotCommittedIsRolledBack() {
        try (TransactionHandle transaction = heap.begin()) {
            heap.root().value(1);
            transaction.rollback();
            assertThat(heap.root().value()).isZero();
        }
        try (TransactionHandle transaction = heap.begin()) {
            assertThat(transaction).isNotNull();
            heap.root().value(1);
        }

        assertThat(heap.root().value()).isZero();
    }

    @Test
    void aConflictIsTheCallers() throws InterruptedException {
        try (TransactionHandle transaction = heap.begin()) {
            heap.root().value(heap.root().value() + 1);
            inAnotherThread(() -> heap.root().value(10));
            assertThatThrownBy(transaction::commit)
                    .isInstanceOf(TransactionConflictException.class);
        }

        assertThat(heap.root().value()).isEqualTo(10);
    }

    /** Both free the old text: once the other one has, its place is given out to new ones. */
    @Test
    void aConflictIsNoOtherFailureWhereWhatItFreedIsUsedAgain() throws InterruptedException {
        String large = "x".repeat(300_000); // chunks of its own, which are used again at once
        heap.root().text(large);
        PersistentList<String> texts = heap.root().texts(); // which conflicts with nothing
        try (TransactionHandle transaction = heap.begin()) {
            heap.root().text(large + 1);
            inAnotherThread(() -> heap.root().text("other"));
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 30; i++) {
                                    texts.add(large);
                                    assertThat(texts.getLast()).isNotEmpty();
                                }
                                transaction.commit();
                            })
                    .isInstanceOf(TransactionConflictException.class);
        }

        assertThat(heap.root().text()).isEqualTo("other");
    }

    @Test
    void aSecondOneAndASecondEndAreRefused() {
        TransactionHandle transaction = heap.begin();
        assertThatThrownBy(heap::begin)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("is under way");
        transaction.commit();

        assertThatThrownBy(transaction::rollback)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("has ended");
    }

    private static void inAnotherThread(Runnable action) throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        Thread thread = Thread.ofPlatform().unstarted(action);
        thread.setUncaughtExceptionHandler((dead, thrown) -> failure[0] = thrown);
        thread.start();
        thread.join();
        assertThat(failure[0]).isNull();
    }
}
