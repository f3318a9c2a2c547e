package io.farheap.testing;

import io.farheap.ObjectPool;
import io.farheap.base.CheckReport;
import io.farheap.testing.CrashPoint.State;
import io.farheap.testing.CrashPoint.Words;
import io.farheap.testing.CrashSimulation.Unsettled;
import io.farheap.testing.PowerLoss.Effort;
import io.farheap.testing.PowerLoss.Program;
import io.farheap.testing.PowerLoss.Tried;
import io.farheap.testing.support.MemoryPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Cuts the power of one machine again and again, and recovers what that leaves on another one. */
final class LossEnumeration {
    private static final Runnable NOTHING = () -> {};

    /** What is done to the pool of the machine. */
    @FunctionalInterface
    interface Change {
        void run() throws Exception;
    }

    private final CrashSimulation machine;
    private final CrashSimulation restarted;
    private final Effort effort;
    private final Program check;
    private final Random random;

    /** What was durable when it began. */
    private final MemorySegment base;

    private final Set<Long> seen = new HashSet<>();
    private Words durable;
    private int durableAt = -1;
    private boolean isFirst = true;
    private int moments;
    private int states;
    private PowerLossError failure;

    LossEnumeration(CrashSimulation machine, Effort effort, Program check) {
        this.machine = machine;
        this.effort = effort;
        this.check = check;
        random = new Random(effort.seed());
        base = Arena.ofAuto().allocate(effort.poolBytes(), 64).copyFrom(machine.durable());
        restarted = new CrashSimulation(effort.poolBytes());
    }

    /** Runs the change; each moment of it is one to lose power at. */
    void during(Change change) throws Exception {
        machine.beforeEachStep(() -> losePower(machine.unsettled(), "before a flush or fence"));
        machine.afterEachStore(() -> losePower(machine.knownUnsettled(), "after a store"));
        try {
            change.run();
        } finally {
            machine.beforeEachStep(NOTHING);
            machine.afterEachStore(NOTHING);
        }
    }

    /** The change has returned: states that were seen before it had may be wrong now. */
    void after(Program returned) {
        Set<Long> before = new HashSet<>(seen);
        seen.clear();
        Program both =
                pool -> {
                    returned.run(pool);
                    check.run(pool);
                };
        losePower(machine.unsettled(), "once the change had returned", both);
        before.retainAll(seen);
        states -= before.size();
    }

    Tried tried() {
        if (failure != null) {
            throw failure;
        }
        return new Tried(moments, states);
    }

    private void losePower(List<Unsettled> words, String moment) {
        losePower(words, moment, check);
    }

    private synchronized void losePower(List<Unsettled> words, String moment, Program judge) {
        int number = moments++;
        if (failure != null) {
            return;
        }
        if (durableAt != machine.fences()) {
            durable = CrashPoint.difference(machine, base);
            durableAt = machine.fences();
        }
        CrashPoint point = new CrashPoint(base, durable, words);
        CrashChoices.of(
                words,
                effort.combinations(),
                effort.samples(),
                random,
                choice -> {
                    long hash = point.hash(choice);
                    if (failure == null && seen.add(hash)) {
                        states++;
                        recover(point.state(choice, hash), number + ", " + moment, judge);
                    }
                });
    }

    private void recover(State state, String moment, Program judge) {
        restarted.restore(base, isFirst);
        isFirst = false;
        state.restore(restarted);
        try (ObjectPool pool = MemoryPool.open(restarted.memory())) {
            CheckReport report = pool.check();
            if (!report.isConsistent()) {
                throw new AssertionError(
                        "the recovered pool is not consistent: " + report.inconsistencies());
            }
            judge.run(pool);
        } catch (Exception | Error e) {
            failure =
                    new PowerLossError(
                            "A power loss at moment "
                                    + moment
                                    + " (seed "
                                    + effort.seed()
                                    + ") leaves a state that does not pass: "
                                    + e.getMessage(),
                            e);
        }
        boolean unused = restarted.lookForStores(); // the check's own, or the next one finds them
    }
}
