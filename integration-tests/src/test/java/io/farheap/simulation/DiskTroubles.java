package io.farheap.simulation;

import io.farheap.base.FarheapException;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.agent.SimulatedTarget.Condition;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.World;
import io.farheap.testing.CrashSimulation;
import java.util.Random;

/** What goes wrong with the disks of targets. */
final class DiskTroubles {
    private final World world;
    private final Site site;
    private final History history;
    private final Troubles others;
    private final Random random;

    DiskTroubles(World world, Site site, History history, Troubles others) {
        this.world = world;
        this.site = site;
        this.history = history;
        this.others = others;
        this.random = world.random();
    }

    /** Something goes wrong with a disk; not with that of the only copy that counts. */
    void one(int index) {
        if (history.isPromoted(index)) {
            return;
        }
        switch (random.nextInt(6)) {
            case 0 -> lose(index);
            case 1 -> {
                lose(index);
                become(index, Condition.FULL);
            }
            case 2 -> become(index, Condition.READ_ONLY);
            case 3 -> become(index, Condition.OTHER_POOL);
            case 4 -> fail(index);
            default -> slowDown(index);
        }
    }

    private void lose(int index) {
        others.killAgents(index);
        if (site.targetDisk(index).exists()) {
            world.count(Happening.DISK_LOST);
            site.targetDisk(index).loseFiles();
            history.loseReplica();
        }
    }

    /** For a while: as when a file system is mounted in another way, or another one. */
    private void become(int index, Condition condition) {
        SimulatedTarget disk = site.targetDisk(index);
        if (disk.condition() == Condition.GOOD) {
            world.note("disk of target" + index + ": " + condition);
            others.killAgents(index);
            disk.setCondition(condition);
            var unused =
                    world.after(
                            others.duration(),
                            () -> {
                                world.note("disk of target" + index + " is good again");
                                others.killAgents(index);
                                disk.setCondition(Condition.GOOD);
                            });
        }
    }

    private CrashSimulation half(int index) {
        return random.nextBoolean()
                ? site.targetDisk(index).image()
                : site.targetDisk(index).journal();
    }

    /** One of the next flushes fails, and all of that process after it. */
    private void fail(int index) {
        int[] left = {1 + random.nextInt(60)};
        SimProcess[] failed = {null};
        half(index)
                .beforeEachStep(
                        () -> {
                            SimProcess process = world.process();
                            if (process != null
                                    && process.machine() == site.target(index)
                                    && !history.isPromoted(index)
                                    && (process == failed[0] || --left[0] == 0)) {
                                if (failed[0] == null) {
                                    world.count(Happening.MEDIUM_ERROR);
                                }
                                failed[0] = process;
                                throw new FarheapException(
                                        FarheapException.Category.ENVIRONMENT,
                                        "msync failed: Input/output error");
                            }
                        });
    }

    /** For a while each flush of the image takes long. */
    private void slowDown(int index) {
        long until = world.now() + others.duration();
        boolean[] counted = {false};
        site.targetDisk(index)
                .image()
                .beforeEachStep(
                        () -> {
                            SimProcess process = world.process();
                            if (process != null
                                    && process.machine() == site.target(index)
                                    && world.now() < until) {
                                if (!counted[0]) {
                                    counted[0] = true;
                                    world.count(Happening.SLOW_DISK);
                                }
                                SimTime.parkNanos(until - world.now());
                            }
                        });
    }
}
