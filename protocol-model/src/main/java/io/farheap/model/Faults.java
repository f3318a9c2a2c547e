package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.Target.Place;
import io.farheap.model.World.Committer;
import io.farheap.model.World.Link;
import java.util.ArrayList;
import java.util.List;

/** Crashes, losses of power, and what others do to the copies. */
final class Faults {
    private final Step step;

    Faults(Step step) {
        this.step = step;
    }

    void events(World world) {
        if (world.leftInAll == 0) {
            return;
        }
        if (world.phase != World.DOWN && world.phase != World.REFUSED) {
            crash(world);
            losePower(world);
        }
        for (int r = 0; r < world.replicas; r++) {
            loseConnection(world, r);
            if (world.targets[r].state != Target.PROMOTED) {
                crashAgent(world, r);
                loseTargetPower(world, r);
                promote(world, r);
            }
        }
        openByForeignProgram(world);
        attachSecondInitiator(world);
    }

    private void crash(World world) {
        if (world.leftOf(Fault.PROGRAM_CRASH) == 0) {
            return;
        }
        World after = step.with(world, Fault.PROGRAM_CRASH);
        cutAll(after);
        for (Committer committer : after.committers) {
            if (committer.lane == Committer.BUMP_UNFENCED) {
                committer.lane = Committer.REDO;
                after.history.commit(committer.transaction);
            }
        }
        System.arraycopy(after.seen, 0, after.medium, 0, World.WORDS);
        after.forgetRun();
        step.then("THE PROGRAM IS KILLED", 0, after);
    }

    private static void cutAll(World world) {
        for (int r = 0; r < world.replicas; r++) {
            world.cut(r, true);
        }
    }

    /** Any of the unflushed words survive, and any of the unfenced generation numbers. */
    private void losePower(World world) {
        if (world.leftOf(Fault.PROGRAM_POWER) == 0) {
            return;
        }
        int words = 0;
        for (int word = 0; word < World.WORDS; word++) {
            words |= world.seen[word] != world.medium[word] ? 1 << word : 0;
        }
        int lanes = 0;
        for (int i = 0; i < world.committers.length; i++) {
            lanes |= world.committers[i].lane == Committer.BUMP_UNFENCED ? 1 << i : 0;
        }
        for (int kept = 0; kept <= words; kept++) {
            if ((kept & ~words) != 0) {
                continue;
            }
            for (int bumped = 0; bumped <= lanes; bumped++) {
                if ((bumped & ~lanes) == 0) {
                    losePower(world, kept, lanes, bumped);
                }
            }
        }
    }

    private void losePower(World world, int kept, int lanes, int bumped) {
        World after = step.with(world, Fault.PROGRAM_POWER);
        cutAll(after);
        for (int word = 0; word < World.WORDS; word++) {
            if (World.has(kept, word)) {
                after.medium[word] = world.seen[word];
            }
        }
        for (int i = 0; i < after.committers.length; i++) {
            Committer committer = after.committers[i];
            if (World.has(bumped, i)) {
                committer.lane = Committer.REDO;
                after.history.commit(committer.transaction);
            } else if (World.has(lanes, i)) {
                committer.lane = Committer.UNDO;
            }
        }
        System.arraycopy(after.medium, 0, after.seen, 0, World.WORDS);
        after.forgetRun();
        step.then("THE PROGRAM'S MACHINE LOSES POWER", kept << 4 | bumped, after);
    }

    /** A member failed: a switch under way starts again, with it or without it. */
    private void tell(String event, int r, World world) {
        for (World after : afterLoss(world, r)) {
            step.then(event, r, after);
        }
    }

    private List<World> afterLoss(World world, int r) {
        Link link = world.links[r];
        link.connected = 0;
        if ((link.need & Link.ONLINE) != 0 && world.phase != World.SWITCHING) {
            link.need = 0;
            if (world.phase == World.JOINING) {
                world.phase = World.RUNNING;
                world.wanted = 0;
            }
        }
        if (world.phase != World.SWITCHING || !World.has(world.wanted, r)) {
            return List.of(world);
        }
        int joiners = joiners(world);
        List<World> after = new ArrayList<>();
        if (!World.has(joiners, r)) {
            after.add(again(step.from(world), joiners));
        }
        if (step.bounds.degrade()) {
            World without = step.from(world);
            without.wanted &= ~(1 << r);
            if (step.holds(Rule.NEW_NUMBER_ON_DROP)) {
                after.add(again(without, joiners));
            } else {
                without.prepared &= without.wanted;
                without.confirmed &= without.wanted;
                if (without.switched != 0) {
                    without.members = without.wanted;
                }
                without.links[r].need = 0;
                after.add(without);
            }
        }
        return after;
    }

    /** Who has a complete copy stays complete as long as it is connected and admission closed. */
    private static int joiners(World world) {
        int joiners = 0;
        if (world.inRun != 0 && world.switched == 0) {
            for (int r = 0; r < world.replicas; r++) {
                if (World.has(world.wanted, r) && world.targets[r].state == Target.SYNCING) {
                    joiners |= 1 << r;
                }
            }
        }
        return joiners;
    }

    private World again(World world, int joiners) {
        step.beginSwitch(world, world.wanted, world.inRun != 0);
        for (int r = 0; r < world.replicas; r++) {
            world.links[r].need = World.has(joiners & world.wanted, r) ? Link.JOINER : 0;
        }
        return world;
    }

    private void loseConnection(World world, int r) {
        if (world.leftOf(Fault.CONNECTION) > 0
                && (world.links[r].connected != 0 || world.phase == World.SWITCHING)) {
            World after = step.with(world, Fault.CONNECTION);
            after.cut(r, true);
            tell("A CONNECTION BREAKS", r, after);
        }
    }

    private void crashAgent(World world, int r) {
        if (world.leftOf(Fault.AGENT_CRASH) > 0) {
            World after = step.with(world, Fault.AGENT_CRASH);
            after.cut(r, false);
            after.targets[r].endOldConnection();
            after.targets[r].restart();
            tell("THE AGENT IS KILLED", r, after);
        }
    }

    /** Each unflushed record is old, new or torn; each unflushed word is old or new. */
    private void loseTargetPower(World world, int r) {
        if (world.leftOf(Fault.TARGET_POWER) == 0) {
            return;
        }
        Target target = world.targets[r];
        int records = 1;
        for (int i = 0; i < World.SLOTS; i++) {
            records *= target.journal[i].isEqual(target.arrived[i]) ? 1 : 3;
        }
        int words = 0;
        for (int word = 0; word < World.WORDS; word++) {
            words |= target.image[word] != target.stored[word] ? 1 << word : 0;
        }
        for (int fate = 0; fate < records; fate++) {
            for (int kept = 0; kept <= words; kept++) {
                if ((kept & ~words) == 0) {
                    loseTargetPower(world, r, fate, kept);
                }
            }
        }
    }

    private void loseTargetPower(World world, int r, int fate, int kept) {
        World after = step.with(world, Fault.TARGET_POWER);
        after.cut(r, false);
        Target target = after.targets[r];
        target.endOldConnection();
        int fates = fate;
        for (int i = 0; i < World.SLOTS; i++) {
            Place durable = target.journal[i];
            if (!durable.isEqual(target.arrived[i])) {
                if (fates % 3 == 1) {
                    durable.copy(target.arrived[i]);
                } else if (fates % 3 == 2) {
                    durable.set(0, 0, 0);
                }
                fates /= 3;
            }
            target.arrived[i].copy(durable);
        }
        for (int word = 0; word < World.WORDS; word++) {
            if (World.has(kept, word)) {
                target.image[word] = target.stored[word];
            }
            target.stored[word] = target.image[word];
        }
        target.restart();
        tell("A TARGET LOSES POWER", r, after);
    }

    private void promote(World world, int r) {
        Target before = world.targets[r];
        boolean promotable =
                before.state == Target.INSYNC
                        || before.state == Target.SYNCING
                                && !step.holds(Rule.SYNCING_NOT_PROMOTABLE);
        if (world.leftOf(Fault.PROMOTION) == 0 || before.foreign != 0 || !promotable) {
            return;
        }
        World after = step.with(world, Fault.PROMOTION);
        Target target = after.targets[r];
        boolean ends = step.holds(Rule.END_OLD_CONNECTION);
        if (ends) {
            after.links[r].connected = 0;
        }
        int content = before.contained;
        int last = step.lastValid(before);
        for (int sequence = before.applied + 1; sequence <= last; sequence++) {
            int transaction = before.arrivedAt(sequence).transaction;
            World.apply(transaction, target.stored);
            content |= ObservedHistory.bit(transaction);
        }
        target.contained = target.promotedWith = content;
        target.flushImage();
        target.endOldConnection();
        String why = after.history.judge(target, content);
        target.state = Target.PROMOTED;
        target.cur = ++after.fresh;
        target.next = 0;
        if (world.phase != World.SWITCHING && !ends) {
            step.then("PROMOTION", r, after);
            return;
        }
        if (world.phase == World.SWITCHING && World.has(world.prepared, r) && why == null) {
            step.then("PROMOTION that the program does not notice", r, step.from(after));
        }
        for (World noticed : afterLoss(after, r)) {
            step.judged("PROMOTION", r, noticed, why);
        }
    }

    private void openByForeignProgram(World world) {
        if (world.leftOf(Fault.FOREIGN_OPEN) == 0
                || world.phase != World.DOWN
                || world.number == 0) {
            return;
        }
        World after = step.with(world, Fault.FOREIGN_OPEN);
        after.number = step.holds(Rule.FRESH_NUMBER) ? ++after.fresh : world.number + 1;
        after.recoverLanes();
        for (Committer committer : after.committers) {
            committer.reset();
        }
        after.history.rollBackUndecided();
        after.seen[World.X] = World.FOREIGN_TRANSACTION;
        System.arraycopy(after.seen, 0, after.medium, 0, World.WORDS);
        after.history.claim(World.FOREIGN_TRANSACTION);
        after.history.commit(World.FOREIGN_TRANSACTION);
        after.history.acknowledged |= ObservedHistory.bit(World.FOREIGN_TRANSACTION);
        step.then("A PROGRAM THAT IGNORES REPLICAS COMMITS", 0, after);
    }

    /** It has a copy of the pool, is recognised by its number, and commits. */
    private void attachSecondInitiator(World world) {
        for (int r = 0; r < world.replicas; r++) {
            Target before = world.targets[r];
            if (world.leftOf(Fault.SECOND_INITIATOR) == 0
                    || before.state != Target.INSYNC
                    || world.links[r].connected != 0
                    || before.cur != world.number) {
                continue;
            }
            World after = step.with(world, Fault.SECOND_INITIATOR);
            Target target = after.targets[r];
            target.endOldConnection();
            if (world.phase == World.SWITCHING && !World.has(world.prepared, r)) {
                after.links[r].need = 0;
            }
            int number = step.holds(Rule.FRESH_NUMBER) ? ++after.fresh : world.number + 1;
            target.cur = target.journalEpoch = number;
            target.next = 0;
            target.foreign = 1;
            target.emptyJournal();
            target.image[World.X] = target.stored[World.X] = World.FOREIGN_VALUE;
            step.then("A SECOND INITIATOR TAKES THE REPLICA AND COMMITS", r, after);
        }
    }
}
