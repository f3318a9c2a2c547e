package io.farheap.agent;

import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.CrashSimulation;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.Blob;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.simulation.engine.SimProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** The disk of a target: image and journal of the one replica it may have, and their lock. */
public final class SimulatedTarget {
    private final CrashSimulation image;
    private final CrashSimulation journal;
    private boolean exists;
    private PoolUuid uuid;

    /** The agent's process that has the replica's lock; null when nobody has. */
    SimProcess holder;

    /** An empty disk. */
    public SimulatedTarget(long imageBytes, long ringBytes) {
        image = new CrashSimulation(imageBytes);
        journal = new CrashSimulation(JournalLayout.fileBytes(ringBytes));
    }

    /** The replica's image. */
    public CrashSimulation image() {
        return image;
    }

    /** The replica's journal. */
    public CrashSimulation journal() {
        return journal;
    }

    public boolean exists() {
        return exists;
    }

    PoolUuid uuid() {
        return uuid;
    }

    Blob header() {
        return Blob.of(image.memory().image().asSlice(0, PoolHeader.SIZE));
    }

    /** A replica without content comes into being, all at once. */
    void create(Blob header) {
        image.restore(Arena.ofAuto().allocate(image.memory().size(), 8), true);
        journal.restore(Arena.ofAuto().allocate(journal.memory().size(), 8), true);
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, 8);
        page.copyFrom(MemorySegment.ofArray(header.toByteArray()));
        image.memory().copyIn(0, page, 0, PoolHeader.SIZE);
        image.memory().persist(0, PoolHeader.SIZE);
        uuid = new PoolHeader(page).poolsetUuid();
        long ring = journal.memory().size() - JournalLayout.RING;
        JournalFile.format(journal.memory(), ring, uuid.bytes(), 0);
        exists = true;
    }

    void remove() {
        exists = false;
    }

    /** The disk was replaced by an empty one. */
    public void loseFiles() {
        exists = false;
    }

    /** A power loss: what was not durable may be gone. */
    public void losePower(Random random) {
        image.losePower(CrashSimulation.Loss.RANDOM, random);
        journal.losePower(CrashSimulation.Loss.RANDOM, random);
    }

    /** Becomes what the other one is, all of it durable. */
    public void restore(SimulatedTarget other) {
        image.restore(other.image.memory().image(), true);
        journal.restore(other.journal.memory().image(), true);
        restoreState(other);
    }

    /** All but image and journal. */
    public void restoreState(SimulatedTarget other) {
        exists = other.exists;
        uuid = other.uuid;
        holder = null;
    }

    /** The agent's view of it, as it starts. */
    ReplicaStore open() {
        PoolMemory memory = journal.memory();
        return new ReplicaStore(memory, image.memory(), uuid.bytes(), "replica");
    }
}
