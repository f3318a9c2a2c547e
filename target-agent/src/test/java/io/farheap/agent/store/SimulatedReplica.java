package io.farheap.agent.store;

import io.farheap.agent.journal.JournalFile;
import io.farheap.layout.Descriptor;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/**
 * Image and journal of a replica, which one power loss hits both. Each has a medium of its own, as
 * with two mapped files: a fence of one makes nothing of the other durable.
 */
public final class SimulatedReplica {
    public static final byte[] UUID =
            "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    public static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    public static final long IMAGE_BYTES = HEAP + (64 << 10);
    public static final long RING_BYTES = 16 << 10;
    public static final String LAYOUT = "test";

    final CrashSimulation imageMachine;
    final CrashSimulation journalMachine;
    public final PoolMemory image;
    public final PoolMemory journal;

    private SimulatedReplica(CrashSimulation imageMachine, CrashSimulation journalMachine) {
        this.imageMachine = imageMachine;
        this.journalMachine = journalMachine;
        image = imageMachine.memory();
        journal = journalMachine.memory();
    }

    /** A journal and an image of zeros. */
    static SimulatedReplica unformatted() {
        return new SimulatedReplica(
                new CrashSimulation(IMAGE_BYTES),
                new CrashSimulation(JournalLayout.fileBytes(RING_BYTES)));
    }

    /** A formatted journal and an image of zeros. */
    public static SimulatedReplica fresh() {
        SimulatedReplica replica = unformatted();
        replica.format();
        return replica;
    }

    void format() {
        JournalFile.format(journal, RING_BYTES, UUID, 0);
    }

    List<CrashSimulation> machines() {
        return List.of(imageMachine, journalMachine);
    }

    /** The replica after a power loss at this instant. */
    SimulatedReplica crash(Loss loss, Random random) {
        return new SimulatedReplica(
                imageMachine.crash(loss, random), journalMachine.crash(loss, random));
    }

    /** The same content on media of its own; all of it durable, nothing counted yet. */
    SimulatedReplica copy() {
        return new SimulatedReplica(
                new CrashSimulation(image.image()), new CrashSimulation(journal.image()));
    }

    /** The agent starts. */
    public ReplicaStore start() {
        return new ReplicaStore(journal, image, UUID, "replica");
    }

    /** What the image would be of an initiator that has an empty pool. */
    public static MemorySegment emptyPool() {
        MemorySegment pool = Arena.ofAuto().allocate(IMAGE_BYTES, 64);
        PoolMemory memory =
                new PoolMemory(
                        pool,
                        new Persistence() {
                            @Override
                            public void flush(long offset, long length) {}

                            @Override
                            public void fence() {}
                        });
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format(LAYOUT);
        descriptor.seal();
        descriptor.switchRunId(444);
        return pool;
    }

    /** Full copy of {@code pool}, and a member of epoch {@code n}. */
    public static void join(ReplicaStore store, MemorySegment pool, long l, long n) {
        copyTo(store, pool, l, n);
        store.switching().confirm(n, false);
    }

    /** Full copy of {@code pool}, complete for {@code n}. */
    static void copyTo(ReplicaStore store, MemorySegment pool, long l, long n) {
        var unused = store.switching().attach(l, n, List.of(), SlotReport.NOT_KNOWN, false);
        store.switching().startSync();
        store.switching().putImage(0, pool, 0, Descriptor.END);
        store.switching().putImage(HEAP, pool, HEAP, IMAGE_BYTES - HEAP);
        store.switching().syncComplete(n, LAYOUT);
    }
}
