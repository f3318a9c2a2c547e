package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.Target.Place;
import java.util.EnumSet;
import java.util.Set;

/**
 * What all events share: the rules that hold, the bounds, copies of a state to change, and the way
 * to tell what came of it.
 */
final class Step {
    /** More copies than one event ever has in its hands. */
    private static final int COPIES = 32;

    final Bounds bounds;
    private final boolean[] holds = new boolean[Rule.values().length];
    private final World[] copies = new World[COPIES];
    private final long[] packed;
    private int copy;
    private Model.Events events;
    private boolean wrong;

    Step(Bounds bounds, Set<Rule> removed, int longs) {
        this.bounds = bounds;
        this.packed = new long[longs];
        for (Rule rule : EnumSet.complementOf(copyOf(removed))) {
            holds[rule.ordinal()] = true;
        }
        for (int i = 0; i < COPIES; i++) {
            copies[i] = new World(bounds.replicas());
        }
    }

    private static EnumSet<Rule> copyOf(Set<Rule> rules) {
        return rules.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(rules);
    }

    void begin(Model.Events newEvents) {
        events = newEvents;
        wrong = false;
    }

    boolean isWrong() {
        return wrong;
    }

    boolean holds(Rule rule) {
        return holds[rule.ordinal()];
    }

    /** To be changed and told. */
    World from(World world) {
        copy = (copy + 1) % COPIES;
        copies[copy].copy(world);
        return copies[copy];
    }

    void then(String event, int detail, World world) {
        if (!wrong) {
            forget(world);
            pack(world);
            events.then(event, detail, packed);
        }
    }

    void wrong(String event, int detail, World world, String why) {
        if (!wrong) {
            wrong = true;
            pack(world);
            events.wrong(event, detail, packed, why);
        }
    }

    /** One of the two. */
    void judged(String event, int detail, World world, String why) {
        if (why == null) {
            then(event, detail, world);
        } else {
            wrong(event, detail, world, why);
        }
    }

    private void pack(World world) {
        world.fields(Bits.writing(packed));
    }

    /** Drops what no rule looks at any more: fewer states are different then. */
    private void forget(World world) {
        boolean ended = holds(Rule.END_OLD_CONNECTION);
        boolean oldRecordsFail =
                holds(Rule.RECORD_EPOCH)
                        && holds(Rule.NUMBER_USED_ONCE)
                        && holds(Rule.CONFIRM_BEFORE_COMMIT);
        for (Target target : world.targets) {
            if (oldRecordsFail && (target.state != Target.PROMOTED || ended)) {
                for (int i = 0; i < World.SLOTS; i++) {
                    drop(target, target.arrived[i]);
                    drop(target, target.journal[i]);
                }
            }
            if (target.state == Target.PROMOTED && ended) {
                target.emptyJournal();
                target.journalEpoch = 0;
                target.clearPlaces();
            }
        }
    }

    private static void drop(Target target, Place place) {
        if (place.epoch != target.journalEpoch || place.sequence <= target.applied) {
            place.set(0, 0, 0);
        }
    }

    // ---- what depends on a rule

    boolean isValid(Target target, int sequence) {
        Place place = target.arrivedAt(sequence);
        return place.sequence == sequence
                && place.epoch != 0
                && (place.epoch == target.journalEpoch || !holds(Rule.RECORD_EPOCH));
    }

    int lastValid(Target target) {
        int last = target.applied;
        while (last < target.applied + World.SLOTS && isValid(target, last + 1)) {
            last++;
        }
        return last;
    }

    /** The words of the records beyond the durable applied position. */
    int tailFootprint(Target target) {
        int words = 0;
        int last = lastValid(target);
        for (int sequence = target.applied + 1; sequence <= last; sequence++) {
            words |= World.footprint(target.arrivedAt(sequence).transaction);
        }
        return words;
    }

    int freshNumber(World world) {
        if (holds(Rule.FRESH_NUMBER)) {
            return ++world.fresh;
        }
        world.fresh = Math.max(world.fresh, world.number + 1);
        return world.number + 1;
    }

    /** A dirty map shows that the pool descends from what the replica has. */
    boolean isProven(World world, int r) {
        Target target = world.targets[r];
        if (!holds(Rule.SYNC_NEEDS_PROOF)) {
            return target.cur < world.number;
        }
        World.Map map = world.maps[r];
        return map.base != 0
                && map.base == target.cur
                && target.state == Target.INSYNC
                && (map.stamp == world.number
                        || map.pending == world.number
                        || !holds(Rule.MAP_STAMP));
    }

    void beginSwitch(World world, int members, boolean inRun) {
        for (int r = 0; r < bounds.replicas(); r++) {
            world.cut(r, true);
        }
        world.phase = World.SWITCHING;
        world.wanted = members;
        world.oldNumber = world.number;
        world.next = freshNumber(world);
        world.prepared = world.confirmed = world.switched = world.mapsWritten = 0;
        world.inRun = inRun ? 1 : 0;
        for (World.Link link : world.links) {
            if (link.need != World.Link.JOINER) {
                link.need = 0;
            }
        }
    }

    World with(World world, Fault fault) {
        World after = from(world);
        after.use(fault);
        return after;
    }
}
