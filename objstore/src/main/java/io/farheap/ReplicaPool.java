package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.SnapshotTooOldException;
import io.farheap.engine.EngineOf;
import io.farheap.engine.ScratchPool;
import io.farheap.heap.ReplicaHeap;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.memory.PortablePersistence;
import io.farheap.pool.PoolSource;
import io.farheap.pool.ReplicaImage;
import io.farheap.readers.ReaderSlot;
import io.farheap.readers.ReadersFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A replica on this machine, read while its agent applies commits to it: {@link
 * ObjectPool#openReplica}. Any number of processes read one replica, up to 126 views at a time in
 * all; none of them changes anything, and none holds up a commit.
 *
 * <p>Each {@link #read} sees the replica at one commit boundary, the newest there is; the next one
 * may see a later one, never an earlier one while the replica follows the same writer. How far that
 * lies behind the writer says {@link #age}, and {@link #await} waits for a commit that somebody
 * else made.
 *
 * <p>The replica can be read while an agent on this machine has it and its writer is attached, and
 * it isn't being copied anew. When its writer goes or changes, reads wait, bounded, until it comes
 * back; once the files have become a pool of their own, they end for good: open again, here or on
 * another machine. Reader and agent must see each other's processes (one pid namespace).
 *
 * <p>Thread-safe. A process that ends without closing it leaves nothing that lasts.
 */
public final class ReplicaPool implements AutoCloseable {
    private static final int ATTEMPTS = 4;
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int SPINS = 100;
    private static final long PAUSE_NANOS = 100_000;

    /** How long after it was looked for an agent may be gone without that being noticed. */
    private static final long AGENT_CHECK_NANOS = 100_000_000;

    static {
        EngineOf.grantReplicas(pool -> ((ReplicaPool) pool).memory);
    }

    private final ReplicaImage image;
    private final PoolMemory memory;
    private final ReadersFile file;
    private final ReplicaHeap heap;
    private final long poolId;
    private final ScratchPool scratches = new ScratchPool();
    private final ConcurrentLinkedDeque<ReaderSlot> idle = new ConcurrentLinkedDeque<>();

    /** Shared by views, taken alone by close. */
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    private volatile long agentSeen = System.nanoTime() - 2 * AGENT_CHECK_NANOS;
    private volatile boolean closing;
    private boolean closed;

    private ReplicaPool(ReplicaImage image, ReadersFile file) {
        this.image = image;
        this.memory = image.memory();
        this.file = file;
        this.heap = new ReplicaHeap(memory);
        this.poolId = image.poolsetUuid().poolId();
    }

    static ReplicaPool open(Path path, String layout) {
        PortablePersistence.requireNotUsed("a read replica");
        PoolSource source = PoolSource.of(path);
        Path readers = ReplicaImage.side(source).readers();
        ReadersFile.require(readers);
        ReplicaImage image = ReplicaImage.open(source);
        ReadersFile file;
        try {
            file = ReadersFile.open(readers, image.poolsetUuid());
        } catch (Throwable failure) {
            closeAfter(failure, image);
            throw failure;
        }
        ReplicaPool pool = new ReplicaPool(image, file);
        try {
            return pool.read(view -> pool.validated(layout, view));
        } catch (Throwable failure) {
            closeAfter(failure, pool); // with its slot, or it would be one less for everybody
            throw failure;
        }
    }

    private ReplicaPool validated(String layout, ReplicaView view) {
        try {
            new Descriptor(memory).validate(image.path().toString(), layout);
        } finally {
            view.check();
        }
        return this;
    }

    private static void closeAfter(Throwable failure, AutoCloseable what) {
        try {
            what.close();
        } catch (Exception | Error second) {
            failure.addSuppressed(second);
        }
    }

    /**
     * Reads at one commit boundary. The body is run again, a few times, when it takes longer than
     * commits may wait to be applied here (setting {@code read-hold} of the agent, 1 s; less when
     * much is committed meanwhile): it must have no effect of its own. It must not read this
     * replica inside of itself by another call.
     *
     * @return what the body returned, all of it read at the same moment
     * @throws E what the body throws
     * @throws SnapshotTooOldException when it was evicted each time
     * @throws FarheapException ENVIRONMENT when the replica can't be read, and why
     */
    public <T, E extends Exception> T read(ReplicaRead<T, E> body) throws E {
        Objects.requireNonNull(body, "body");
        use.readLock().lock();
        try {
            requireOpen();
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                ReaderSlot slot = slot();
                try {
                    ReplicaView view = view(slot);
                    Outcome<T> outcome = attempt(view, body);
                    if (outcome != null) {
                        return outcome.value();
                    }
                } finally {
                    slot.end();
                    idle.push(slot);
                }
            }
            throw tooOld(ATTEMPTS);
        } finally {
            use.readLock().unlock();
        }
    }

    private record Outcome<T>(T value) {}

    /** Null: it was evicted, whatever it returned or threw. */
    private <T, E extends Exception> Outcome<T> attempt(ReplicaView view, ReplicaRead<T, E> body)
            throws E {
        try {
            T value = body.apply(view);
            return view.stands() ? new Outcome<>(value) : null;
        } catch (InternalError error) {
            if (view.stands()) {
                throw memory.lost(error);
            }
            return null;
        } catch (Throwable failure) {
            if (view.stands()) {
                throw failure;
            }
            return null;
        } finally {
            view.end();
        }
    }

    private ReaderSlot slot() {
        ReaderSlot slot = idle.poll();
        while (slot != null && !slot.isMine()) {
            slot = idle.poll();
        }
        return slot == null ? newSlot() : slot;
    }

    private ReaderSlot newSlot() {
        ReaderSlot slot = ReaderSlot.claim(file);
        if (slot == null) {
            throw FarheapException.environment(
                    "%s is being read by 126 threads already, of this process and of others; that"
                            + " is as many as can: read with fewer at a time",
                    image.path());
        }
        return slot;
    }

    /** Waits, bounded, until the replica can be read. */
    private ReplicaView view(ReaderSlot slot) {
        long evicted = slot.begin();
        long start = evicted == ReaderSlot.NOT_NOW ? System.nanoTime() : 0;
        for (int tries = 0; evicted == ReaderSlot.NOT_NOW; tries++) {
            requireFollowing();
            if (System.nanoTime() - start > MOST_WAIT_NANOS) {
                throw unreadable("cannot be read, because " + whyNot(slot) + ": try again");
            }
            pause(tries);
            evicted = slot.begin();
        }
        requireAgent(); // what it left behind says that it can be read
        return new ReplicaView(
                this, memory, heap, poolId, scratches, slot, evicted, file.position());
    }

    private String whyNot(ReaderSlot slot) {
        if (!slot.isMine()) {
            return "its agent does not see this process, which must run in the same pid namespace";
        }
        return file.isReadable()
                ? "its agent has been applying a commit for 10 s"
                : "its writer is not attached, or it is being brought up to date, and that has"
                        + " lasted for 10 s";
    }

    private static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Refuses what will not be readable again without somebody's doing. */
    private void requireFollowing() {
        if (file.isPromoted()) {
            throw unreadable(
                    "has become a pool of its own: it was promoted, or this machine's node writes"
                            + " to it now. Open that pool instead, or read another replica");
        }
        requireAgent();
    }

    /** The agent may have ended without a word, or with the machine. */
    private void requireAgent() {
        long now = System.nanoTime();
        if (now - agentSeen > AGENT_CHECK_NANOS) {
            if (!file.isAgentAlive()) {
                throw unreadable(
                        "has no agent now, and so nobody brings it up to date: it can be read again"
                                + " when its writer has attached it");
            }
            agentSeen = now;
        }
    }

    private FarheapException unreadable(String why) {
        return FarheapException.environment("The replica %s %s.", image.path(), why);
    }

    SnapshotTooOldException tooOld(int attempts) {
        return new SnapshotTooOldException(image.path(), attempts);
    }

    /** The commit boundary that a read would find now, or an earlier one. */
    public PoolPosition position() {
        use.readLock().lock();
        try {
            requireOpen();
            return file.position();
        } finally {
            use.readLock().unlock();
        }
    }

    /**
     * Waits until the replica has all commits up to a position: that of {@link ObjectPool#position}
     * after a commit, in whichever process that was made.
     *
     * @return false: it has not come so far within the bound
     * @throws FarheapException ENVIRONMENT when it can't be read any more
     */
    public boolean await(PoolPosition position, Duration bound) {
        Objects.requireNonNull(position, "position");
        return awaitThat(() -> position().compareTo(position) >= 0, bound);
    }

    /**
     * How long ago all that was acknowledged then was known to be here: no commit that is older is
     * missing, if messages take no longer from the writer to here. While nothing is committed it
     * grows up to the interval of the writer's heartbeats. Longer than any other where nobody
     * knows: the agent has just taken the replica up, or the machine was restarted since.
     */
    public Duration age() {
        use.readLock().lock();
        try {
            requireOpen();
            return Duration.ofNanos(file.age());
        } finally {
            use.readLock().unlock();
        }
    }

    /**
     * As {@link #read(ReplicaRead)}, of a state that is not older than that: {@link #age}.
     *
     * @param mostAge should be more than the interval of heartbeats
     * @param bound how long to wait for such a state
     * @throws FarheapException ENVIRONMENT when it was older all the time
     */
    public <T, E extends Exception> T read(Duration mostAge, Duration bound, ReplicaRead<T, E> body)
            throws E {
        if (!awaitThat(() -> age().compareTo(mostAge) <= 0, bound)) {
            throw unreadable(
                    "is older than the "
                            + mostAge.toMillis()
                            + " ms that were asked for"
                            + byHowMuch(mostAge)
                            + ": read it as it is, or read where the writer is");
        }
        return read(body);
    }

    private String byHowMuch(Duration mostAge) {
        Duration age = age();
        return age.toNanos() == ReadersFile.UNKNOWN_AGE
                ? ", for all that its agent has told"
                : ", by " + age.minus(mostAge).toMillis() + " ms";
    }

    private interface Condition {
        boolean holds();
    }

    private boolean awaitThat(Condition condition, Duration bound) {
        long start = System.nanoTime();
        for (int tries = 0; !holds(condition); tries++) {
            if (System.nanoTime() - start >= bound.toNanos()) {
                return false;
            }
            pause(tries); // without the lock: who closes it does not wait for that
        }
        return true;
    }

    private boolean holds(Condition condition) {
        use.readLock().lock();
        try {
            requireOpen();
            boolean holds = condition.holds();
            if (!holds) {
                requireFollowing();
            }
            return holds;
        } finally {
            use.readLock().unlock();
        }
    }

    /** The pool's id, the same on every replica. */
    public long poolId() {
        return poolId;
    }

    private void requireOpen() {
        if (closing || closed) {
            throw FarheapException.wrongUse(
                    "The replica %s was closed; open it again to read it.", image.path());
        }
    }

    /**
     * Waits, bounded, for reads under way, gives back what other readers may use, and unmaps the
     * files. A second call does nothing.
     *
     * @throws FarheapException WRONG_USE inside a read of this thread, or when one still runs after
     *     10 s: the replica stays open then
     */
    @Override
    public void close() {
        if (use.getReadHoldCount() > 0) {
            throw FarheapException.wrongUse(
                    "The replica %s can't be closed inside a read of it.", image.path());
        }
        if (!isLeft()) {
            throw FarheapException.wrongUse(
                    "Reads of the replica %s still run after %s s; end them and close it again.",
                    image.path(), TimeUnit.NANOSECONDS.toSeconds(MOST_WAIT_NANOS));
        }
        try {
            if (!closed) {
                closed = true;
                idle.forEach(ReaderSlot::release);
                file.close();
                image.close();
            }
        } finally {
            use.writeLock().unlock();
        }
    }

    /** Lets nobody in any more, and takes the lock where all reads end in time. */
    private boolean isLeft() {
        closing = true;
        long begin = System.nanoTime();
        for (int tries = 0; !use.writeLock().tryLock(); tries++) {
            if (System.nanoTime() - begin > MOST_WAIT_NANOS) {
                closing = false;
                return false;
            }
            pause(tries);
        }
        return true;
    }
}
