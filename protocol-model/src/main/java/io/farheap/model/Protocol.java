package io.farheap.model;

import io.farheap.model.Bounds.Fault;
import io.farheap.model.Target.Place;
import io.farheap.model.World.Committer;
import java.util.Set;

/** The commit and replication protocol within some bounds, less the rules that are removed. */
final class Protocol implements Model {
    private static final String[] PHASES = {
        "down",
        "recovering",
        "switching",
        "running",
        "broken",
        "shrinking",
        "joining",
        "refused",
        "failback"
    };
    private static final String[] STATES = {"NEW", "INSYNC", "SYNCING", "PROMOTED"};

    private final Bounds bounds;
    private final int longs;
    private final World world;
    private final Step step;
    private final Commits commits;
    private final Streams streams;
    private final Losses losses;
    private final Switching switching;
    private final Openings openings;
    private final Faults faults;
    private final Failbacks failbacks;

    Protocol(Bounds bounds, Set<Rule> removed) {
        this.bounds = bounds;
        this.world = new World(bounds.replicas());
        Bits counting = Bits.counting();
        world.fields(counting);
        this.longs = counting.longs();
        this.step = new Step(bounds, removed, longs);
        this.commits = new Commits(step);
        this.streams = new Streams(step);
        this.losses = new Losses(step);
        this.switching = new Switching(step);
        this.openings = new Openings(step);
        this.faults = new Faults(step);
        this.failbacks = new Failbacks(step);
    }

    @Override
    public int longs() {
        return longs;
    }

    /** A pool that runs, with all its replicas in its first epoch. */
    @Override
    public void initial(long[] state) {
        World first = new World(bounds.replicas());
        first.phase = World.RUNNING;
        first.number = first.epoch = first.fresh = 1;
        first.members = bounds.all();
        for (int r = 0; r < bounds.replicas(); r++) {
            first.targets[r].state = Target.INSYNC;
            first.targets[r].cur = first.targets[r].journalEpoch = 1;
            first.links[r].connected = 1;
        }
        for (Fault fault : Fault.values()) {
            first.left[fault.ordinal()] = bounds.most(fault);
        }
        first.leftInAll = bounds.total();
        first.fields(Bits.writing(state));
    }

    @Override
    public void next(long[] state, Events events) {
        world.fields(Bits.reading(state));
        step.begin(events);
        commits.events(world);
        streams.events(world);
        losses.events(world);
        switching.events(world);
        openings.events(world);
        faults.events(world);
        failbacks.events(world);
        if (!step.isWrong()) {
            streams.judge(world);
        }
    }

    @Override
    public boolean isDone(long[] state) {
        world.fields(Bits.reading(state));
        if (world.phase == World.REFUSED) {
            return true;
        }
        boolean allCurrent = true;
        for (int r = 0; r < world.replicas; r++) {
            if (world.targets[r].state == Target.PROMOTED) {
                return true;
            }
            allCurrent &= World.has(world.members, r) && world.targets[r].state == Target.INSYNC;
        }
        for (int i = 0; i < world.committers.length; i++) {
            Committer committer = world.committers[i];
            allCurrent &= committer.at == Committer.IDLE;
            allCurrent &= i >= bounds.threads() || committer.begun == bounds.transactions();
        }
        return allCurrent && world.phase == World.RUNNING;
    }

    @Override
    public String show(long[] state) {
        World shown = new World(bounds.replicas());
        shown.fields(Bits.reading(state));
        StringBuilder line =
                new StringBuilder(
                        String.format(
                                "%-10s L=%d words=%s committed=%s",
                                PHASES[shown.phase],
                                shown.number,
                                Failbacks.image(shown.seen),
                                Failbacks.image(shown.history.image)));
        for (int r = 0; r < shown.replicas; r++) {
            Target target = shown.targets[r];
            line.append(
                    String.format(
                            " | r%d %s cur=%d next=%d image=%s applied=%d",
                            r,
                            STATES[target.state],
                            target.cur,
                            target.next,
                            Failbacks.image(target.stored),
                            target.applied));
            for (int i = 0; i < World.SLOTS; i++) {
                Place place = target.arrived[i];
                if (place.epoch != 0) {
                    line.append(
                            String.format(
                                    " e%d#%d:T%d", place.epoch, place.sequence, place.transaction));
                    line.append(place.isEqual(target.journal[i]) ? "" : "~");
                }
            }
        }
        return line.toString();
    }
}
