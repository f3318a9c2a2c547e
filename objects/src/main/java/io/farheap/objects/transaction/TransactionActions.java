package io.farheap.objects.transaction;

import java.util.ArrayList;
import java.util.List;

/**
 * What is to be done beside the pool once a transaction has ended, one way or the other. Used again
 * by its thread; not thread-safe.
 */
final class TransactionActions {
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> onAbort = new ArrayList<>();

    /** Forgets all of them. */
    void clear() {
        afterCommit.clear();
        onAbort.clear();
    }

    void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    void onAbort(Runnable action) {
        onAbort.add(action);
    }

    /** Nothing of the transaction remains: the last action first. */
    void runOnAbort() {
        onAbort.reversed().forEach(Runnable::run);
    }

    /** Runs all actions, whatever one of them throws; the first exception travels on. */
    void runAfterCommit() {
        if (afterCommit.isEmpty()) {
            return;
        }
        Throwable first = null;
        for (Runnable action : List.copyOf(afterCommit)) {
            try {
                action.run();
            } catch (Throwable failure) { // checked ones, too: actions of other languages
                if (first == null) {
                    first = failure;
                } else if (failure != first) {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw TransactionActions.<RuntimeException>asUnchecked(first);
        }
    }

    /** Whatever it is: an exception that is not declared travels on as it is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E asUnchecked(Throwable failure) throws E {
        throw (E) failure;
    }
}
