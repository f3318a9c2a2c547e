package io.farheap.model;

import io.farheap.model.World.Link;

/** Records on their way, and what an agent does with them. */
final class Streams {
    private final Step step;

    Streams(Step step) {
        this.step = step;
    }

    void events(World world) {
        for (int r = 0; r < world.replicas; r++) {
            boolean member =
                    world.isInRun()
                            && world.phase != World.SWITCHING
                            && World.has(world.members, r);
            arrivals(world, r, member);
            if (member && world.links[r].connected != 0) {
                answers(world, r);
            }
            apply(world, r);
            if (world.phase == World.RUNNING
                    && World.has(world.members, r)
                    && world.links[r].connected == 0) {
                reconnect(world, r);
            }
        }
    }

    private void arrivals(World world, int r, boolean member) {
        Target target = world.targets[r];
        Link link = world.links[r];
        if (member && link.connected != 0 && link.sent < world.lastRecord) {
            World after = step.from(world);
            int sequence = ++after.links[r].sent;
            after.targets[r]
                    .arrivedAt(sequence)
                    .set(world.epoch, sequence, world.staged[sequence - 1]);
            step.then("a record arrives", r, after);
        }
        if (target.latePlace != 0 && target.state != Target.PROMOTED) {
            World after = step.from(world);
            after.targets[r].arrived[target.latePlace - 1].copy(target.late);
            after.targets[r].endOldConnection();
            step.then("a late record of a dead connection arrives", r, after);
        }
        if (!target.isJournalFlushed()) {
            World after = step.from(world);
            after.targets[r].flushJournal();
            step.then("durability point: the journal is flushed", r, after);
        }
    }

    private void answers(World world, int r) {
        Target target = world.targets[r];
        Link link = world.links[r];
        if (world.phase != World.RUNNING
                && world.phase != World.JOINING
                && step.holds(Rule.FREEZE_ANSWERS)) {
            return;
        }
        int durable =
                Math.max(link.durable, target.journalEpoch == world.epoch ? target.applied : 0);
        while (durable < link.sent
                && target.journal[durable % World.SLOTS].epoch == world.epoch
                && target.journal[durable % World.SLOTS].sequence == durable + 1) {
            durable++;
        }
        int applied = step.holds(Rule.FREE_ONLY_APPLIED) ? target.applied : target.appliedStored;
        if (durable != link.durable || applied != link.applied) {
            World after = step.from(world);
            after.links[r].durable = durable;
            after.links[r].applied = applied;
            step.then("answer: durable, applied", r, after);
        }
        int watermark = world.committedUpTo();
        if (watermark > target.watermark && target.journalEpoch == world.epoch) {
            World after = step.from(world);
            after.targets[r].watermark = watermark;
            step.then("the watermark arrives", r, after);
        }
    }

    private void apply(World world, int r) {
        Target target = world.targets[r];
        if (target.state != Target.INSYNC) {
            return;
        }
        int most = step.holds(Rule.COMMITTED_ONLY) ? target.watermark : step.lastValid(target);
        if ((target.next == 0 || !step.holds(Rule.APPLY_STOPS))
                && target.appliedStored < most
                && target.appliedStored < target.applied + World.SLOTS
                && step.isValid(target, target.appliedStored + 1)) {
            World after = step.from(world);
            Target changed = after.targets[r];
            int transaction = target.arrivedAt(target.appliedStored + 1).transaction;
            World.apply(transaction, changed.stored);
            changed.appliedStored++;
            changed.contained |= ObservedHistory.bit(transaction);
            boolean committed = (world.history.committed & ObservedHistory.bit(transaction)) != 0;
            step.judged(
                    "apply",
                    r,
                    after,
                    committed ? null : "an agent applies a record that is not committed");
        }
        if (target.applied != target.appliedStored) {
            World after = step.from(world);
            after.targets[r].applied = target.appliedStored;
            if (step.holds(Rule.IMAGE_BEFORE_APPLIED)) {
                after.targets[r].flushImage();
            }
            step.then("flush the image, the slot says applied", r, after);
        }
    }

    private void reconnect(World world, int r) {
        Target target = world.targets[r];
        if (target.state == Target.PROMOTED || target.foreign != 0) {
            World after = step.from(world);
            after.phase = World.REFUSED;
            step.then("reconnect refused: promoted or taken", r, after);
        } else if (target.state == Target.INSYNC
                && target.cur == world.epoch
                && target.next == 0
                && target.journalEpoch == world.epoch) {
            World after = step.from(world);
            if (step.holds(Rule.END_OLD_CONNECTION)) {
                after.targets[r].endOldConnection();
            }
            if (step.holds(Rule.FLUSH_BEFORE_REPORT)) {
                after.targets[r].flushJournal();
            }
            int last = step.lastValid(target);
            Link link = after.links[r];
            link.connected = 1;
            link.sent = last;
            link.durable = Math.max(last, link.durable);
            link.applied = target.applied;
            step.then("reconnect, go on behind the last valid record", r, after);
        }
    }

    /** A stream at rest: what a replica has, tail included, is what is committed. */
    void judge(World world) {
        if (world.phase != World.RUNNING
                || world.isAnyBetween(World.Committer.CLAIMED, World.Committer.REDONE)) {
            return;
        }
        for (int r = 0; r < world.replicas; r++) {
            Target target = world.targets[r];
            Link link = world.links[r];
            if (World.has(world.members, r)
                    && link.connected != 0
                    && link.sent == world.lastRecord
                    && target.state == Target.INSYNC) {
                World drained = step.from(world);
                int[] image = drained.targets[r].stored;
                int last = step.lastValid(target);
                for (int sequence = target.applied + 1; sequence <= last; sequence++) {
                    World.apply(target.arrivedAt(sequence).transaction, image);
                }
                if (!java.util.Arrays.equals(image, world.history.image)) {
                    step.wrong("(at rest)", r, world, "a drained replica differs from the pool");
                }
            }
        }
    }
}
