package io.farheap;

import io.farheap.memory.MirroredPersistence;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/**
 * A machine whose image has a local replica, each on a medium of its own: a flush or a fence of one
 * says nothing of the other, and each loses what it may lose by itself.
 */
final class MirroredMachine {
    private static final Loss[][] PAIRS = {
        {Loss.RANDOM, Loss.RANDOM},
        {Loss.NONE, Loss.ALL},
        {Loss.ALL, Loss.ALL},
        {Loss.ALL, Loss.NONE},
        {Loss.NONE, Loss.NONE},
    };

    /** The master keeps everything, the replica nothing that is not certain. */
    static final int ONLY_THE_MASTER = 1;

    static final int NEITHER = 2;

    private final CrashSimulation master;
    private final CrashSimulation copy;
    private final PoolMemory memory;

    /** Zeros, durable. */
    MirroredMachine(long size) {
        master = new CrashSimulation(size);
        copy = new CrashSimulation(size);
        MemorySegment image = master.memory().image();
        MemorySegment[] copies = {copy.memory().image()};
        memory =
                new PoolMemory(
                        image,
                        new MirroredPersistence(image, master, copies, new Persistence[] {copy}));
    }

    /** The master's image, mirrored. */
    PoolMemory memory() {
        return memory;
    }

    /** The master by itself. */
    CrashSimulation master() {
        return master;
    }

    /** The replica by itself. */
    CrashSimulation copy() {
        return copy;
    }

    /** Runs {@code action} before every flush and fence of either. */
    void beforeEachStep(Runnable action) {
        master.beforeEachStep(action);
        copy.beforeEachStep(action);
    }

    /**
     * Has {@code restarted}, which is used again, become what both are after a power loss now; the
     * remainder of {@code number} says what each loses.
     */
    MirroredMachine crash(int number, Random random, MirroredMachine restarted) {
        Loss[] losses = PAIRS[number % PAIRS.length];
        restarted.master.becomeCrashed(master, losses[0], random);
        restarted.copy.becomeCrashed(copy, losses[1], random);
        return restarted;
    }
}
