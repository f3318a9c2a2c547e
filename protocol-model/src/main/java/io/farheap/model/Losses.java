package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.World.Committer;
import io.farheap.model.World.Link;

/** A member is lost while the pool is open, and comes back: the policies fail and degrade. */
final class Losses {
    private final Step step;

    Losses(Step step) {
        this.step = step;
    }

    void events(World world) {
        switch (world.phase) {
            case World.RUNNING -> {
                timeOut(world);
                if (step.bounds.degrade()) {
                    copyOnline(world);
                }
            }
            case World.BROKEN -> goOnWithAll(world);
            case World.SHRINKING -> goOnWithoutLost(world);
            case World.JOINING -> join(world);
            default -> {}
        }
    }

    private void timeOut(World world) {
        int lost = 0;
        for (Committer committer : world.committers) {
            for (int r = 0; r < world.replicas; r++) {
                Link link = world.links[r];
                if (committer.at == Committer.FLUSHED
                        && World.has(world.members, r)
                        && link.durable < committer.sequence) {
                    if (link.connected == 0) {
                        lost |= 1 << r;
                    } else if (world.leftOf(Fault.CONNECTION) > 0) {
                        World after = step.with(world, Fault.CONNECTION);
                        end(after, 1 << r);
                        step.then("TIMEOUT of a member that is slow", r, after);
                    }
                }
            }
        }
        if (lost != 0) {
            World after = step.from(world);
            end(after, lost);
            step.then("timeout: admission closed, stream frozen", lost, after);
        }
    }

    private void end(World world, int lost) {
        boolean degrade = step.bounds.degrade();
        world.phase = degrade ? World.SHRINKING : World.BROKEN;
        world.wanted = degrade ? world.members & ~lost : step.bounds.all();
    }

    private void goOnWithAll(World world) {
        boolean quiet = !world.isAnyBetween(Committer.CLAIMED, Committer.REDONE);
        boolean early =
                !step.holds(Rule.QUIET_BEFORE_SWITCH)
                        && !world.isAnyBetween(Committer.CLAIMED, Committer.FLUSHED);
        if (!quiet && !early) {
            return;
        }
        World after = step.from(world);
        after.drained = world.committedUpTo();
        after.drainedEpoch = world.epoch;
        if (step.holds(Rule.ALL_INTO_NEW_EPOCH) && step.holds(Rule.NUMBER_USED_ONCE)) {
            step.beginSwitch(after, step.bounds.all(), true);
            step.then("quiet: switch with all members", 0, after);
        } else {
            after.phase = World.RUNNING;
            step.then("go on in the same epoch", 0, after);
        }
    }

    private void goOnWithoutLost(World world) {
        if (!step.holds(Rule.SWITCH_BEFORE_DEGRADED_COMMIT)) {
            World after = step.from(world);
            after.members = world.wanted;
            after.phase = World.RUNNING;
            step.then("go on without it in the same epoch", 0, after);
            return;
        }
        for (Committer committer : world.committers) {
            boolean decided =
                    committer.at == Committer.FLUSHED
                            && world.durableEverywhere() >= committer.sequence;
            if (decided || committer.at == Committer.CLAIMED || committer.at >= Committer.BUMPED) {
                return;
            }
        }
        World after = step.from(world);
        after.drained = world.committedUpTo();
        after.drainedEpoch = world.epoch;
        step.beginSwitch(after, world.wanted, true);
        step.then("quiet: switch without the lost", world.wanted, after);
    }

    private void copyOnline(World world) {
        for (int r = 0; r < world.replicas; r++) {
            if (World.has(world.members, r)) {
                continue;
            }
            int need = world.links[r].need;
            if ((need & Link.ONLINE) == 0) {
                beginCopy(world, r);
            } else if ((need & World.ALL_WORDS) != 0) {
                copyWords(world, r);
            } else {
                World after = step.from(world);
                after.phase = World.JOINING;
                after.wanted = world.members | 1 << r;
                step.then("all is copied: close admission", r, after);
            }
        }
    }

    private void beginCopy(World world, int r) {
        Target target = world.targets[r];
        boolean proven = step.isProven(world, r);
        World after = step.from(world);
        if (target.state == Target.PROMOTED || target.foreign != 0 && !proven) {
            after.phase = World.REFUSED;
            step.then("copy refused: promoted or taken", r, after);
            return;
        }
        if (target.foreign != 0) {
            step.wrong(
                    "an online copy begins",
                    r,
                    after,
                    "a copy without order overwrites what another initiator committed");
            return;
        }
        Target changed = after.targets[r];
        int words = World.ALL_WORDS;
        if (proven) {
            words = world.maps[r].words;
            // The tail is read before the slot forgets it.
            words |= step.holds(Rule.MAP_WITH_TAIL) ? step.tailFootprint(target) : 0;
        }
        changed.endOldConnection();
        if (step.holds(Rule.SYNCING_DURABLE)) {
            changed.state = Target.SYNCING;
            changed.cur = changed.next = 0;
        } else {
            changed.state = Target.INSYNC;
        }
        changed.journalEpoch = 0;
        changed.emptyJournal();
        changed.contained = 0;
        after.links[r].need = Link.ONLINE | words;
        after.maps[r].reset();
        step.then(
                proven
                        ? "an online copy begins: dirty map and tail"
                        : "an online copy begins: all, ordered by the user",
                r,
                after);
    }

    private void copyWords(World world, int r) {
        for (int word = 0; word < World.WORDS; word++) {
            if (World.has(world.links[r].need, word)) {
                World after = step.from(world);
                after.targets[r].stored[word] = committedView(world, word);
                after.links[r].need &= ~(1 << word);
                step.then("the online copy stores a word", r * 4 + word, after);
            }
        }
    }

    private int committedView(World world, int word) {
        int value = world.seen[word];
        if (step.holds(Rule.COMMITTED_VIEW) && word != World.B) {
            for (Committer committer : world.committers) {
                boolean open =
                        committer.lane == Committer.UNDO
                                || committer.lane == Committer.BUMP_UNFENCED;
                if (open && World.touches(committer.transaction, word)) {
                    value = word == World.X ? committer.oldX : committer.oldY;
                }
            }
        }
        return value;
    }

    private void join(World world) {
        boolean underWay = world.isAnyBetween(Committer.CLAIMED, Committer.REDONE);
        boolean more = false;
        boolean lost = false;
        for (int r = 0; r < world.replicas; r++) {
            Link link = world.links[r];
            more |= (link.need & Link.ONLINE) != 0 && (link.need & World.ALL_WORDS) != 0;
            lost |= World.has(world.members, r) && link.connected == 0;
        }
        World after = step.from(world);
        if (lost) {
            after.phase = World.RUNNING;
            after.wanted = 0;
            step.then("a member is lost: joining is put off", 0, after);
        } else if (more && !underWay) {
            after.phase = World.RUNNING;
            step.then("there is more to copy", 0, after);
        } else if (!underWay) {
            after.drained = world.committedUpTo();
            after.drainedEpoch = world.epoch;
            for (int r = 0; r < world.replicas; r++) {
                if (!World.has(world.members, r) && World.has(world.wanted, r)) {
                    after.links[r].need = Link.JOINER;
                }
            }
            step.beginSwitch(after, world.wanted, true);
            step.then("quiet: switch with the joiner", world.wanted, after);
        }
    }
}
