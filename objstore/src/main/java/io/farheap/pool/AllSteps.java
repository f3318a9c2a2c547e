package io.farheap.pool;

/** Steps of which each is done whatever becomes of the others: what failed first is thrown last. */
final class AllSteps {
    private RuntimeException first;

    void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            if (first == null) {
                first = e;
            } else {
                first.addSuppressed(e);
            }
        }
    }

    /** What failed first; null: nothing. */
    RuntimeException failure() {
        return first;
    }

    /** Throws what has failed first, with the rest as suppressed. */
    void end() {
        if (first != null) {
            throw first;
        }
    }
}
