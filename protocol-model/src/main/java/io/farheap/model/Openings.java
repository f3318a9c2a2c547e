package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.World.Committer;
import java.util.Arrays;

/** The program is started: recovery, and with whom the switch begins. */
final class Openings {
    private static final String NO_BOUNDARY = "local recovery gives no commit boundary";

    private final Step step;

    Openings(Step step) {
        this.step = step;
    }

    void events(World world) {
        if (world.phase == World.DOWN && world.number != 0) {
            World after = step.from(world);
            after.phase = World.RECOVERING;
            after.recoverLanes();
            step.then("open: recovery stores, nothing flushed", 0, after);
        }
        if (world.phase == World.RECOVERING) {
            recovered(world);
        }
    }

    private void recovered(World world) {
        World done = step.from(world);
        System.arraycopy(world.seen, 0, done.medium, 0, World.WORDS);
        for (Committer committer : done.committers) {
            if (committer.lane == Committer.UNDO) {
                done.history.rolledBack |= ObservedHistory.bit(committer.transaction);
            }
            committer.reset();
        }
        done.history.rollBackUndecided();
        String why = Arrays.equals(done.medium, done.history.image) ? null : NO_BOUNDARY;
        int all = step.bounds.all();
        for (int some = step.bounds.degrade() ? 0 : all; some <= all; some++) {
            if (some == all) {
                World after = step.from(done);
                step.beginSwitch(after, some, false);
                step.judged("recovered: hello to all", some, after, why);
            } else if (world.left[Fault.UNREACHABLE.ordinal()] > 0) {
                World after = step.from(done);
                after.left[Fault.UNREACHABLE.ordinal()]--;
                step.beginSwitch(after, some, false);
                step.judged("recovered: hello to those reached", some, after, why);
            }
        }
    }
}
