package io.farheap.examples;

import io.farheap.base.TransactionConflictException;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.TransactionHandle;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.InvalidTimeoutException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.SmartTransactionObject;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Spring's transactions, {@code @Transactional} and {@code TransactionTemplate}, over a heap.
 * Whatever a thread does with the heap inside of one is part of it; they are serialisable whatever
 * isolation is asked for.
 *
 * <p>Spring runs nothing again: a conflict is an {@link OptimisticLockingFailureException}, and a
 * retry goes around the transaction. A transaction can't be suspended, so REQUIRES_NEW and
 * NOT_SUPPORTED inside of one are refused; so are timeouts. Actions given to {@code
 * heap.afterCommit} must not throw: Spring would take that for a commit that failed.
 */
final class HeapTransactionManager extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;

    private final transient PersistentHeap<?> heap;

    HeapTransactionManager(PersistentHeap<?> heap) {
        this.heap = heap;
    }

    /** What Spring holds for one scope; those that join hold the same handle and mark. */
    private static final class Scope implements SmartTransactionObject {
        private Open open;

        @Override
        public boolean isRollbackOnly() {
            return open != null && open.rollbackOnly;
        }
    }

    /** The transaction of a thread. */
    private static final class Open {
        private final TransactionHandle handle;
        private boolean rollbackOnly;

        private Open(TransactionHandle handle) {
            this.handle = handle;
        }
    }

    @Override
    protected Object doGetTransaction() {
        Scope scope = new Scope();
        scope.open = (Open) TransactionSynchronizationManager.getResource(heap);
        return scope;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return ((Scope) transaction).open != null;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        if (definition.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT) {
            throw new InvalidTimeoutException(
                    "A transaction of the heap has no timeout", definition.getTimeout());
        }
        Scope scope = (Scope) transaction;
        scope.open = new Open(heap.begin());
        TransactionSynchronizationManager.bindResource(heap, scope.open);
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        ((Scope) status.getTransaction()).open.rollbackOnly = true;
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        try {
            ((Scope) status.getTransaction()).open.handle.commit();
        } catch (TransactionConflictException e) {
            throw new OptimisticLockingFailureException(e.getMessage(), e);
        }
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        // Of a commit that failed, too: that one has ended, and close() leaves it.
        ((Scope) status.getTransaction()).open.handle.close();
    }

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        TransactionSynchronizationManager.unbindResource(heap);
    }
}
