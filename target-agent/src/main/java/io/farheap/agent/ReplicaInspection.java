package io.farheap.agent;

import io.farheap.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.Part;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Looks at a replica's files without a lock and without changing them, whether an agent has them
 * open or not: what is running may move while it is looked at.
 *
 * @param slot what is durable about it; null when that can't be read
 * @param header the first part's header page; empty when there is none
 * @param health what is wrong with the files; empty: nothing was found
 */
record ReplicaInspection(SlotReport slot, Blob header, String health) {

    static ReplicaInspection of(ReplicaPaths paths) {
        String health = partHealth(paths);
        Path first = paths.parts().get(0).path();
        try (Arena arena = Arena.ofShared()) {
            long runId = 0;
            Blob header = Blob.EMPTY;
            if (Files.isRegularFile(first) && Files.size(first) >= Descriptor.END) {
                MemorySegment begin = map(first, Descriptor.END, arena);
                header = Blob.of(begin.asSlice(0, PoolHeader.SIZE));
                runId = begin.get(ValueLayout.JAVA_LONG_UNALIGNED, Descriptor.RUN_ID);
            }
            if (!Files.isRegularFile(paths.journal())) {
                String none = "there is no journal " + paths.journal();
                return new ReplicaInspection(null, header, health.isEmpty() ? none : health);
            }
            MemorySegment journal = map(paths.journal(), Files.size(paths.journal()), arena);
            try {
                SlotReport slot = slot(journal, paths, runId);
                return new ReplicaInspection(slot, header, health);
            } catch (FarheapException e) {
                return new ReplicaInspection(
                        null, header, health.isEmpty() ? e.getMessage() : health);
            }
        } catch (IOException e) {
            return new ReplicaInspection(null, Blob.EMPTY, "its files cannot be read: " + e);
        }
    }

    private static MemorySegment map(Path file, long bytes, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(MapMode.READ_ONLY, 0, bytes, arena);
        }
    }

    private static String partHealth(ReplicaPaths paths) {
        try {
            for (Part part : paths.parts()) {
                if (!Files.isRegularFile(part.path())) {
                    return part.path() + " is missing";
                }
                long size = Files.size(part.path());
                if (size != part.size()) {
                    return part.path() + " has " + size + " bytes instead of " + part.size();
                }
            }
            return "";
        } catch (IOException e) {
            return "part files cannot be looked at: " + e;
        }
    }

    private static SlotReport slot(MemorySegment journal, ReplicaPaths paths, long runId) {
        String name = paths.journal().toString();
        PoolUuid uuid = uuidIn(journal, name);
        long capacity = JournalLayout.readHeader(journal, uuid.bytes(), name);
        ReplicaSlot slot = SlotLayout.read(journal, name);
        long tail = 0;
        if (slot.state() == ReplicaState.INSYNC) {
            MemorySegment ring = journal.asSlice(JournalLayout.RING, capacity);
            long imageBytes = paths.set().poolSize();
            ImageBounds bounds = new ImageBounds(Descriptor.DEFAULT_HEAP_OFFSET, imageBytes);
            RecordCursor cursor = new RecordCursor(ring, bounds, imageBytes);
            cursor.moveTo(slot.journalEpoch(), slot.appliedSequence(), slot.appliedPosition());
            while (cursor.peek(slot.appliedPosition() + capacity)) {
                cursor.step();
            }
            tail = cursor.sequence() - slot.appliedSequence();
        }
        return new SlotReport(
                slot.state(),
                slot.cur(),
                slot.next(),
                slot.journalEpoch(),
                slot.appliedSequence(),
                tail,
                runId,
                SlotEvents.isForeign(slot, runId));
    }

    private static PoolUuid uuidIn(MemorySegment journal, String name) {
        return PoolUuid.of(JournalLayout.readPoolsetUuid(journal, name));
    }

    /** The poolset that a journal belongs to; empty when it is damaged or was never finished. */
    static Optional<PoolUuid> journalUuid(Path journal) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment file = map(journal, Files.size(journal), arena);
            return Optional.of(uuidIn(file, journal.toString()));
        } catch (FarheapException | IOException e) {
            return Optional.empty();
        }
    }
}
