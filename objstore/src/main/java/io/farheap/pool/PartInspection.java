package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import io.farheap.poolset.PoolSetRules;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * What one part file looks like by itself, without opening the pool: for tools that check, show and
 * restore. Nothing is changed; a lock is taken for a moment to see whether somebody holds it.
 *
 * @param replica index among the local replicas
 * @param index of the part in its replica
 * @param path the file
 * @param size bytes it must have
 * @param condition what is the matter with it
 * @param problem one sentence, null for a healthy part
 * @param header a copy of its header, null where it has none or none can be read
 * @param runId the run id in its descriptor, whatever its header is; 0 where that is in another
 *     part or can't be read
 */
public record PartInspection(
        int replica,
        int index,
        Path path,
        long size,
        Condition condition,
        String problem,
        PoolHeader header,
        long runId) {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** What is the matter with a part. */
    public enum Condition {
        /** Size, header and, in part 0, descriptor are right. */
        HEALTHY,
        /** There is no such file, or only what holds its place for a restoration that was cut. */
        MISSING,
        /** Somebody has the pool open: nothing can be said. */
        IN_USE,
        /** Something keeps it from being read: it may be whole, and newer than any other. */
        UNREADABLE,
        /** There, but not usable: it can be restored from another replica. */
        BROKEN
    }

    public boolean isHealthy() {
        return condition == Condition.HEALTHY;
    }

    /** Whether nothing can be said of the part, and so nothing may be done to it. */
    public boolean isUnknown() {
        return condition == Condition.IN_USE
                || condition == Condition.UNREADABLE
                || isOfAnotherMaker();
    }

    /** Whether it was not closed and the disk journal that it needs is not there or not right. */
    public boolean lacksDiskJournal() {
        return condition == Condition.UNREADABLE && header != null;
    }

    /** Whether its header is as it was written, and means what we do not understand. */
    public boolean isOfAnotherMaker() {
        return header != null && header.isIntact() && HeaderValidation.ownFault(header) != null;
    }

    /** Whether the part must be made anew. */
    public boolean isLost() {
        return condition == Condition.MISSING || condition == Condition.BROKEN;
    }

    /** The same of a part whose content is found to be damaged; what is known of it stays known. */
    PartInspection damaged(String sentence) {
        return new PartInspection(
                replica, index, path, size, Condition.BROKEN, sentence, header, runId);
    }

    /** The same of a part that is worth nothing: what its header says is not the pool's. */
    PartInspection worthless(String sentence) {
        Condition lost = condition == Condition.MISSING ? condition : Condition.BROKEN;
        return new PartInspection(replica, index, path, size, lost, sentence, null, 0);
    }

    /** Looks at part {@code index} of the {@code replica}-th local replica. */
    public static PartInspection of(PoolSet set, int replica, int index) {
        return of(set, replica, index, true);
    }

    /**
     * The same whether somebody has the pool open or not, and without touching the lock: what is
     * open may change while it is looked at.
     */
    static PartInspection passing(PoolSet set, int replica, int index) {
        return of(set, replica, index, false);
    }

    private static PartInspection of(PoolSet set, int replica, int index, boolean unlocked) {
        LocalReplica local = set.localReplicas().get(replica);
        Part part = local.parts().get(index);
        Path path = part.path();
        try {
            byte[] start = readStart(path, part.size(), unlocked);
            PoolHeader header =
                    set.hasHeader(index)
                            ? new PoolHeader(
                                    MemorySegment.ofArray(start).asSlice(0, PoolHeader.SIZE))
                            : null;
            if (header != null && isLeftMarked(header)) {
                String fault = index > 0 ? null : throughJournal(set, replica, header, start);
                if (fault != null) {
                    return new PartInspection(
                            replica,
                            index,
                            path,
                            part.size(),
                            Condition.UNREADABLE,
                            path + ": " + fault,
                            header,
                            0);
                }
                header = header.withoutMark();
            }
            String problem = problem(set, local, index, header, start);
            Condition condition = problem == null ? Condition.HEALTHY : Condition.BROKEN;
            String sentence = problem == null ? null : path + ": " + problem;
            long runId =
                    index == 0 && Descriptor.faultIn(MemorySegment.ofArray(start)) == null
                            ? MemorySegment.ofArray(start).get(LONG, Descriptor.RUN_ID)
                            : 0;
            return new PartInspection(
                    replica, index, path, part.size(), condition, sentence, header, runId);
        } catch (NoSuchFileException e) {
            return found(replica, index, part, Condition.MISSING, path + " is missing");
        } catch (InUseException e) {
            return found(replica, index, part, Condition.IN_USE, e.getMessage());
        } catch (WrongSizeException e) {
            if (RestorationLeftovers.holdsPlace(path)) {
                return found(
                        replica,
                        index,
                        part,
                        Condition.MISSING,
                        path + " is missing: a restoration that was cut has left an empty file");
            }
            String text = path + " cannot be used: " + e.getMessage();
            return found(replica, index, part, Condition.BROKEN, text);
        } catch (IOException e) {
            return found(replica, index, part, Condition.UNREADABLE, unreadable(path, e));
        }
    }

    private static boolean isLeftMarked(PoolHeader header) {
        return header.isMarked()
                && HeaderValidation.NOT_CLOSED.equals(HeaderValidation.ownFault(header));
    }

    /**
     * Brings the start of a first part to where its disk journal ends.
     *
     * @return why that can't be, or null
     */
    private static String throughJournal(
            PoolSet set, int replica, PoolHeader header, byte[] start) {
        try (JournalLook look = JournalLook.ofReplica(set, replica, header, header)) {
            if (look.fault() == null) {
                look.bringTo(MemorySegment.ofArray(start));
            }
            return look.fault();
        }
    }

    private static String unreadable(Path path, IOException e) {
        return path
                + " cannot be read: "
                + FileStatus.reason(e)
                + "; nothing tells how new it is: mend that, or move it away if it is not wanted,"
                + " and run this again";
    }

    private static PartInspection found(
            int replica, int index, Part part, Condition condition, String problem) {
        return new PartInspection(
                replica, index, part.path(), part.size(), condition, problem, null, 0);
    }

    /** Header and descriptor of the part, as far as its size is right. */
    private static byte[] readStart(Path path, long size, boolean unlocked) throws IOException {
        if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
            throw new IOException("it is not a regular file");
        }
        try (FileChannel channel = FileChannel.open(path)) {
            if (channel.size() != size || size < PoolSetRules.MIN_PART_BYTES) {
                throw new WrongSizeException(
                        "file size does not match config: " + channel.size() + " != " + size);
            }
            if (unlocked) {
                requireUnlocked(path);
            }
            ByteBuffer start = ByteBuffer.allocate((int) Descriptor.END);
            while (start.hasRemaining() && channel.read(start, start.position()) >= 0) {
                continue;
            }
            return start.array();
        }
    }

    private static void requireUnlocked(Path path) throws IOException {
        NativeFile opened;
        try {
            opened = NativeFile.openReadOnly(path);
        } catch (FarheapException e) {
            throw new IOException(e.getMessage(), e);
        }
        try (NativeFile file = opened) {
            file.lock();
        } catch (FarheapException e) {
            throw new InUseException(e);
        }
    }

    private static List<Path> there(LocalReplica replica) {
        return replica.parts().stream().map(Part::path).filter(Files::exists).toList();
    }

    private static String problem(
            PoolSet set, LocalReplica replica, int index, PoolHeader header, byte[] start) {
        if (header == null) {
            return null;
        }
        String fault = HeaderValidation.ownFault(header);
        if (fault != null) {
            return fault;
        }
        if (header.features().hasSingleHeader() != set.has(Option.SINGLEHDR)) {
            return "poolset file options do not match incompat feature flags (0x"
                    + Integer.toHexString(header.features().incompat())
                    + ")";
        }
        if (index == 0) {
            if (header.features().hasShutdownState()
                    && ShutdownStates.tellsOfLostData(header.shutdownState(), there(replica))) {
                return "an ADR failure was detected, the pool might be corrupted";
            }
            return Descriptor.faultIn(MemorySegment.ofArray(start));
        }
        return null;
    }

    /** What is there can be read, and is no such part. */
    private static final class WrongSizeException extends IOException {
        private static final long serialVersionUID = 1L;

        WrongSizeException(String message) {
            super(message);
        }
    }

    /** The part's lock is held. */
    private static final class InUseException extends IOException {
        private static final long serialVersionUID = 1L;

        InUseException(FarheapException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
