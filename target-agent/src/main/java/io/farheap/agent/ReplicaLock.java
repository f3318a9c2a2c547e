package io.farheap.agent;

import io.farheap.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The right to a replica: one agent process has it, for one initiator. The kernel takes it away
 * when the process ends, however it ends; only then can another one flush and scan the journal, for
 * nobody stores to it any more.
 *
 * <p>The lock file says who has it: {@code pid start-of-process initiator}. That is for messages
 * and for taking over; the lock itself is the kernel's.
 */
final class ReplicaLock implements AutoCloseable {
    /** How long a process that is to end gets before it is ended. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    /** More than any initiator's name. */
    private static final long MAX_HOLDER_BYTES = 1 << 16;

    private final Path path;
    private final NativeFile file;

    private ReplicaLock(Path path, NativeFile file) {
        this.path = path;
        this.file = file;
    }

    /** Who has a lock, as its file says. */
    record Holder(long pid, long startMillis, String initiator) {

        static Holder self(String initiator) {
            ProcessHandle me = ProcessHandle.current();
            String name = initiator.replaceAll("\\s+", " ").strip();
            // Without a third word nobody could take the replica over.
            return new Holder(me.pid(), startOf(me), name.isEmpty() ? "an initiator" : name);
        }

        static Optional<Holder> read(Path path) {
            try {
                if (Files.size(path) > MAX_HOLDER_BYTES) {
                    return Optional.empty();
                }
                String[] words = Files.readString(path).strip().split(" ", 3);
                if (words.length == 3) {
                    return Optional.of(
                            new Holder(
                                    Long.parseLong(words[0]), Long.parseLong(words[1]), words[2]));
                }
                return Optional.empty();
            } catch (IOException | NumberFormatException e) {
                return Optional.empty(); // unknown: nobody is ended on a guess
            }
        }

        /** The process, unless it is gone and its number was given to another one. */
        Optional<ProcessHandle> process() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> startOf(process) == startMillis);
        }

        private static long startOf(ProcessHandle process) {
            return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        }

        @Override
        public String toString() {
            return initiator + " (agent process " + pid + ")";
        }
    }

    /**
     * Takes the lock.
     *
     * @param takeOver end the process that has it
     * @param bound how long to try then
     * @throws Refusal BUSY, naming the holder
     */
    static ReplicaLock acquire(Path path, String initiator, boolean takeOver, Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        ReplicaLock lock = attempt(path);
        if (lock == null && takeOver) {
            Optional<Holder> holder = Holder.read(path);
            holder.ifPresent(ReplicaLock::end);
            while (lock == null && System.nanoTime() < deadline) {
                pause();
                lock = attempt(path);
            }
        }
        if (lock == null) {
            throw busy(path, takeOver);
        }
        lock.write(Holder.self(initiator));
        return lock;
    }

    /** Whether who has the lock, or had it last, has it for that initiator. */
    static boolean isFor(Path path, String initiator) {
        String name = Holder.self(initiator).initiator();
        return Holder.read(path).map(holder -> holder.initiator().equals(name)).orElse(false);
    }

    /** Who has the lock now; empty: nobody. */
    static String holder(Path path) {
        if (!Files.exists(path)) {
            return "";
        }
        try (ReplicaLock free = attempt(path)) {
            return free != null
                    ? ""
                    : Holder.read(path).map(Holder::toString).orElse("an unknown process");
        }
    }

    private static Refusal busy(Path path, boolean takeOver) {
        String holder = Holder.read(path).map(Holder::toString).orElse("an unknown process");
        return new Refusal(
                Code.BUSY,
                "The replica is attached to " + holder + (takeOver ? ", which does not end." : "."),
                takeOver
                        ? "End that process on the target."
                        : "End that program, or take over if it hangs (farheap sync --take-over).");
    }

    /** The lock, or null when somebody has it. */
    private static ReplicaLock attempt(Path path) {
        try {
            while (true) {
                create(path);
                NativeFile file = NativeFile.open(path);
                ReplicaLock lock = new ReplicaLock(path, file);
                try {
                    file.lock();
                } catch (FarheapException held) {
                    file.close();
                    return null;
                }
                if (file.isAtItsPath()) {
                    return lock;
                }
                lock.close(); // removed with its replica while we waited
            }
        } catch (IOException e) {
            throw new Refusal(
                    Code.ACCESS,
                    "The agent cannot make the lock file " + path + ": " + text(e) + ".",
                    "Give the agent's user the right to write in that directory.",
                    e);
        }
    }

    private static String text(IOException e) {
        return e instanceof NoSuchFileException
                ? "no such directory"
                : e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
    }

    private static void create(Path path) throws IOException {
        try {
            Files.createFile(path);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(path)) {
                throw e;
            }
        }
    }

    private void write(Holder holder) {
        String text = holder.pid() + " " + holder.startMillis() + " " + holder.initiator() + "\n";
        try {
            Files.writeString(path, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            abandon(e);
            throw new Refusal(
                    Code.MEDIUM,
                    "The agent cannot write its lock file " + path + ": " + e.getMessage(),
                    "Make room on the target.",
                    e);
        }
    }

    /** On a full disk not even an empty file is left behind. */
    private void abandon(IOException why) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            why.addSuppressed(e);
        }
        close();
    }

    /** TERM, and KILL when that is not heeded: a stopped process heeds nothing else. */
    private static void end(Holder holder) {
        Optional<ProcessHandle> process = holder.process();
        if (process.isEmpty() || process.get().pid() == ProcessHandle.current().pid()) {
            return;
        }
        ProcessHandle handle = process.get();
        boolean unused = handle.destroy();
        if (!awaitExit(handle, GRACE)) {
            unused = handle.destroyForcibly();
        }
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
    void removeUnless(Path journal) {
        if (Files.exists(journal)) {
            return;
        }
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new Refusal(Code.ACCESS, "Cannot remove " + path + ": " + e.getMessage(), "", e);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
