package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.World.Committer;
import io.farheap.model.World.Link;
import java.util.Arrays;

/** The switch to a new epoch: docs/protocol.md#the-switch. */
final class Switching {
    private static final String OVERWRITTEN =
            "a copy without order overwrites what another initiator committed";

    private final Step step;
    private final boolean prepareFirst;

    Switching(Step step) {
        this.step = step;
        this.prepareFirst = step.holds(Rule.PREPARE_BEFORE_SWITCH);
    }

    void events(World world) {
        if (world.phase != World.SWITCHING) {
            return;
        }
        boolean switched = world.switched != 0;
        if (!switched || !prepareFirst) {
            for (int r = 0; r < world.replicas; r++) {
                if (World.has(world.wanted, r)
                        && !World.has(world.prepared, r)
                        && (prepareFirst || switched)) {
                    prepare(world, r);
                }
            }
            writeMaps(world);
            switchNumber(world);
        }
        if (switched) {
            confirm(world);
            openAdmission(world);
        }
    }

    /** The number that members must know. */
    private int known(World world) {
        return prepareFirst ? world.number : world.oldNumber;
    }

    private void prepare(World world, int r) {
        Link link = world.links[r];
        if (link.need == Link.JOINER) {
            World after = step.from(world);
            if (step.holds(Rule.FLUSH_CONTENT)) {
                after.targets[r].flushImage();
            }
            after.targets[r].next = world.next;
            prepared(after, r);
            step.then("prepare the joiner: image flushed, next durable", r, after);
        } else if ((link.need & Link.COPYING) != 0) {
            storeContent(world, r);
        } else {
            hello(world, r);
        }
    }

    private static void prepared(World world, int r) {
        world.prepared |= 1 << r;
        world.links[r].need = 0;
    }

    private void storeContent(World world, int r) {
        int need = world.links[r].need;
        if ((need & World.ALL_WORDS) != 0) {
            for (int word = 0; word < World.WORDS; word++) {
                if (World.has(need, word)) {
                    World after = step.from(world);
                    after.targets[r].stored[word] = world.medium[word];
                    after.links[r].need &= ~(1 << word);
                    step.then("local content of a word arrives", r * 4 + word, after);
                }
            }
            return;
        }
        World after = step.from(world);
        Target target = after.targets[r];
        if (step.holds(Rule.FLUSH_CONTENT)) {
            target.flushImage();
        }
        if (!step.holds(Rule.NEXT_BESIDE_CUR)) {
            target.cur = world.next;
        } else if (prepareFirst) {
            target.next = world.next;
        }
        prepared(after, r);
        step.then("prepared: image flushed, next durable", r, after);
    }

    private void hello(World world, int r) {
        Target target = world.targets[r];
        int known = known(world);
        boolean byNext = target.next != 0 && target.next == known;
        boolean byCur = target.state == Target.INSYNC && target.cur == known;
        boolean proven = step.isProven(world, r);
        World after = step.from(world);
        if (target.state == Target.PROMOTED && !byNext
                || !byNext && !byCur && target.foreign != 0 && !proven) {
            after.phase = World.REFUSED;
            step.then("hello refused: promoted or taken", r, after);
            return;
        }
        if (!byNext && !byCur && target.foreign != 0) {
            step.wrong("hello: stale", r, after, OVERWRITTEN);
            return;
        }
        if (step.holds(Rule.END_OLD_CONNECTION)) {
            after.targets[r].endOldConnection();
        }
        if (byNext || byCur) {
            recognised(world, after, r);
        } else if (world.inRun != 0) {
            step.wrong(
                    "hello in the run", r, after, "a member does not know the epoch of this run");
        } else {
            stale(world, after, r, proven);
        }
    }

    private void recognised(World world, World after, int r) {
        Target before = world.targets[r];
        Target target = after.targets[r];
        if (step.holds(Rule.FLUSH_BEFORE_REPORT)) {
            target.flushJournal();
        }
        if (target.state == Target.SYNCING || target.state == Target.PROMOTED) {
            target.state = Target.INSYNC;
            target.journalEpoch = 0;
            target.emptyJournal();
            target.contained = world.history.committed;
            target.acknowledged = world.history.acknowledged;
        }
        if (step.holds(Rule.ADOPT_NEXT)) {
            target.cur = known(world);
        }
        if (step.holds(Rule.NEXT_BESIDE_CUR) && prepareFirst) {
            target.next = world.next;
        }
        if (world.inRun != 0 && target.journalEpoch == world.drainedEpoch) {
            for (int n = before.applied + 1; n <= world.drained && step.isValid(before, n); n++) {
                int transaction = before.arrivedAt(n).transaction;
                World.apply(transaction, target.stored);
                target.contained |= ObservedHistory.bit(transaction);
            }
            target.flushImage();
            target.applied = target.appliedStored = Math.max(before.applied, world.drained);
            after.prepared |= 1 << r;
            step.then("hello recognised, drained up to d: prepared", r, after);
        } else if (world.inRun != 0 && target.journalEpoch == world.number) {
            after.prepared |= 1 << r;
            step.then("hello recognised, nothing to drain: prepared", r, after);
        } else {
            int words = step.tailFootprint(target);
            target.appliedStored = target.applied;
            after.links[r].need = Link.COPYING | (step.holds(Rule.FOOTPRINT) ? words : 0);
            step.then("hello recognised, the tail's footprint named", r, after);
        }
    }

    private void stale(World world, World after, int r, boolean proven) {
        Target before = world.targets[r];
        if (before.state == Target.INSYNC
                && !step.bounds.degrade()
                && step.bounds.most(Fault.FOREIGN_OPEN) == 0
                && world.history.givenUp == 0) {
            step.wrong("hello: stale", r, after, "a member with every commit is called stale");
            return;
        }
        int words = World.ALL_WORDS;
        if (proven) {
            words = world.maps[r].words;
            words |= step.holds(Rule.MAP_WITH_TAIL) ? step.tailFootprint(before) : 0;
        }
        Target target = after.targets[r];
        if (step.holds(Rule.SYNCING_DURABLE)) {
            target.state = Target.SYNCING;
            target.cur = target.next = 0;
        }
        target.journalEpoch = 0;
        target.emptyJournal();
        target.contained = 0;
        after.maps[r].reset();
        after.links[r].need = Link.COPYING | words;
        step.then(
                proven
                        ? "hello: stale, SYNCING durable, dirty map and tail"
                        : "hello: stale, SYNCING durable, all, ordered by the user",
                r,
                after);
    }

    /** Of the absent; they count from the switch point on. */
    private void writeMaps(World world) {
        if (world.prepared != world.wanted || world.mapsWritten != 0 || world.switched != 0) {
            return;
        }
        step.then("dirty maps durable", 0, withMaps(step.from(world), world));
        for (int r = 0; r < world.replicas; r++) {
            if (!World.has(world.wanted, r) && world.leftOf(Fault.MAP_FAILS) > 0) {
                World removed = withMaps(step.with(world, Fault.MAP_FAILS), world);
                removed.maps[r].reset();
                step.then("THE DIRTY MAP CAN'T BE WRITTEN, and is gone", r, removed);
                World kept = withMaps(step.with(world, Fault.MAP_FAILS), world);
                kept.maps[r].copy(world.maps[r]);
                step.then("THE DIRTY MAP CAN'T BE WRITTEN, and is as it was", r, kept);
            }
        }
    }

    private World withMaps(World after, World before) {
        int known = known(before);
        after.mapsWritten = 1;
        for (int r = 0; r < before.replicas; r++) {
            World.Map map = after.maps[r];
            if (World.has(before.wanted, r)) {
                map.reset();
                continue;
            }
            boolean wasMember = before.inRun != 0 && World.has(before.members, r);
            if (wasMember || map.stamp != known && map.pending != known) {
                map.base = base(before, r, wasMember);
                map.words = 0;
                map.stamp = 0;
            } else {
                map.stamp = known;
            }
            map.pending = before.next;
        }
        return after;
    }

    /** The number in which the replica had everything, for a new map; 0: none is known. */
    private int base(World world, int r, boolean wasMember) {
        if (world.inRun == 0 || wasMember) {
            return known(world);
        }
        return step.holds(Rule.GAP_FORGETS) ? 0 : world.targets[r].cur;
    }

    private void switchNumber(World world) {
        boolean ready =
                prepareFirst
                        ? world.prepared == world.wanted && world.mapsWritten != 0
                        : world.switched == 0;
        if (!ready) {
            return;
        }
        World after = step.from(world);
        after.number = after.epoch = world.next;
        after.members = world.wanted;
        after.switched = 1;
        after.lastRecord = after.committed = 0;
        Arrays.fill(after.staged, 0);
        for (Link link : after.links) {
            int need = link.need;
            link.reset();
            link.need = prepareFirst ? 0 : need;
        }
        step.then("L := N, the switch point", world.next, after);
    }

    private void confirm(World world) {
        for (int r = 0; r < world.replicas; r++) {
            if (!World.has(world.wanted, r)
                    || World.has(world.confirmed, r)
                    || !World.has(world.prepared, r)) {
                continue;
            }
            World after = step.from(world);
            Target target = after.targets[r];
            if (step.holds(Rule.CONFIRM_ONLY_PREPARED)
                    && prepareFirst
                    && step.holds(Rule.NEXT_BESIDE_CUR)
                    && target.next != world.next
                    && target.cur != world.next) {
                after.phase = World.REFUSED;
                step.then("confirm refused: promoted or taken", r, after);
                continue;
            }
            target.state = Target.INSYNC;
            target.cur = target.journalEpoch = world.next;
            target.next = target.foreign = 0;
            target.emptyJournal();
            target.contained = world.history.committed;
            target.acknowledged = world.history.acknowledged;
            after.confirmed |= 1 << r;
            after.links[r].connected = 1;
            boolean right =
                    Arrays.equals(target.stored, world.history.image)
                            && Arrays.equals(target.image, world.history.image);
            step.judged(
                    "confirm",
                    r,
                    after,
                    right ? null : "a replica is confirmed and is not the committed state");
        }
    }

    private void openAdmission(World world) {
        boolean early = !step.holds(Rule.CONFIRM_BEFORE_COMMIT);
        if (world.confirmed != world.wanted && !early) {
            return;
        }
        World after = step.from(world);
        after.phase = World.RUNNING;
        after.next = after.prepared = after.confirmed = after.switched = after.drained = 0;
        after.drainedEpoch = after.wanted = after.inRun = after.oldNumber = after.mapsWritten = 0;
        for (Committer committer : after.committers) {
            if (committer.at == Committer.FLUSHED) {
                committer.sequence = 0;
                if (step.holds(Rule.CLAIM_AGAIN)) {
                    committer.at = Committer.OPEN;
                    committer.again = 1;
                }
            }
        }
        if (early) {
            for (int r = 0; r < world.replicas; r++) {
                after.links[r].connected = world.members >> r & 1;
            }
        }
        step.then("admission opens", 0, after);
    }
}
