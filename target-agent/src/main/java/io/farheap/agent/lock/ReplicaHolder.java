package io.farheap.agent.lock;

import io.farheap.memory.NativeFile;
import io.farheap.replication.control.SessionOwner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Who has a replica, as its lock file says in three lines: {@code pid start initiator}, {@code
 * opening attempt}, and {@code service} where the agent listens. For messages, and to find the
 * process that is to be ended; the right itself is the kernel's lock.
 *
 * @param pid of the agent
 * @param start of that process, in clock ticks since the machine's: no setting of the clock changes
 *     it
 * @param initiator its name
 * @param opening checksum of what only the initiator and its agents know; empty: none
 * @param attempt of that opening
 * @param service the process serves other initiators, too: it is never ended for one replica
 */
record ReplicaHolder(
        long pid, long start, String initiator, String opening, long attempt, boolean service) {
    private static final String SERVICE = "service";

    /** More than any initiator's name. */
    private static final long MAX_BYTES = 1 << 16;

    private static final long UNKNOWN_START = -1;

    /** Places among what follows a process's name; that is the second of all (proc(5)). */
    private static final int STATE = 3 - 3;

    private static final int FLAGS = 9 - 3;
    private static final int START = 22 - 3;

    /** The kernel's PF_EXITING. */
    private static final int EXITING = 4;

    /** This process. */
    static ReplicaHolder self(LockRequest request) {
        long me = ProcessHandle.current().pid();
        String name = request.name().replaceAll("\\s+", " ").strip();
        return new ReplicaHolder(
                me,
                startOf(me),
                // Without a third word nobody could take the replica over.
                name.isEmpty() ? "an initiator" : name,
                checksum(request.owner()),
                request.owner().attempt(),
                request.neighbours().areSeveral());
    }

    /** Empty where the file does not say it: nobody is ended on a guess. */
    static Optional<ReplicaHolder> read(Path path) {
        try {
            if (Files.size(path) > MAX_BYTES) {
                return Optional.empty();
            }
            String[] lines = text(path).split("\n", -1);
            String[] words = lines[0].strip().split(" ", 3);
            if (words.length < 3) {
                return Optional.empty();
            }
            String[] owner = lines.length < 2 ? new String[0] : lines[1].split(" ", 2);
            return Optional.of(
                    new ReplicaHolder(
                            Long.parseLong(words[0]),
                            Long.parseLong(words[1]),
                            words[2],
                            owner.length < 2 ? "" : owner[0],
                            owner.length < 2 ? 0 : Long.parseLong(owner[1]),
                            lines.length > 2 && lines[2].equals(SERVICE)));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    void write(NativeFile file) {
        String text =
                pid
                        + " "
                        + start
                        + " "
                        + initiator
                        + "\n"
                        + (opening.isEmpty() ? "" : opening + " " + attempt + "\n")
                        + (service ? (opening.isEmpty() ? "\n" : "") + SERVICE + "\n" : "");
        file.replace(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Path path) throws IOException {
        try (SeekableByteChannel file =
                Files.newByteChannel(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            return new String(
                    Channels.newInputStream(file).readNBytes((int) MAX_BYTES),
                    StandardCharsets.UTF_8);
        }
    }

    boolean isThisProcess() {
        return pid == ProcessHandle.current().pid();
    }

    boolean isAnotherService() {
        return service && !isThisProcess() && process().isPresent();
    }

    /** Whether it has the replica for that opening. */
    boolean isOf(SessionOwner owner) {
        return !opening.isEmpty() && opening.equals(checksum(owner));
    }

    /** Whether it has the replica for an earlier attempt of that opening. */
    boolean isLeftBehindBy(SessionOwner owner) {
        return isOf(owner) && attempt < owner.attempt();
    }

    /** The process, unless it is gone and its number was given to another one. */
    Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .filter(process -> start != UNKNOWN_START && startOf(pid) == start);
    }

    /**
     * Whether it has been killed, and the system has not yet taken back all that it had. Its files
     * go one by one: a network card may reach its memory when its lock is another one's already.
     */
    boolean isBeingTakenApart() {
        if (start == UNKNOWN_START || startOf(pid) != start) {
            return false;
        }
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.anyMatch(ReplicaHolder::isBeingTakenApart);
        } catch (IOException | UncheckedIOException e) {
            return false; // it is gone meanwhile
        }
    }

    private static boolean isBeingTakenApart(Path thread) {
        try {
            String[] words = stat(thread);
            return !words[STATE].equals("Z")
                    && !words[STATE].equals("X")
                    && (Long.parseLong(words[FLAGS]) & EXITING) != 0;
        } catch (IOException | RuntimeException e) {
            return false; // it is gone meanwhile
        }
    }

    /** Whether the system doesn't say that the lock is another process's. */
    boolean canHave(Path lock) {
        try {
            OptionalLong known = NativeFile.lockedBy(lock);
            return known.isEmpty() || known.getAsLong() == pid;
        } catch (IOException e) {
            return true; // it says nothing
        }
    }

    private static long startOf(long process) {
        try {
            return Long.parseLong(stat(Path.of("/proc", Long.toString(process)))[START]);
        } catch (IOException | RuntimeException e) {
            return UNKNOWN_START;
        }
    }

    private static String[] stat(Path process) throws IOException {
        String line = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
        // The name before it may have anything in it.
        return line.substring(line.lastIndexOf(')') + 2).split(" ");
    }

    /** The file is there for everybody to read. */
    private static String checksum(SessionOwner owner) {
        if (owner.opening().isEmpty()) {
            return "";
        }
        try {
            byte[] bytes = owner.opening().getBytes(StandardCharsets.US_ASCII);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }

    @Override
    public String toString() {
        return initiator + " (agent process " + pid + ")";
    }
}
