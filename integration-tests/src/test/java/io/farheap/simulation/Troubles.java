package io.farheap.simulation;

import io.farheap.memory.CrashSimulation;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import io.farheap.simulation.net.Link;
import java.util.List;
import java.util.Random;

/** What goes wrong in a history, drawn from its seed: kinds, victims, times. */
final class Troubles {
    private static final long MILLI = 1_000_000;

    private final World world;
    private final Site site;
    private final History history;
    private final Random random;

    Troubles(World world, Site site, History history) {
        this.world = world;
        this.site = site;
        this.history = history;
        this.random = world.random();
    }

    /** Sets a number of things up to go wrong within the first so many nanoseconds. */
    void plan(int count, long span) {
        for (int i = 0; i < count; i++) {
            var unused = world.after(random.nextLong(span), this::one);
        }
    }

    private long duration() {
        long[] longest = {2, 30, 200, 700, 2500};
        return 1 + random.nextLong(longest[random.nextInt(longest.length)] * MILLI);
    }

    private void one() {
        int index = random.nextInt(site.replicas());
        switch (random.nextInt(14)) {
            case 0 -> site.link(index).cut("connection reset");
            case 1 -> site.link(index).cutOne("connection reset");
            case 2 -> site.link(index).block(duration());
            case 3 -> slowDown(site.link(index));
            case 4 -> killAgents(index);
            case 5 -> powerLossOfTarget(index);
            case 6 -> atAStepOfTarget(index);
            case 7 -> stopAgents(index);
            case 8 -> stopProgram();
            case 9 -> history.killProgram(false);
            case 10 -> history.killProgram(true);
            case 11 -> atAStepOfProgram();
            case 12 -> both(index);
            default -> jumpClocks(index);
        }
    }

    private void slowDown(Link link) {
        world.note("slow network");
        link.setLatency(200_000, 40 * MILLI);
        var unused = world.after(duration(), () -> link.setLatency(20_000, 200_000));
    }

    private void killAgents(int index) {
        List.copyOf(site.target(index).processes()).forEach(SimProcess::kill);
        history.examine("after its agent was killed");
    }

    void powerLossOfTarget(int index) {
        Machine target = site.target(index);
        if (!target.isUp()) {
            return;
        }
        world.note("power loss of " + target.name());
        target.setUp(false);
        List.copyOf(target.processes()).forEach(SimProcess::kill);
        site.targetDisk(index).losePower(random);
        var unused = world.after(0, () -> history.examine("after a power loss"));
        unused =
                world.after(
                        duration(),
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
                        powerLossOfTarget(index);
                    } else {
                        killAgents(index);
                    }
                });
    }

    private void atAStepOfProgram() {
        boolean power = random.nextBoolean();
        int which = history.program().which();
        atAStep(site.localDisk(which), site.initiator(which), () -> history.killProgram(power));
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
        program.process().stop();
        program.addStopped(time);
        var unused = world.after(time, program.process()::resume);
    }

    private void both(int index) {
        history.killProgram(random.nextBoolean());
        powerLossOfTarget(index);
    }

    private void jumpClocks(int index) {
        world.note("clocks are set");
        site.target(index).jumpWallClock(random.nextInt() * 1000L);
        site.initiator(0).jumpWallClock(random.nextInt() * 1000L);
    }
}
