package io.farheap.agent.lock;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.pool.Ownership;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SessionOwner;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The right to a replica: one agent process has it, for one initiator. The kernel takes it away
 * when the process ends, however it ends; only when that is wholly gone, its queue pair too, can
 * another one flush and scan the journal, for nobody stores to it any more
 * (docs/protocol.md#end-old-connection).
 *
 * <p>The lock file says who has it ({@link ReplicaHolder}), for messages and for ending it; the
 * lock itself is the kernel's.
 */
public final class ReplicaLock implements AutoCloseable {
    /** How long a process that is to end gets before it is ended. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    /** And one whose initiator has let it go: it ends by itself if it can. */
    private static final Duration LEFT_BEHIND_GRACE = Duration.ofMillis(500);

    private static final int OWNER_ONLY = 0600;

    private final Path path;
    private final NativeFile file;
    private Optional<ReplicaHolder> ended = Optional.empty();

    private ReplicaLock(Path path, NativeFile file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Takes the lock. Who has it is ended first if the request may do that: a process that was
     * stopped keeps it, and does not notice that its initiator has gone.
     *
     * @param bound how long to try then
     * @throws Refusal BUSY, naming the holder
     */
    public static ReplicaLock acquire(Path path, LockRequest request, Duration bound) {
        ReplicaLock lock = attempt(path);
        Optional<ReplicaHolder> holder = lock != null ? Optional.empty() : ReplicaHolder.read(path);
        boolean ending = false;
        if (lock == null && request.takeOver()) {
            ending = true;
            request.neighbours().end(path);
            holder.ifPresent(one -> end(one, path));
            lock = awaitEndingAll(path, request.neighbours(), bound);
            boolean unused = LetGoOrder.take(path);
        } else if (holder.filter(one -> one.isLeftBehindBy(request.owner())).isPresent()) {
            if (holder.get().isThisProcess()) {
                ending = true;
                request.neighbours().end(path);
                lock = await(path, bound);
            } else {
                lock = await(path, LEFT_BEHIND_GRACE);
                if (lock == null && kill(holder.get(), path)) {
                    ending = true;
                    lock = await(path, bound);
                }
            }
        }
        if (lock == null) {
            throw busy(path, ending, request.isRecorded());
        }
        lock.awaitEndOfKilled(bound);
        lock.ended = ending ? holder : Optional.empty();
        lock.write(ReplicaHolder.self(request));
        return lock;
    }

    /**
     * Takes the lock for a moment, where nobody has it, without a word who does: so nobody ends
     * this process in the middle of what it does.
     *
     * @throws Refusal BUSY, naming the holder
     */
    public static ReplicaLock acquireBriefly(Path path) {
        ReplicaLock lock = attempt(path);
        if (lock == null) {
            throw new Refusal(
                    Code.BUSY,
                    "The copy is attached to " + nameOfHolder(path) + ".",
                    "It is being written to, or looked at: leave it as it is, or end the agent that"
                            + " has it and give the command again.");
        }
        return lock;
    }

    private static ReplicaLock await(Path path, Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        ReplicaLock lock = attempt(path);
        while (lock == null && System.nanoTime() < deadline) {
            pause();
            lock = attempt(path);
        }
        return lock;
    }

    /** Who lost it may connect again at once, and have it first: that one is ended, too. */
    private static ReplicaLock awaitEndingAll(Path path, Neighbours here, Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        ReplicaLock lock = attempt(path);
        while (lock == null && System.nanoTime() < deadline) {
            here.end(path);
            if (ReplicaHolder.read(path).filter(ReplicaHolder::isAnotherService).isPresent()) {
                LetGoOrder.give(path);
            }
            boolean unused = ReplicaHolder.read(path).filter(one -> kill(one, path)).isPresent();
            pause();
            lock = attempt(path);
        }
        return lock;
    }

    /**
     * Waits until nobody stores to the journal any more: with a process that was killed, the lock
     * may go before its queue pair does.
     */
    private void awaitEndOfKilled(Duration bound) {
        Optional<ReplicaHolder> last = ReplicaHolder.read(path);
        long deadline = System.nanoTime() + bound.toNanos();
        while (last.filter(one -> !one.isThisProcess())
                .filter(ReplicaHolder::isBeingTakenApart)
                .isPresent()) {
            if (System.nanoTime() > deadline) {
                close();
                throw busy(path, true, false);
            }
            pause();
        }
    }

    /** Who had it and was ended for this one. */
    Optional<ReplicaHolder> ended() {
        return ended;
    }

    /** The same in words. */
    public Optional<String> endedHolder() {
        return ended.map(ReplicaHolder::toString);
    }

    /** Whether who has the lock, or had it last, has it for that opening. */
    public static boolean isFor(Path path, SessionOwner owner) {
        return ReplicaHolder.read(path).filter(holder -> holder.isOf(owner)).isPresent();
    }

    /** Who has the lock now; empty: nobody. */
    public static String holder(Path path) {
        if (!Files.exists(path)) {
            return "";
        }
        try (ReplicaLock free = attempt(path)) {
            return free != null ? "" : nameOfHolder(path);
        }
    }

    private static String nameOfHolder(Path path) {
        return ReplicaHolder.read(path).map(ReplicaHolder::toString).orElse("an unknown process");
    }

    private static Refusal busy(Path path, boolean ending, boolean isRecorded) {
        if (ReplicaHolder.read(path).filter(ReplicaHolder::isAnotherService).isPresent()) {
            return new Refusal(
                    Code.BUSY,
                    "The replica is attached to "
                            + nameOfHolder(path)
                            + ", through an agent that listens"
                            + (ending ? " and does not let it go." : "."),
                    ending
                            ? "Stop that agent on the target (systemctl stop farheap-agent)."
                            : endIt(isRecorded));
        }
        return new Refusal(
                Code.BUSY,
                "The replica is attached to "
                        + nameOfHolder(path)
                        + (ending ? ", which does not end." : "."),
                ending ? "End that process on the target." : endIt(isRecorded));
    }

    /** {@code farheap sync} takes over no pool under automatic fail-over. */
    private static String endIt(boolean isRecorded) {
        return isRecorded
                ? "End that program; this one tries again by itself."
                : "End that program, or take over if it hangs (farheap sync --take-over).";
    }

    /** The lock, or null when somebody has it. */
    private static ReplicaLock attempt(Path path) {
        try {
            while (true) {
                NativeFile file = open(path);
                ReplicaLock lock = new ReplicaLock(path, file);
                if (!isFree(file)) {
                    file.close();
                    return null;
                }
                if (file.isAtItsPath()) {
                    lock.giveToOwner();
                    return lock;
                }
                lock.close(); // removed with its replica while we waited
            }
        } catch (FarheapException e) {
            if (e instanceof Refusal) {
                throw e;
            }
            throw new Refusal(
                    Code.ACCESS,
                    "The agent cannot make its lock file: " + e.getMessage() + ".",
                    "Mend that on the target.",
                    e);
        }
    }

    /** Root, who promotes a replica, does not keep the agent's own user out. */
    private void giveToOwner() {
        if (file.size() > 0) {
            return; // it was there before
        }
        try {
            Ownership.giveBeside(ReplicaPaths.partOf(path), file);
        } catch (FarheapException e) {
            abandon(e);
            throw e;
        }
    }

    /** A link would have another file locked, and written. */
    private static NativeFile open(Path path) {
        NativeFile file = NativeFile.openOrCreate(path, OWNER_ONLY);
        if (!Files.isRegularFile(file.asOpened())) {
            file.close();
            throw new Refusal(
                    Code.ACCESS,
                    "In the place of the agent's lock file, " + path + ", is no regular file.",
                    "Move it away on the target.");
        }
        return file;
    }

    private static boolean isFree(NativeFile file) {
        try {
            return file.tryLock();
        } catch (FarheapException e) {
            file.close();
            throw new Refusal(
                    Code.ACCESS,
                    "The agent cannot lock " + file.path() + ": " + e.getMessage() + ".",
                    "Keep the replica on a file system that has locks (flock).",
                    e);
        }
    }

    private void write(ReplicaHolder holder) {
        try {
            holder.write(file);
        } catch (FarheapException e) {
            abandon(e);
            throw new Refusal(
                    Code.MEDIUM,
                    "The agent cannot write its lock file " + path + ": " + e.getMessage(),
                    "Make room on the target.",
                    e);
        }
    }

    /** On a full disk not even an empty file is left behind. */
    private void abandon(FarheapException why) {
        try (file) {
            boolean unused = NativeFile.delete(path);
        } catch (FarheapException e) {
            why.addSuppressed(e);
        }
    }

    /** TERM, and KILL when that is not heeded: a stopped process heeds nothing else. */
    private static void end(ReplicaHolder holder, Path path) {
        processOf(holder, path)
                .ifPresent(
                        process -> {
                            boolean unused = process.destroy();
                            if (!awaitExit(process, GRACE)) {
                                unused = process.destroyForcibly();
                            }
                        });
    }

    /**
     * KILL at once: nobody is there whom it could tell anything, or whom it may tell it slowly.
     *
     * @return whether it was the process that has the lock
     */
    private static boolean kill(ReplicaHolder holder, Path path) {
        Optional<ProcessHandle> process = processOf(holder, path);
        process.ifPresent(ProcessHandle::destroyForcibly);
        return process.isPresent();
    }

    /**
     * Never this one, none that serves others as well, and none that is known not to have the lock.
     */
    private static Optional<ProcessHandle> processOf(ReplicaHolder holder, Path path) {
        return holder.process()
                .filter(one -> !holder.isThisProcess() && !holder.service())
                .filter(one -> holder.canHave(path));
    }

    private static boolean awaitExit(ProcessHandle handle, Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        while (handle.isAlive()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refusal(Code.OTHER, "The agent is ending.", "", e);
        }
    }

    /**
     * Removes the lock file where there is no replica (any more); whoever waits for it makes a new
     * one.
     *
     * @param journal exists where there is a replica
     */
    public void removeUnless(Path journal) {
        if (Files.exists(journal, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            boolean unused = NativeFile.delete(path);
        } catch (FarheapException e) {
            throw new Refusal(Code.ACCESS, e.getMessage() + ".", "", e);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
