package io.farheap.simulation.agent;

import io.farheap.agent.store.MemoryReplica;
import io.farheap.availability.StoredPool;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotLayout;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** The disk of a target: image and journal of the one replica it may have, and their lock. */
public final class SimulatedTarget {
    /** What an agent finds when it looks for the replica's files. */
    public enum Condition {
        GOOD,
        /** There is no space for new files. */
        FULL,
        READ_ONLY,
        /** The replica of another pool lies there. */
        OTHER_POOL
    }

    private final CrashSimulation image;
    private final CrashSimulation journal;
    private boolean exists;
    private PoolUuid uuid;
    private Condition condition = Condition.GOOD;
    private SimulatedTarget otherPool;
    private boolean foundOtherPool;
    private boolean isPool;
    private boolean ofNode;

    /** The program that has the files open as a pool; null when nobody has. */
    private SimProcess user;

    /** The agent's process that has the replica's lock; null when nobody has. */
    private SimProcess holder;

    /** For which opening of a pool it has that. */
    private SessionOwner owner = SessionOwner.NONE;

    /** An empty disk. */
    public SimulatedTarget(long imageBytes, long ringBytes) {
        image = new CrashSimulation(imageBytes);
        image.expectStoresAround(false);
        journal = new CrashSimulation(JournalLayout.fileBytes(ringBytes));
    }

    /** The replica of another pool, without content: to be found where this one is expected. */
    private SimulatedTarget ofOtherPool() {
        SimulatedTarget made =
                new SimulatedTarget(
                        image.memory().size(), journal.memory().size() - JournalLayout.RING);
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, 8);
        PoolUuid none = PoolUuid.ZERO;
        new PoolHeader(page)
                .format(
                        FeatureFlags.forNewPool(false, false),
                        PoolUuid.of("another pool, no".getBytes(StandardCharsets.US_ASCII)),
                        none,
                        new PoolHeader.Links(none, none, none, none),
                        0);
        made.create(Blob.of(page));
        return made;
    }

    /** What an agent that starts now finds; those that run must be dead. */
    public void setCondition(Condition found) {
        condition = found;
        foundOtherPool |= found == Condition.OTHER_POOL;
    }

    /** Another pool's replica is there to be found; not in a history, which it would change. */
    public void makeOtherPool() {
        otherPool = ofOtherPool();
    }

    /** What an agent finds. */
    public Condition condition() {
        return condition;
    }

    /** The files that an agent finds. */
    public SimulatedTarget found() {
        return condition == Condition.OTHER_POOL ? otherPool : this;
    }

    /** Whether nobody ever took another pool's replica for this one. */
    public boolean isOtherPoolUntouched() {
        return !foundOtherPool || otherPool.exists && otherPool.isNew();
    }

    private boolean isNew() {
        return open().slot().state() == ReplicaState.NEW;
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

    /** The pool set's, of the replica that was made last. */
    public PoolUuid uuid() {
        return uuid;
    }

    /** The image's first page. */
    public Blob header() {
        return Blob.of(image.memory().image().asSlice(0, PoolHeader.SIZE));
    }

    /** A replica without content comes into being, all at once. */
    public void create(Blob header) {
        image.clear();
        journal.clear();
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, 8);
        page.copyFrom(MemorySegment.ofArray(header.toByteArray()));
        image.memory().copyIn(0, page, 0, PoolHeader.SIZE);
        image.memory().persist(0, PoolHeader.SIZE);
        uuid = new PoolHeader(page).poolsetUuid();
        long ring = journal.memory().size() - JournalLayout.RING;
        MemoryReplica.format(journal.memory(), ring, uuid);
        exists = true;
    }

    /** The files are gone. */
    public void remove() {
        exists = false;
    }

    /** The disk was replaced by an empty one. */
    public void loseFiles() {
        exists = false;
    }

    /** The image of a promoted replica, to be opened as a pool, which stores into objects. */
    public CrashSimulation pool() {
        isPool = true;
        image.expectStoresAround(true);
        return image;
    }

    /** It is a node's: its program may open it as a pool, and finds what an agent finds. */
    public void setOfNode() {
        ofNode = true;
    }

    /** Whether it is a node's. */
    public boolean isOfNode() {
        return ofNode;
    }

    /** The program that has the files open as a pool; null: nobody. */
    public SimProcess user() {
        return user;
    }

    /** The agent's process that has the lock; null: nobody. */
    public SimProcess holder() {
        return holder;
    }

    /** For which opening of a pool it has that. */
    public SessionOwner owner() {
        return owner;
    }

    /** An agent's process has the lock from now on; null: nobody has. */
    public void setHolder(SimProcess process) {
        holder = process;
    }

    /** For which opening of a pool it has the lock. */
    public void setOwner(SessionOwner opening) {
        owner = opening;
    }

    /**
     * The process that runs now opens the files as a pool, until it closes them or dies.
     *
     * @throws FarheapException as the pool's files when somebody has them open
     */
    public PoolMemory openPool() {
        SimProcess me = World.current().process();
        SimProcess other = user != null ? user : holder;
        if (other != null && other != me) {
            throw new FarheapException(
                    FarheapException.Category.ENVIRONMENT,
                    "flock \"/simulated/replica.part\": it is in use by " + other);
        }
        user = me;
        me.atDeath(() -> closePool(me));
        PoolMemory memory = pool().memory();
        memory.persist(0, memory.size());
        return memory;
    }

    /** What was stored is in the files, durable or not. */
    public void closePool(SimProcess by) {
        if (user == by) {
            user = null;
            boolean unused = image.lookForStores();
            image.expectStoresAround(false);
            isPool = false;
        }
    }

    /** What a look at the files tells. */
    public SlotReport slotReport() {
        return MemoryReplica.look(journal.memory(), image.memory());
    }

    /** As it stands in the journal. */
    public ReplicaSlot slot() {
        return SlotLayout.read(journal.memory().image(), "journal");
    }

    /** The pool's number in the image. */
    public long runId() {
        return new Descriptor(image.memory()).runId();
    }

    /** A member's copy with that number and no record, whose image is there already. */
    public void formatMember(long number, long term) {
        new Descriptor(image.memory()).switchRunId(number);
        journal.clear();
        long ring = journal.memory().size() - JournalLayout.RING;
        ReplicaSlot slot =
                new ReplicaSlot(
                                ReplicaState.INSYNC,
                                number,
                                0,
                                number,
                                0,
                                0,
                                number,
                                1,
                                false,
                                term)
                        .ofRecord(term == 0 ? 0 : StoredPool.RECORD_ID);
        MemoryReplica.format(journal.memory(), ring, uuid, slot);
        exists = true;
    }

    /** Makes the files of a pool's first part; nothing is in them. */
    public void createFor(MemorySegment header) {
        create(Blob.of(header));
    }

    /** Whether something was stored that the disk should have been told of, and was not. */
    public boolean hasUnknownStores() {
        return image.lookForStores() && !isPool;
    }

    /** A READ of the network's: what it has stored into the journal's ring before is durable. */
    public void pushRing() {
        journal.settle(JournalLayout.RING, journal.memory().size() - JournalLayout.RING);
    }

    /** A power loss: what was not durable may be gone. */
    public void losePower(Random random) {
        image.losePower(CrashSimulation.Loss.RANDOM, random);
        journal.losePower(CrashSimulation.Loss.RANDOM, random);
    }

    /**
     * Becomes what the other one is, all of it durable.
     *
     * @param whole or else only pages stored to since the last time, when it was the same one
     */
    public void restore(SimulatedTarget other, boolean whole) {
        if (isPool) {
            boolean unused = image.lookForStores();
            image.expectStoresAround(false);
            isPool = false;
        }
        image.restore(other.image.memory().image(), whole);
        restoreRest(other);
    }

    /** The same; both began as the same one. */
    public void become(SimulatedTarget other) {
        image.become(other.image);
        restoreRest(other);
    }

    /** The network stores into the journal's ring without the disk's notice: it is copied whole. */
    private void restoreRest(SimulatedTarget other) {
        journal.restore(other.journal.memory().image(), true);
        exists = other.exists;
        uuid = other.uuid;
        condition = Condition.GOOD;
        foundOtherPool = false;
        holder = null;
        user = null;
    }

    /** The agent's view of it, as it starts. */
    public MemoryReplica open() {
        // As when its files are opened.
        PoolMemory memory = journal.memory();
        memory.persist(0, memory.size());
        image.memory().persist(0, image.memory().size());
        return MemoryReplica.open(memory, image.memory(), uuid);
    }
}
