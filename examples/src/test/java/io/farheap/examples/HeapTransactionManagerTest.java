package io.farheap.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;
import io.farheap.examples.Bank.Ledger;
import io.farheap.objects.PersistentHeap;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.InvalidTimeoutException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSuspensionNotSupportedException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

class HeapTransactionManagerTest {
    private final PersistentHeap<Ledger> heap = PersistentHeap.inMemory(Ledger.class);
    private final Bank bank = new Bank(heap);
    private final HeapTransactionManager manager = new HeapTransactionManager(heap);
    private final TransactionTemplate transactions = new TransactionTemplate(manager);

    @AfterEach
    void close() {
        heap.close(); // refuses while one is under way
    }

    @Test
    void whatIsDoneInsideIsOneTransaction() {
        transactions.executeWithoutResult(
                status -> {
                    bank.deposit("Ada", 100);
                    bank.deposit("Bob", 5);
                    bank.transfer("Ada", "Bob", 30, "rent");
                    assertThat(balance("Bob")).isEqualTo(35);
                    assertThat(accountsSeenByAnotherThread()).isZero();
                });

        assertThat(balance("Ada")).isEqualTo(70);
        assertThat(accountsSeenByAnotherThread()).isEqualTo(2);
    }

    @Test
    void anExceptionRollsBackAndTravelsOn() {
        bank.deposit("Ada", 100);
        List<String> after = new ArrayList<>();

        assertThatThrownBy(
                        () ->
                                transactions.executeWithoutResult(
                                        status -> {
                                            heap.afterCommit(() -> after.add("committed"));
                                            bank.deposit("Bob", 5);
                                            bank.transfer("Bob", "Ada", 6, "too much");
                                        }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Only 5 left; not 6");

        assertThat(heap.root().accounts()).containsOnlyKeys("Ada");
        assertThat(balance("Ada")).isEqualTo(100);
        assertThat(after).isEmpty();
    }

    @Test
    void oneThatIsMarkedIsRolledBack() {
        transactions.executeWithoutResult(
                status -> {
                    bank.deposit("Ada", 100);
                    status.setRollbackOnly();
                });

        assertThat(heap.root().accounts()).isEmpty();
    }

    @Test
    void anInnerOneJoinsAndTakesTheOuterWithItWhenItFails() {
        transactions.executeWithoutResult(
                outer -> {
                    bank.deposit("Ada", 100);
                    transactions.executeWithoutResult(inner -> bank.deposit("Bob", 5));
                    assertThat(balance("Bob")).isEqualTo(5);
                });
        assertThat(heap.root().accounts()).hasSize(2);

        assertThatThrownBy(
                        () ->
                                transactions.executeWithoutResult(
                                        outer -> {
                                            bank.deposit("Cid", 1);
                                            assertThatThrownBy(this::failInside)
                                                    .isInstanceOf(IllegalStateException.class);
                                        }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(heap.root().accounts()).containsOnlyKeys("Ada", "Bob");
        assertThat(balance("Bob")).isEqualTo(5);
    }

    private void failInside() {
        transactions.executeWithoutResult(inner -> bank.transfer("Bob", "Ada", 6, "too much"));
    }

    @Test
    void aConflictIsSpringsAndNothingRemains() {
        bank.deposit("Ada", 100);

        assertThatThrownBy(
                        () ->
                                transactions.executeWithoutResult(
                                        status -> {
                                            bank.deposit("Ada", 1);
                                            inAnotherThread(() -> bank.deposit("Ada", 10));
                                        }))
                .isInstanceOf(OptimisticLockingFailureException.class)
                .hasCauseInstanceOf(TransactionConflictException.class);

        assertThat(balance("Ada")).isEqualTo(110);
    }

    @Test
    void whatItCannotDoItRefuses() {
        TransactionTemplate separate = new TransactionTemplate(manager);
        separate.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        TransactionTemplate timed = new TransactionTemplate(manager);
        timed.setTimeout(1);

        assertThatThrownBy(() -> timed.executeWithoutResult(status -> {}))
                .isInstanceOf(InvalidTimeoutException.class);
        assertThatThrownBy(
                        () ->
                                transactions.executeWithoutResult(
                                        outer -> separate.executeWithoutResult(inner -> {})))
                .isInstanceOf(TransactionSuspensionNotSupportedException.class);
        assertThatThrownBy(
                        () ->
                                heap.transaction(
                                        ledger -> transactions.executeWithoutResult(s -> {})))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("is under way");
    }

    private long balance(String owner) {
        return heap.root().accounts().get(owner).balance();
    }

    private int accountsSeenByAnotherThread() {
        int[] seen = new int[1];
        inAnotherThread(() -> seen[0] = heap.root().accounts().size());
        return seen[0];
    }

    private static void inAnotherThread(Runnable action) {
        try {
            Thread thread = Thread.ofPlatform().start(action);
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
