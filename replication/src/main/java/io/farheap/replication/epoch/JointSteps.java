package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.NotReachedException;
import java.util.List;

/**
 * The steps of one switch that all members do at once, each within its time; and what a member's
 * failure means to the switch: its end, or that it goes on without that one.
 */
final class JointSteps {
    /** What is done with one member. */
    @FunctionalInterface
    interface Step {
        /**
         * @param limit of its waits; a member has it already
         */
        void apply(ReplicaTracker copy, Deadline limit) throws InterruptedException;
    }

    private final SwitchMode mode;
    private final StepTimes times;

    JointSteps(SwitchMode mode, StepTimes times) {
        this.mode = mode;
        this.times = times;
    }

    /**
     * Does a step with all at once. Those whose failure is no reason to stop are left out, and the
     * number with them: one that is prepared for it would come back as current
     * (docs/protocol.md#new-number-on-drop).
     *
     * @param taking loses those that are left out
     * @throws LeftOutException when they may know of the new number: it must not be used then
     */
    void withAll(List<ReplicaTracker> taking, Step step)
            throws InterruptedException, LeftOutException {
        Throwable[] failures =
                Parallel.collect(taking.size(), index -> timed(taking.get(index), step));
        for (Throwable failure : failures) {
            if (failure instanceof PoolDeposedException over) {
                throw over;
            }
        }
        boolean numberIsKnown = false;
        for (int i = failures.length - 1; i >= 0; i--) {
            ReplicaTracker copy = taking.get(i);
            if (failures[i] instanceof FarheapException why) {
                boolean without = mode.goesOnWithout(copy, why);
                if (without || mode.poolIsOpen()) {
                    copy.become(AttachDecisions.stateAfter(why), why.getMessage());
                }
                if (without) {
                    numberIsKnown |= !(why instanceof NotReachedException);
                    failures[i] = null;
                    taking.remove(i);
                }
            }
        }
        Parallel.throwFirst(failures);
        if (numberIsKnown) {
            throw new LeftOutException();
        }
    }

    private void timed(ReplicaTracker copy, Step step) throws InterruptedException {
        long begin = System.nanoTime();
        Deadline limit = times.limit(copy);
        if (copy.member() != null) {
            copy.member().within(limit);
        }
        try {
            step.apply(copy, limit);
        } finally {
            times.took(copy, System.nanoTime() - begin);
        }
    }
}
