package io.farheap.simulation;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.simulation.agent.SimulatedTarget.Condition;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.World;

/**
 * An operator promotes a replica, as often as it takes; then its new owner opens it and commits, on
 * the target's machine and as often as that takes.
 */
final class Promotion {
    private static final long MILLI = 1_000_000;
    private static final long PAUSE = 300 * MILLI;

    private final World world;
    private final Site site;
    private final Ledger ledger;
    private final int index;
    private final Runnable onOpen;
    private boolean over;
    private boolean done;
    private boolean owned;

    /**
     * @param index the replica
     * @param onOpen looks at the promoted pool when it is open
     */
    Promotion(World world, Site site, Ledger ledger, int index, Runnable onOpen) {
        this.world = world;
        this.site = site;
        this.ledger = ledger;
        this.index = index;
        this.onOpen = onOpen;
    }

    int index() {
        return index;
    }

    /** Whether the replica was promoted, or can't be. */
    boolean isOver() {
        return over;
    }

    /** Whether it was promoted, and the operator knows. */
    boolean isDone() {
        return done;
    }

    /** Whether the new owner has done what it wanted. */
    boolean isOwned() {
        return owned;
    }

    /**
     * Begins.
     *
     * @param then when it was promoted
     */
    void start(Runnable then) {
        SimProcess operator = new SimProcess(world, site.initiator(1), "operator");
        Thread unused =
                operator.start(
                        "main",
                        () -> {
                            while (!over) {
                                over = attempt();
                            }
                            if (done) {
                                world.count(Happening.PROMOTED);
                                then.run();
                                own();
                            }
                            operator.kill();
                            SimProcess.vanish();
                        });
    }

    private boolean attempt() {
        try {
            site.promote(index);
            done = true;
            return true;
        } catch (RefusedException e) {
            world.note("not promoted: " + e.getMessage());
            boolean absent = e.code() == Reply.Code.WRONG_STATE || e.code() == Reply.Code.NOT_FOUND;
            if (absent && site.targetDisk(index).condition() == Condition.GOOD) {
                return true;
            }
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.REPLICA) {
                throw e;
            }
            world.note("not promoted yet: " + e.getMessage());
        }
        SimTime.parkNanos(PAUSE);
        return false;
    }

    /** The new owner's program, started again until it comes to its end. */
    private void own() {
        if (!site.target(index).isUp()) {
            var unused = world.after(PAUSE, this::own);
            return;
        }
        SimProcess owner = new SimProcess(world, site.target(index), "owner");
        owner.atDeath(
                () -> {
                    if (!owned) {
                        var unused = world.after(PAUSE, this::own);
                    }
                });
        Thread unused =
                owner.start(
                        "main",
                        () -> {
                            NativeProgram.commitOnce(
                                    site.openPromoted(index), ledger, ledger::adopt, onOpen);
                            owned = true;
                            owner.kill();
                            SimProcess.vanish();
                        });
    }
}
