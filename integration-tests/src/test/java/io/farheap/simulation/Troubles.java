package io.farheap.simulation;

import io.farheap.base.ReplicaPolicy;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import io.farheap.simulation.net.Link;
import io.farheap.testing.CrashSimulation;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** What goes wrong in a history, drawn from its seed: kinds, victims, times. */
final class Troubles {
    private static final long MILLI = 1_000_000;
    private static final int ABSENCES = 2;
    private static final long LONGEST_ALONE = 300 * MILLI;
    private static final long LOOKED_AT = 1_500 * MILLI;

    private final World world;
    private final Site site;
    private final History history;
    private final Random random;
    private final DiskTroubles disks;

    Troubles(World world, Site site, History history) {
        this.world = world;
        this.site = site;
        this.history = history;
        this.random = world.random();
        this.disks = new DiskTroubles(world, site, history, this);
    }

    /** Sets a number of things up to go wrong within the first so many nanoseconds. */
    void plan(int count, long span) {
        for (int i = 0; i < count; i++) {
            var unused = world.after(random.nextLong(span), this::one);
        }
        if (site.plan().mapFaults() > 0) {
            troubleTheNotes(span);
        }
        for (int i = 0; i < site.replicas(); i++) {
            if (site.plan().isAsync(i)) {
                int index = i;
                long active = 1000L * site.plan().commits() * site.plan().longestPause() / 2;
                var unused = world.after(random.nextLong(active), () -> fallBehind(index));
            }
        }
    }

    /** So that there is something to note, and another program that finds the notes. */
    private void troubleTheNotes(long span) {
        // Who never comes back meanwhile is looked at when it dies, too.
        long pause = (site.plan().keepsMapFiles() ? 100 : 50) * MILLI;
        for (long at = pause; at <= LOOKED_AT; at += pause) {
            var unused = world.after(at, () -> history.examine("now and then"));
        }
        for (int times = 0; times < ABSENCES; times++) {
            for (int i = 0; i < site.replicas(); i++) {
                if (site.plan().policy(i) != ReplicaPolicy.FAIL) {
                    int index = i;
                    var unused = world.after(random.nextLong(4 * span), () -> stayAway(index));
                }
            }
            dieWithin(6 * span, site.plan().keepsMapFiles() && random.nextBoolean());
        }
        if (site.plan().isManyNumbersLong()) {
            stayAwayForManyNumbers();
        }
    }

    /**
     * One replica is away while another one goes and comes back: what is noted for the first one
     * goes through several switches, and some of it can't be kept in one of them.
     */
    private void stayAwayForManyNumbers() {
        List<Integer> optional =
                IntStream.range(0, site.replicas())
                        .filter(i -> site.plan().policy(i) != ReplicaPolicy.FAIL)
                        .boxed()
                        .toList();
        if (optional.size() < 2) {
            return;
        }
        int away = optional.get(0);
        int other = optional.get(1);
        long begin = random.nextLong(LONGEST_ALONE);
        var unused =
                world.after(
                        begin,
                        () -> {
                            cut(site.link(away));
                            powerLossOfTarget(
                                    away, () -> LONGEST_ALONE + random.nextLong(LONGEST_ALONE));
                        });
        unused = world.after(begin + LONGEST_ALONE / 2, () -> cut(site.link(other)));
    }

    /** Perhaps the program dies before that replica is back. */
    private void stayAway(int index) {
        if (history.isPromoted(index)) {
            return;
        }
        powerLossOfTarget(index);
        if (site.plan().keepsMapFiles() && random.nextBoolean()) {
            dieWithin(LONGEST_ALONE, random.nextBoolean());
        }
    }

    private void dieWithin(long span, boolean power) {
        var unused = world.after(random.nextLong(span), () -> history.killProgram(power));
    }

    /** Commits go ahead of a replica, and then, perhaps, the program dies. */
    private void fallBehind(int index) {
        switch (random.nextInt(3)) {
            case 0 -> fallSilent(site.link(index), durationOfLag());
            case 1 -> slowDown(site.link(index));
            default -> stopAgents(index);
        }
        if (random.nextBoolean()) {
            dieWithin(2 * site.plan().lag().time().toNanos(), random.nextBoolean());
        }
    }

    /** How long something lasts. */
    long duration() {
        long[] longest = {2, 30, 200, 700, 2500};
        return 1 + random.nextLong(longest[random.nextInt(longest.length)] * MILLI);
    }

    /** Often longer than commits wait for a replica that lags. */
    private long durationOfLag() {
        long patience = site.plan().lag().time().toNanos() + Plan.COMMIT_TIMEOUT.toNanos();
        return duration() + (random.nextInt(4) > 0 ? patience : 0);
    }

    private void one() {
        int index = random.nextInt(site.replicas());
        Link link = site.link(index);
        switch (random.nextInt(22)) {
            case 0 -> cut(link);
            case 1 -> cutOne(link);
            case 2 -> fallSilent(link, duration());
            case 3 -> slowDown(link);
            case 4 -> garbleRecord(link);
            case 5 -> link.garbleMessage();
            case 6 -> killAgents(index);
            case 7 -> powerLossOfTarget(index);
            case 8 -> atAStepOfTarget(index);
            case 9 -> stopAgents(index);
            case 10 -> stopProgram();
            case 11 -> history.killProgram(false);
            case 12 -> history.killProgram(true);
            case 13 -> atAStepOfProgram();
            case 14 -> both(index);
            case 15 -> jumpClocks(index);
            default -> disks.one(index);
        }
    }

    /**
     * Where READs are the proof the card's word is all there is for what lies before the trailer.
     */
    private void garbleRecord(Link link) {
        if (!site.plan().isByReads()) {
            link.garbleRecord();
        }
    }

    private void cut(Link link) {
        if (link.isUsed()) {
            world.count(Happening.CUT);
            link.cut("connection reset");
        }
    }

    private void cutOne(Link link) {
        if (link.isUsed()) {
            world.count(Happening.CUT_ONE);
            link.cutOne("connection reset");
        }
    }

    private void fallSilent(Link link, long nanos) {
        if (link.isUsed()) {
            world.count(Happening.HALF_OPEN);
        }
        link.block(nanos);
    }

    private void slowDown(Link link) {
        if (link.isUsed()) {
            world.count(Happening.SLOW);
        }
        link.setLatency(200_000, 40 * MILLI);
        var unused = world.after(duration(), () -> link.setLatency(20_000, 200_000));
    }

    /** Those of one target. */
    void killAgents(int index) {
        List<SimProcess> agents = List.copyOf(site.target(index).processes());
        if (!agents.isEmpty()) {
            world.count(Happening.AGENT_KILLED);
            agents.forEach(SimProcess::kill);
            history.examine("after its agent was killed");
        }
    }

    void powerLossOfTarget(int index) {
        powerLossOfTarget(index, this::duration);
    }

    private void powerLossOfTarget(int index, LongSupplier time) {
        Machine target = site.target(index);
        if (!target.isUp()) {
            return;
        }
        world.count(Happening.TARGET_POWER);
        target.setUp(false);
        List.copyOf(target.processes()).forEach(SimProcess::kill);
        site.targetDisk(index).losePower(random);
        var unused = world.after(0, () -> history.examine("after a power loss"));
        unused =
                world.after(
                        time.getAsLong(),
                        () -> {
                            world.note(target.name() + " is up again");
                            target.setUp(true);
                            site.link(index).cut("the target was restarted");
                        });
    }

    /** At one of its next flushes or fences. */
    private void atAStepOfTarget(int index) {
        CrashSimulation disk =
                random.nextBoolean()
                        ? site.targetDisk(index).image()
                        : site.targetDisk(index).journal();
        boolean power = random.nextBoolean();
        Machine machine = site.target(index);
        atAStep(
                disk,
                machine,
                () -> {
                    if (power) {
                        world.count(Happening.TARGET_STEP);
                        powerLossOfTarget(index);
                    } else {
                        world.count(Happening.AGENT_STEP);
                        killAgents(index);
                    }
                });
    }

    private void atAStepOfProgram() {
        boolean power = random.nextBoolean();
        int which = history.program().which();
        atAStep(
                site.localDisk(which),
                site.initiator(which),
                () -> {
                    world.count(power ? Happening.PROGRAM_POWER_STEP : Happening.PROGRAM_STEP);
                    history.killProgram(power);
                });
    }

    private void atAStep(CrashSimulation disk, Machine machine, Runnable trouble) {
        int[] left = {1 + random.nextInt(60)};
        disk.beforeEachStep(
                () -> {
                    SimProcess process = world.process();
                    if (process != null && process.machine() == machine && --left[0] == 0) {
                        trouble.run();
                        if (process.isDead()) {
                            SimProcess.vanish();
                        }
                    }
                });
    }

    private void stopAgents(int index) {
        long time = duration();
        for (SimProcess agent : List.copyOf(site.target(index).processes())) {
            world.count(Happening.AGENT_STOPPED);
            agent.stop();
            var unused = world.after(time, agent::resume);
        }
    }

    private void stopProgram() {
        long time = duration();
        Program program = history.program();
        if (program.process().isDead()) {
            return;
        }
        world.count(Happening.PROGRAM_STOPPED);
        program.process().stop();
        program.addStopped(time);
        var unused = world.after(time, program.process()::resume);
    }

    private void both(int index) {
        if (!history.program().process().isDead() && site.target(index).isUp()) {
            world.count(Happening.BOTH);
        }
        history.killProgram(random.nextBoolean());
        powerLossOfTarget(index);
    }

    private void jumpClocks(int index) {
        world.count(Happening.CLOCKS);
        site.target(index).jumpWallClock(random.nextInt() * 1000L);
        site.initiator(0).jumpWallClock(random.nextInt() * 1000L);
    }
}
