package io.farheap.agent.replica;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalPlace;
import io.farheap.agent.records.RecordCursor;
import io.farheap.agent.store.ImageKind;
import io.farheap.agent.store.SlotEvents;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PartInspection.Condition;
import io.farheap.poolset.Part;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotLayout;
import io.farheap.replication.journal.SlotTimes;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Looks at a replica's files without its lock and without changing them, whether an agent has them
 * open or not: what is running may move while it is looked at.
 *
 * @param slot what is durable about it; null when that can't be read
 * @param header the first part's header page; empty when there is none
 * @param faults what is missing or broken, a sentence for each file; empty: nothing was found
 * @param program who has a part open that is no agent; empty: nobody
 */
public record ReplicaInspection(SlotReport slot, Blob header, List<String> faults, String program) {

    /**
     * @param held an agent has the replica: only sizes are looked at
     * @throws Refusal ACCESS where no file is there, and it can't be told that none ever was
     */
    public static ReplicaInspection of(ReplicaPaths paths, boolean held) {
        List<Path> files = paths.parts().stream().map(Part::path).toList();
        if (files.stream().noneMatch(Files::exists) && !paths.journal().exists()) {
            files.forEach(ReplicaInspection::requireDirectory);
            return new ReplicaInspection(null, Blob.EMPTY, List.of(), "");
        }
        if (!held && isUnfinished(paths.journal()) && holdsNothing(paths)) {
            return new ReplicaInspection(null, Blob.EMPTY, List.of(), "");
        }
        List<String> faults = new ArrayList<>();
        Path first = files.get(0);
        try (Arena arena = Arena.ofShared()) {
            OptionalLong runId = OptionalLong.empty();
            Blob header = Blob.EMPTY;
            if (Files.isRegularFile(first) && Files.size(first) >= Descriptor.END) {
                MemorySegment begin = map(first, Descriptor.END, arena);
                header = Blob.of(begin.asSlice(0, PoolHeader.SIZE));
                runId =
                        OptionalLong.of(
                                begin.get(ValueLayout.JAVA_LONG_UNALIGNED, Descriptor.RUN_ID));
            }
            SlotReport slot = slot(paths, runId, header, arena, faults);
            boolean complete =
                    slot != null
                            && (slot.state() == ReplicaState.INSYNC
                                    || slot.state() == ReplicaState.PROMOTED);
            boolean memory = slot != null && !ImageKind.of(slot.state()).isPool();
            String program = "";
            for (int p = 0; p < paths.parts().size(); p++) {
                // Without content there is no descriptor in the first part.
                if (held || memory || (p == 0 && !complete)) {
                    sizeFault(paths.parts().get(p)).ifPresent(faults::add);
                    continue;
                }
                PartInspection part = PartInspection.of(paths.set(), 0, p);
                if (part.condition() == Condition.UNREADABLE) {
                    throw new UnreadablePartException(part.problem());
                }
                if (part.condition() == Condition.IN_USE) {
                    if (isOurs(part.path())) { // a command's that is about to remove it
                        sizeFault(paths.parts().get(p)).ifPresent(faults::add);
                        continue;
                    }
                    program = NativeFile.lockHolder(part.path());
                }
                if (!part.isHealthy()) {
                    faults.add(part.problem());
                }
            }
            return new ReplicaInspection(slot, header, List.copyOf(faults), program);
        } catch (UnreadablePartException e) {
            // With what else is known of it, it would pass for one that may be copied over.
            return new ReplicaInspection(null, Blob.EMPTY, List.of(e.getMessage()), "");
        } catch (IOException e) {
            return new ReplicaInspection(
                    null, Blob.EMPTY, List.of("its files cannot be read: " + e), "");
        }
    }

    private static boolean isOurs(Path part) throws IOException {
        OptionalLong pid = NativeFile.lockedBy(part);
        return pid.isPresent() && pid.getAsLong() == ProcessHandle.current().pid();
    }

    /** Without it the part may be on a file system that is not mounted. */
    private static void requireDirectory(Path part) {
        Path directory = part.getParent();
        try {
            if (FileStatus.of(directory).exists() && !FileStatus.of(part).exists()) {
                return;
            }
        } catch (FarheapException e) {
            throw new Refusal(Code.ACCESS, e.getMessage(), "", e);
        }
        throw new Refusal(
                Code.ACCESS,
                "The directory "
                        + directory
                        + " is not there, so what the replica holds is not known.",
                "Mount the file system that it is on, or, where there never was one, make it on the"
                        + " target.");
    }

    /** How much of a pool a replica has, in words. */
    public static String holds(SlotReport slot) {
        return slot.state()
                + ", number "
                + Long.toUnsignedString(slot.cur())
                + ", "
                + slot.lastSequence()
                + " commits in it"
                + (slot.writtenMillis() == 0
                        ? ""
                        : ", last written " + Instant.ofEpochMilli(slot.writtenMillis()));
    }

    /**
     * Whether no content has ever been stored into the parts that are there: they were made
     * together, and there is no descriptor, without which nobody opens them. False where they can't
     * be read.
     */
    public static boolean holdsNothing(ReplicaPaths paths) {
        List<Path> there =
                paths.parts().stream()
                        .map(Part::path)
                        .filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                        .toList();
        if (there.isEmpty()) {
            return true;
        }
        Path first = paths.parts().get(0).path();
        try (Arena arena = Arena.ofShared()) {
            if (!there.contains(first) || !Files.isRegularFile(first)) {
                return false;
            }
            MemorySegment begin = map(first, Math.min(Files.size(first), Descriptor.END), arena);
            MemorySegment header = begin.asSlice(0, Math.min(begin.byteSize(), PoolHeader.SIZE));
            if (!isZero(begin.asSlice(header.byteSize()))) {
                return false;
            }
            for (Path later : there.subList(1, there.size())) {
                MemorySegment its = map(later, Math.min(Files.size(later), PoolHeader.SIZE), arena);
                if (!isZero(its) && !isOfOneSet(header, its)) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isOfOneSet(MemorySegment first, MemorySegment later) {
        return first.byteSize() == PoolHeader.SIZE
                && later.byteSize() == PoolHeader.SIZE
                && new PoolHeader(first).poolsetUuid().equals(new PoolHeader(later).poolsetUuid());
    }

    private static SlotReport slot(
            ReplicaPaths paths, OptionalLong runId, Blob header, Arena arena, List<String> faults)
            throws IOException {
        if (!paths.journal().isReadable()) {
            String missing =
                    Files.isSymbolicLink(paths.journal().path())
                            ? " leads to no device that is there"
                            : " is missing";
            faults.add(paths.journal().path() + missing + whatElse(header, runId));
            return null;
        }
        try {
            return slot(paths.journal().read(Long.MAX_VALUE, arena), paths, runId);
        } catch (FarheapException e) {
            faults.add(e.getMessage());
            return null;
        }
    }

    /** Without a journal the files may be a pool that was taken over elsewhere. */
    private static String whatElse(Blob header, OptionalLong runId) {
        boolean pool =
                header.length() > 0
                        && new PoolHeader(MemorySegment.ofArray(header.toByteArray()))
                                .hasSignature();
        return pool && runId.isPresent()
                ? ": the part files are a pool with the number "
                        + runId.getAsLong()
                        + ", no replica"
                : "";
    }

    private static Optional<String> sizeFault(Part part) throws IOException {
        if (!Files.isRegularFile(part.path())) {
            return Optional.of(part.path() + " is missing");
        }
        long size = Files.size(part.path());
        return size == part.size()
                ? Optional.empty()
                : Optional.of(part.path() + " has " + size + " bytes instead of " + part.size());
    }

    private static MemorySegment map(Path file, long bytes, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(MapMode.READ_ONLY, 0, bytes, arena);
        }
    }

    private static SlotReport slot(MemorySegment journal, ReplicaPaths paths, OptionalLong runId) {
        String name = paths.journal().path().toString();
        PoolUuid uuid = uuidIn(journal, name);
        long capacity = JournalLayout.readHeader(journal, uuid.bytes(), name);
        ReplicaSlot slot = SlotLayout.read(journal, name);
        long tail = 0;
        ImageKind kind = ImageKind.of(slot);
        if (kind.hasRecords(slot.state())) {
            MemorySegment ring = journal.asSlice(JournalLayout.RING, capacity);
            long imageBytes = paths.set().poolSize();
            RecordCursor cursor = new RecordCursor(ring, kind.bounds(imageBytes), imageBytes);
            cursor.moveTo(slot.journalEpoch(), slot.appliedSequence(), slot.appliedPosition());
            while (cursor.peek(slot.appliedPosition() + capacity)) {
                cursor.step();
            }
            if (cursor.isAtOtherVersion()) {
                throw FarheapException.badData(
                        "%s has record %s of a later release of Farheap: upgrade the agent here",
                        name, cursor.sequence() + 1);
            }
            tail = cursor.sequence() - slot.appliedSequence();
        }
        // A lost image was not opened by anybody.
        return SlotEvents.report(
                        slot, slot.appliedSequence() + tail, runId.orElse(slot.poolRunId()))
                .at(SlotTimes.read(journal, slot.generation()));
    }

    private static PoolUuid uuidIn(MemorySegment journal, String name) {
        return PoolUuid.of(JournalLayout.readPoolsetUuid(journal, name));
    }

    /**
     * Whether the agent that was making this journal, which it does first and formats last, was
     * killed before it had.
     */
    public static boolean isUnfinished(JournalPlace journal) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment begin = journal.read(JournalLayout.RING, arena);
            // a device tells its owner there
            boolean device = journal.device().isPresent();
            long header = device ? JournalLayout.OWNER : JournalLayout.SLOTS;
            if (!isZero(begin.asSlice(0, Math.min(begin.byteSize(), header)))) {
                return false;
            }
            // The first slot is written before the header.
            return isZero(begin.asSlice(Math.min(begin.byteSize(), JournalLayout.SLOTS)))
                    || begin.byteSize() == JournalLayout.RING
                            && isFirst(SlotLayout.read(begin, ""));
        } catch (FarheapException | IOException e) {
            return false; // whatever it is: opening it says what is wrong
        }
    }

    private static boolean isFirst(ReplicaSlot slot) {
        return slot.state() == ReplicaState.NEW
                || slot.equals(ReplicaSlot.memory())
                || slot.equals(ReplicaSlot.promoted(slot.cur()));
    }

    /** The slot of a replica's journal; empty when that is damaged or was never finished. */
    public static Optional<ReplicaSlot> slotOf(JournalPlace journal) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment file = journal.read(JournalLayout.RING, arena);
            return file.byteSize() < JournalLayout.RING
                    ? Optional.empty()
                    : Optional.of(SlotLayout.read(file, journal.path().toString()));
        } catch (FarheapException | IOException e) {
            return Optional.empty();
        }
    }

    private static boolean isZero(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != 0) {
                return false;
            }
        }
        return true;
    }

    /** The poolset that a journal belongs to; empty when it is damaged or was never finished. */
    public static Optional<PoolUuid> journalUuid(JournalPlace journal) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment file = journal.read(Long.MAX_VALUE, arena);
            return Optional.of(uuidIn(file, journal.path().toString()));
        } catch (FarheapException | IOException e) {
            return Optional.empty();
        }
    }

    /** A part is there, and what it holds can't be known. */
    private static final class UnreadablePartException extends IOException {
        private static final long serialVersionUID = 1L;

        UnreadablePartException(String problem) {
            super(problem);
        }
    }
}
