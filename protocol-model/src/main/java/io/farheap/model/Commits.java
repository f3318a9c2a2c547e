package io.farheap.model;

import io.farheap.model.World.Committer;
import io.farheap.model.World.Link;

/** The steps of a commit: docs/protocol.md#a-commit. */
final class Commits {
    private final Step step;

    Commits(Step step) {
        this.step = step;
    }

    void events(World world) {
        if (!world.isInRun()) {
            return;
        }
        for (int i = 0; i < step.bounds.threads(); i++) {
            switch (world.committers[i].at) {
                case Committer.IDLE -> begin(world, i);
                case Committer.OPEN -> open(world, i);
                case Committer.CLAIMED -> flush(world, i);
                case Committer.FLUSHED -> await(world, i);
                case Committer.BUMPED -> fence(world, i);
                case Committer.COMMITTED -> redo(world, i);
                default -> acknowledge(world, i);
            }
        }
    }

    private void begin(World world, int i) {
        Committer before = world.committers[i];
        if (before.begun == step.bounds.transactions()) {
            return;
        }
        int transaction = 1 + 2 * i + before.begun;
        int locked = 0;
        for (Committer other : world.committers) {
            if (other.at != Committer.IDLE) {
                locked |= World.footprint(other.transaction) & 3;
            }
        }
        if ((locked & World.footprint(transaction)) != 0) {
            return;
        }
        World after = step.from(world);
        Committer committer = after.committers[i];
        committer.begun++;
        committer.transaction = transaction;
        committer.at = Committer.OPEN;
        committer.lane = step.holds(Rule.UNDO_BEFORE_STORE) ? Committer.UNDO : Committer.NO_LOG;
        committer.oldX = world.seen[World.X];
        committer.oldY = world.seen[World.Y];
        if (step.bounds.raw()) {
            storeInPlace(after, committer);
        }
        step.then("begin, undo entries durable", i, after);
    }

    private static void storeInPlace(World world, Committer committer) {
        if (committer.stored == 0) {
            committer.stored = 1;
            World.apply(committer.transaction, world.seen, World.X);
            World.apply(committer.transaction, world.seen, World.Y);
        }
    }

    private void open(World world, int i) {
        Committer before = world.committers[i];
        if (world.phase == World.RUNNING
                && world.lastRecord < World.MOST_RECORDS
                && world.lastRecord - world.appliedEverywhere() < World.SLOTS) {
            World after = step.from(world);
            Committer committer = after.committers[i];
            committer.sequence = ++after.lastRecord;
            committer.again = 0;
            committer.at = Committer.CLAIMED;
            after.staged[committer.sequence - 1] = before.transaction;
            if (!step.holds(Rule.UNDO_BEFORE_STORE)) {
                committer.lane = Committer.UNDO;
            }
            storeInPlace(after, committer);
            if (!step.holds(Rule.MARK_AFTER_COMMIT)) {
                markCopies(after, before.transaction, world.replicas, 0);
            }
            after.history.claim(before.transaction);
            step.then("claim, post, store in place", i, after);
        }
        if (step.bounds.raw() && before.sequence == 0 && before.again == 0) {
            World after = step.from(world);
            undo(after, after.committers[i]);
            step.then("the user aborts", i, after);
        }
    }

    /** What is being copied gets these words again, but for members. */
    private static void markCopies(World world, int transaction, int replicas, int members) {
        for (int r = 0; r < replicas; r++) {
            if (!World.has(members, r) && (world.links[r].need & Link.ONLINE) != 0) {
                world.links[r].need |= World.footprint(transaction);
            }
        }
    }

    private static void undo(World world, Committer committer) {
        World.putBack(committer, world.seen);
        World.putBack(committer, world.medium);
        committer.reset();
    }

    private void flush(World world, int i) {
        World after = step.from(world);
        Committer committer = after.committers[i];
        committer.at = Committer.FLUSHED;
        if (step.holds(Rule.DATA_BEFORE_COMMIT)) {
            for (int word = 0; word < World.B; word++) {
                if (World.touches(committer.transaction, word)) {
                    after.medium[word] = world.seen[word];
                }
            }
        }
        step.then("flush what was stored", i, after);
    }

    private void await(World world, int i) {
        Committer before = world.committers[i];
        boolean durable = world.durableEverywhere() >= before.sequence;
        if (durable || !step.holds(Rule.REMOTE_FIRST)) {
            World after = step.from(world);
            after.committers[i].at = Committer.BUMPED;
            after.committers[i].lane = Committer.BUMP_UNFENCED;
            if (step.holds(Rule.MAP_BEFORE_COMMIT)) {
                markMaps(after, before.transaction);
            }
            step.then("durable everywhere: write redo log and generation", i, after);
        }
        if (world.phase == World.BROKEN && !durable) {
            World after = step.from(world);
            after.history.rolledBack |= ObservedHistory.bit(before.transaction);
            if (!step.holds(Rule.ALL_INTO_NEW_EPOCH)) {
                after.committed |= 1 << before.sequence;
            }
            if (!step.holds(Rule.NUMBER_USED_ONCE) && before.sequence == world.lastRecord) {
                after.lastRecord--;
            }
            undo(after, after.committers[i]);
            step.then("roll back, throw 'unknown'", i, after);
        }
    }

    private static void markMaps(World world, int transaction) {
        for (int r = 0; r < world.replicas; r++) {
            if (!World.has(world.members, r)) {
                world.maps[r].words |= World.footprint(transaction);
            }
        }
    }

    private void fence(World world, int i) {
        World after = step.from(world);
        after.committers[i].at = Committer.COMMITTED;
        after.committers[i].lane = Committer.REDO;
        after.history.commit(after.committers[i].transaction);
        step.then("fence: the local commit point", i, after);
    }

    private void redo(World world, int i) {
        World after = step.from(world);
        Committer committer = after.committers[i];
        World.apply(committer.transaction, after.seen, World.B);
        after.medium[World.B] = after.seen[World.B];
        committer.lane = Committer.NO_LOG;
        committer.at = Committer.REDONE;
        if (step.holds(Rule.MARK_AFTER_COMMIT)) {
            markCopies(after, committer.transaction, world.replicas, world.members);
        }
        step.then("redo log applied", i, after);
    }

    private void acknowledge(World world, int i) {
        Committer before = world.committers[i];
        int bit = ObservedHistory.bit(before.transaction);
        World after = step.from(world);
        after.committed |= 1 << before.sequence;
        after.history.acknowledged |= bit;
        if (!step.holds(Rule.MAP_BEFORE_COMMIT)) {
            markMaps(after, before.transaction);
        }
        String why = null;
        for (int r = 0; r < world.replicas; r++) {
            if (World.has(world.members, r)) {
                Target target = after.targets[r];
                target.acknowledged |= bit;
                if (target.state == Target.PROMOTED && (target.promotedWith & bit) == 0) {
                    why = "a commit returned that the promoted member lacks";
                }
            }
        }
        after.committers[i].reset();
        step.judged("the commit returns", i, after, why);
    }
}
