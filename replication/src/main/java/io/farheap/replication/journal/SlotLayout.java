package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.INT;
import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * A replica's slot on media: two copies, each in a page of its own, written in turn. A change
 * overwrites the older copy; until that is durable the other one still counts, so a change is one
 * atomic step.
 *
 * <pre>
 *    0  state 4 | version 4
 *    8  generation 8
 *   16  cur 8
 *   24  next 8
 *   32  journal epoch 8
 *   40  applied sequence 8
 *   48  applied position 8
 *   56  run_id of the replica's pool 8
 *   64  CRC32C of 0..64, 4
 * </pre>
 *
 * <p>Version 1 is that. Version 2 is the same and says besides that the replica may lag; who knows
 * only the first must not take such a replica for current, and does not read it. Versions 3 and 4
 * are 1 and 2 with a term, of which an agent that does not know it would let an older writer in:
 *
 * <pre>
 *   64  term 8
 *   72  CRC32C of 0..72, 4
 * </pre>
 *
 * <p>Versions 5 to 8 are those before, and say besides that nobody has compared the image since a
 * program had it for its pool: who does not know that would bring up to date too little of it.
 *
 * <p>Versions 11, 12, 15 and 16 are those with a term, and say besides of which record that is: an
 * agent that does not know it would have the last copy of an earlier record overwritten:
 *
 * <pre>
 *   72  id of the record 8
 *   80  CRC32C of 0..80, 4
 * </pre>
 *
 * <p>Each version to come, up to 255, has state, version and generation where these have them. Who
 * does not know it refuses the replica, and does not take the older copy for its state. A version
 * that writes records of another kind, too, says so by its slot first.
 */
public final class SlotLayout {
    /** Bytes of one copy without a term. */
    public static final int BYTES = 68;

    /** Bytes of one copy that must be flushed. */
    static final int MOST_SLOT_BYTES = 84;

    private static final int FIRST_VERSION = 1;
    private static final int LAST_VERSION = 16;

    /** What is larger was never a version: one copy is damaged, and the other one counts. */
    private static final int LARGEST_VERSION = 255;

    // A version is the first one and what it says besides.
    private static final int MAY_LAG = 1;
    private static final int HAS_TERM = 2;
    private static final int UNCOMPARED = 4;
    private static final int HAS_RECORD = 8;

    /** No stream gets so long; sums with a ring's capacity do not overflow. */
    private static final long LARGEST_POSITION = 1L << 62;

    private static final int STATE = 0;
    private static final int VERSION_OFFSET = 4;
    private static final int GENERATION = 8;
    private static final int CUR = 16;
    private static final int NEXT = 24;
    private static final int JOURNAL_EPOCH = 32;
    private static final int APPLIED_SEQUENCE = 40;
    private static final int APPLIED_POSITION = 48;
    private static final int POOL_RUN_ID = 56;
    private static final int CRC = 64;
    private static final int TERM = 64;
    private static final int CRC_WITH_TERM = 72;
    private static final int RECORD_ID = 72;
    private static final int CRC_WITH_RECORD = 80;

    private SlotLayout() {}

    /** Where in the journal file the copy for that generation is written. */
    public static long offsetFor(long generation) {
        return JournalLayout.SLOTS + (generation & 1) * JournalLayout.SLOT_STRIDE;
    }

    /**
     * Writes the slot over the older copy. The caller makes {@link SlotTimes#END} bytes at {@link
     * #offsetFor} durable; only then is it the replica's slot.
     */
    public static void write(MemorySegment file, ReplicaSlot slot) {
        long at = offsetFor(slot.generation());
        file.set(INT, at + STATE, slot.state().code());
        file.set(INT, at + VERSION_OFFSET, versionOf(slot));
        file.set(LONG, at + GENERATION, slot.generation());
        file.set(LONG, at + CUR, slot.cur());
        file.set(LONG, at + NEXT, slot.next());
        file.set(LONG, at + JOURNAL_EPOCH, slot.journalEpoch());
        file.set(LONG, at + APPLIED_SEQUENCE, slot.appliedSequence());
        file.set(LONG, at + APPLIED_POSITION, slot.appliedPosition());
        file.set(LONG, at + POOL_RUN_ID, slot.poolRunId());
        if (slot.term() != 0) {
            file.set(LONG, at + TERM, slot.term());
        }
        if (slot.recordId() != 0) {
            file.set(LONG, at + RECORD_ID, slot.recordId());
        }
        long end = at + crcOffset(versionOf(slot) - FIRST_VERSION);
        file.set(INT, end, checksum(file, at, end));
    }

    private static int versionOf(ReplicaSlot slot) {
        return FIRST_VERSION
                + (slot.mayLag() ? MAY_LAG : 0)
                + (slot.term() != 0 ? HAS_TERM : 0)
                + (slot.uncompared() ? UNCOMPARED : 0)
                + (slot.recordId() != 0 ? HAS_RECORD : 0);
    }

    private static int crcOffset(int says) {
        if ((says & HAS_RECORD) != 0) {
            return CRC_WITH_RECORD;
        }
        return (says & HAS_TERM) != 0 ? CRC_WITH_TERM : CRC;
    }

    /**
     * The slot that counts: the valid copy with the higher generation.
     *
     * @param name the file, for the message
     * @throws FarheapException category BAD_DATA when neither copy is valid, or the younger one is
     *     of a later version
     */
    public static ReplicaSlot read(MemorySegment file, String name) {
        ReplicaSlot a = copy(file, 0);
        ReplicaSlot b = copy(file, 1);
        requireNoneOfALaterVersion(file, a, b, name);
        if (a == null && b == null) {
            throw FarheapException.badData(
                    "%s has no valid copy of the replica's state; if another copy is"
                            + " whole: farheap sync --overwrite makes this one anew from it",
                    name);
        }
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return a.generation() > b.generation() ? a : b;
    }

    /** The older copy may say that an image is whole which is half copied since. */
    private static void requireNoneOfALaterVersion(
            MemorySegment file, ReplicaSlot a, ReplicaSlot b, String name) {
        long known = Math.max(a == null ? 0 : a.generation(), b == null ? 0 : b.generation());
        for (long which = 0; which <= 1; which++) {
            long at = offsetFor(which);
            int version = file.get(INT, at + VERSION_OFFSET);
            if (version > LAST_VERSION
                    && version <= LARGEST_VERSION
                    && file.get(LONG, at + GENERATION) > known
                    && !isKnownButForItsVersion(file, at)) {
                throw FarheapException.badData(
                        "%s has the replica's state in version %d, and this agent knows %d to %d: a"
                                + " later release of Farheap wrote it; upgrade this one, nothing"
                                + " was changed",
                        name, version, FIRST_VERSION, LAST_VERSION);
            }
        }
    }

    /** The version is what is damaged, and no later release wrote it: the other copy counts. */
    private static boolean isKnownButForItsVersion(MemorySegment file, long at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(MOST_SLOT_BYTES, Long.BYTES);
            copy.copyFrom(file.asSlice(at, MOST_SLOT_BYTES));
            for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
                copy.set(INT, VERSION_OFFSET, version);
                if (isIntact(copy, 0, crcOffset(version - FIRST_VERSION))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static ReplicaSlot copy(MemorySegment file, long which) {
        long at = offsetFor(which);
        ReplicaState state = ReplicaState.ofCode(file.get(INT, at + STATE));
        int version = file.get(INT, at + VERSION_OFFSET);
        int says = version - FIRST_VERSION;
        boolean hasTerm = (says & HAS_TERM) != 0;
        boolean hasRecord = (says & HAS_RECORD) != 0;
        if (state == null
                || version < FIRST_VERSION
                || version > LAST_VERSION
                || (file.get(LONG, at + GENERATION) & 1) != which
                || !isIntact(file, at, at + crcOffset(says))) {
            return null;
        }
        ReplicaSlot slot =
                new ReplicaSlot(
                        state,
                        file.get(LONG, at + CUR),
                        file.get(LONG, at + NEXT),
                        file.get(LONG, at + JOURNAL_EPOCH),
                        file.get(LONG, at + APPLIED_SEQUENCE),
                        file.get(LONG, at + APPLIED_POSITION),
                        file.get(LONG, at + POOL_RUN_ID),
                        file.get(LONG, at + GENERATION),
                        (says & MAY_LAG) != 0,
                        hasTerm ? file.get(LONG, at + TERM) : 0,
                        (says & UNCOMPARED) != 0,
                        hasRecord ? file.get(LONG, at + RECORD_ID) : 0);
        boolean isWhole =
                slot.term() > 0 == hasTerm
                        && slot.recordId() > 0 == hasRecord
                        && (hasTerm || !hasRecord);
        return isPossible(slot) && isWhole ? slot : null;
    }

    /** Whether an agent can have written that: a position is the end of so many records. */
    private static boolean isPossible(ReplicaSlot slot) {
        return slot.generation() > 0
                && slot.appliedSequence() >= 0
                && isPossible(slot.appliedSequence(), slot.appliedPosition());
    }

    /** Whether so many records can end there. */
    public static boolean isPossible(long sequence, long position) {
        return position >= 0
                && position < LARGEST_POSITION
                && position % RecordLayout.ALIGNMENT == 0
                && position / RecordLayout.EMPTY_BYTES >= sequence;
    }

    private static boolean isIntact(MemorySegment file, long at, long end) {
        return file.get(INT, end) == checksum(file, at, end);
    }

    private static int checksum(MemorySegment file, long at, long end) {
        CRC32C crc = new CRC32C();
        crc.update(file.asSlice(at, end - at).asByteBuffer());
        return (int) crc.getValue();
    }
}
