package io.farheap.agent.journal;

import io.farheap.base.FarheapException;
import io.farheap.memory.DeviceDax;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.DaxDevice;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.OwnerLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * A device DAX for journals, open: whose journal it has, and how it becomes and ceases to be one's.
 *
 * <p>Taking begins with the owner's name and giving back ends with it, so a device that a crash
 * leaves in between is still known as that owner's, who takes or gives it back again.
 */
final class JournalDevice implements AutoCloseable {
    private final DaxDevice device;
    private final NativeFile file;
    private final long size;
    private final long alignment;

    private JournalDevice(DaxDevice device, NativeFile file, long size, long alignment) {
        this.device = device;
        this.file = file;
        this.size = size;
        this.alignment = alignment;
    }

    /**
     * @throws FarheapException category ENVIRONMENT when the system refuses
     */
    static JournalDevice open(DaxDevice device) {
        long size;
        long alignment;
        try {
            size = device.size();
            alignment = device.alignment();
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot examine %s: %s", device.path(), e);
        }
        try {
            NativeFile file = NativeFile.open(device.path());
            return new JournalDevice(device, file, size, alignment);
        } catch (FarheapException e) {
            throw FarheapException.environment(
                    e, "%s; the agent's user needs the right to read and write it", e.getMessage());
        }
    }

    /** Nobody else has it open for a journal from now on. */
    JournalDevice lock() {
        try {
            file.lock();
            return this;
        } catch (FarheapException e) {
            close();
            throw e;
        }
    }

    NativeFile file() {
        return file;
    }

    long alignment() {
        return alignment;
    }

    long size() {
        return size;
    }

    /** How many bytes are mapped for a journal of so many; all if there are no more. */
    long mappedBytes(long journalBytes) {
        return Math.min(size, (journalBytes + alignment - 1) / alignment * alignment);
    }

    /** The same for one of any size. */
    long mappedBytes() {
        return mappedBytes(JournalLayout.fileBytes(JournalLayout.MAX_CAPACITY));
    }

    /** All of a journal, read-only. */
    MemorySegment read(Arena arena) {
        return DeviceDax.read(file, mappedBytes(), arena);
    }

    /**
     * Whose journal it has.
     *
     * @return empty: nobody's, and nothing else that anybody might need
     * @throws FarheapException category BAD_DATA when it holds something else
     */
    Optional<String> owner() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment begin = DeviceDax.read(file, mappedBytes(JournalLayout.RING), arena);
            return owner(begin, device.path().toString());
        }
    }

    static Optional<String> owner(MemorySegment device, String name) {
        Optional<String> owner = OwnerLayout.read(device, name);
        boolean empty =
                isZero(device.asSlice(0, JournalLayout.OWNER))
                        && isZero(
                                device.asSlice(
                                        JournalLayout.SLOTS,
                                        JournalLayout.RING - JournalLayout.SLOTS));
        if (owner.isEmpty() && !empty) {
            throw FarheapException.badData(
                    "%s holds something that is no journal of an agent, and is not"
                            + " overwritten (where nobody needs it: daxio --zero --output=%s)",
                    name, name);
        }
        return owner;
    }

    /**
     * Makes an empty device, or one that is its owner's already, an unfinished journal, durably.
     *
     * @param bytes of the journal
     */
    static void take(PoolMemory memory, String owner, long bytes) {
        wipe(memory, bytes);
        if (OwnerLayout.read(memory.image(), owner).isEmpty()) {
            OwnerLayout.write(memory.image(), owner);
            memory.persist(JournalLayout.OWNER, JournalLayout.SLOTS - JournalLayout.OWNER);
            OwnerLayout.stamp(memory.image());
            memory.persist(OwnerLayout.MAGIC_AT, Long.BYTES);
        }
    }

    /** It is nobody's afterwards, durably. */
    static void giveBack(PoolMemory memory) {
        wipe(memory, JournalLayout.RING);
        memory.persistLong(OwnerLayout.MAGIC_AT, 0);
        zero(memory, JournalLayout.OWNER, JournalLayout.SLOTS);
    }

    /** First it is no journal any more; then its parts go. */
    private static void wipe(PoolMemory memory, long bytes) {
        zero(memory, 0, JournalLayout.OWNER);
        zero(memory, JournalLayout.SLOTS, bytes);
    }

    private static void zero(PoolMemory memory, long from, long to) {
        memory.fill(from, to - from, (byte) 0);
        memory.persist(from, to - from);
    }

    private static boolean isZero(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            if (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        file.close();
    }
}
