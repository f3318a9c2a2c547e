package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The beginning of a backup; little-endian, zeros between the fields:
 *
 * <pre>
 *    0 +-----------+-----------+---------------+------------+
 *      | magic   8 | version 4 | piece bytes 4 | id      16 |
 *   32 +-----------+-----------+---------------+------------+
 *      | id of the base     16 | seal of the base        32 |  zeros: a full backup
 *   80 +-----------+-----------+----------------------------+
 *      | length  2 | file name of the base, UTF-8       254 |
 *  336 +-----------+-----------+-----------+----------------+
 *      | started 8 | image   8 | run_id  8 | commits      8 |  milliseconds, bytes; commits: -1
 *  368 +-----------+-----------+-----------+----------------+  unless the pool was open
 *      | state   4 |                                           see {@link State}
 * 4092 +-----------+-----------------------------------------
 *      | CRC32C  4 |                                           of all other bytes up to 8192
 * 4096 +-----------+-----------------------------------------
 *      | a header of the pool 4096 |
 * 8192 +---------------------------+
 * </pre>
 *
 * @param id of this backup
 * @param base what it builds on; null: nothing, it is full
 * @param startedMillis by this machine's clock
 * @param imageBytes of the pool's image
 * @param runId the pool's number
 * @param commits how many the pool had since it was opened; -1 where it was not open
 * @param state of the pool
 * @param poolHeader 4096 bytes with features and poolset uuid
 */
record BackupHeader(
        UUID id,
        Base base,
        long startedMillis,
        long imageBytes,
        long runId,
        long commits,
        State state,
        byte[] poolHeader) {
    static final int SIZE = 8192;
    static final int PIECE = 16 << 10;
    static final int SEAL_BYTES = 32;

    /** Images beyond it would need a larger piece. */
    static final long MOST_IMAGE_BYTES = 1L << 42;

    private static final long MAGIC = ByteBuffer.wrap(ascii("FHBACKUP")).getLong();
    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 8;
    private static final int PIECE_OFFSET = 12;
    private static final int ID = 16;
    private static final int BASE_ID = 32;
    private static final int BASE_SEAL = 48;
    private static final int BASE_NAME = 80;
    private static final int MOST_NAME_BYTES = 254;
    private static final int STARTED = 336;
    private static final int IMAGE_BYTES = 344;
    private static final int RUN_ID = 352;
    private static final int COMMITS = 360;
    private static final int STATE = 368;
    private static final int CRC = 4092;
    private static final int POOL_HEADER = 4096;

    /** How the pool was when it was copied. */
    enum State {
        /** Nobody had it open, and who had it last has closed it. */
        CLOSED,
        /** A program had it open. */
        OPEN,
        /** A crash left it, or it is itself a copy of files of an open pool. */
        NOT_CLOSED
    }

    /**
     * A backup that another one builds on.
     *
     * @param name its file's, in the same directory
     */
    record Base(UUID id, byte[] seal, String name) {}

    boolean isFull() {
        return base == null;
    }

    PoolHeader ofPool() {
        return new PoolHeader(MemorySegment.ofArray(poolHeader));
    }

    static long pieces(long imageBytes) {
        return (imageBytes + PIECE - 1) / PIECE;
    }

    /** Which commits it has, in words. */
    String point() {
        return switch (state) {
            case OPEN -> "commit " + commits + " of run " + runId;
            case CLOSED -> "all of run " + runId + ", which was closed";
            case NOT_CLOSED -> "run " + runId + ", which was not closed";
        };
    }

    byte[] encode() {
        ByteBuffer to = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        to.put(0, ascii("FHBACKUP"));
        to.putInt(VERSION_OFFSET, VERSION).putInt(PIECE_OFFSET, PIECE);
        putUuid(to, ID, id);
        if (base != null) {
            byte[] name = base.name().getBytes(StandardCharsets.UTF_8);
            if (name.length > MOST_NAME_BYTES) {
                throw FarheapException.wrongUse(
                        "the name %s is too long: rename that backup first", base.name());
            }
            putUuid(to, BASE_ID, base.id());
            to.put(BASE_SEAL, base.seal());
            to.putShort(BASE_NAME, (short) name.length).put(BASE_NAME + Short.BYTES, name);
        }
        to.putLong(STARTED, startedMillis).putLong(IMAGE_BYTES, imageBytes);
        to.putLong(RUN_ID, runId).putLong(COMMITS, commits);
        to.putInt(STATE, state.ordinal());
        to.put(POOL_HEADER, poolHeader);
        to.putInt(CRC, crc(to.array()));
        return to.array();
    }

    /**
     * @throws FarheapException BAD_DATA for what is no such header, or of a version that is not
     *     known here
     */
    static BackupHeader decode(Path file, byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (ByteBuffer.wrap(bytes).getLong(0) != MAGIC) {
            throw FarheapException.badData(
                    "%s is no backup that farheap made: name one that is", file);
        }
        int version = from.getInt(VERSION_OFFSET);
        if (version != VERSION) {
            throw FarheapException.badData(
                    "%s is a backup of version %s, and this farheap reads version %s: use the"
                            + " farheap that made it",
                    file, version, VERSION);
        }
        if (from.getInt(CRC) != crc(bytes)) {
            throw damaged(file, "its header has a wrong checksum");
        }
        long imageBytes = from.getLong(IMAGE_BYTES);
        long commits = from.getLong(COMMITS);
        int state = from.getInt(STATE);
        if (from.getInt(PIECE_OFFSET) != PIECE
                || imageBytes < Descriptor.END
                || imageBytes > MOST_IMAGE_BYTES
                || commits < -1
                || state < 0
                || state >= State.values().length) {
            throw damaged(file, "its header has numbers that none has");
        }
        UUID baseId = uuid(from, BASE_ID);
        return new BackupHeader(
                uuid(from, ID),
                baseId.equals(new UUID(0, 0)) ? null : base(file, from, baseId),
                from.getLong(STARTED),
                imageBytes,
                from.getLong(RUN_ID),
                commits,
                State.values()[state],
                Arrays.copyOfRange(bytes, POOL_HEADER, SIZE));
    }

    private static Base base(Path file, ByteBuffer from, UUID id) {
        int length = from.getShort(BASE_NAME);
        if (length <= 0 || length > MOST_NAME_BYTES) {
            throw damaged(file, "its header names nothing that it builds on");
        }
        String name =
                new String(from.array(), BASE_NAME + Short.BYTES, length, StandardCharsets.UTF_8);
        // A name, not a way to somewhere else.
        if (name.indexOf('/') >= 0 || name.indexOf(0) >= 0 || name.equals("..")) {
            throw damaged(file, "its header names a file elsewhere");
        }
        byte[] seal = Arrays.copyOfRange(from.array(), BASE_SEAL, BASE_SEAL + SEAL_BYTES);
        return new Base(id, seal, name);
    }

    static FarheapException damaged(Path file, String why) {
        return FarheapException.badData(
                "%s is damaged: %s; restore from another backup", file, why);
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC);
        crc.update(bytes, POOL_HEADER, SIZE - POOL_HEADER);
        return (int) crc.getValue();
    }

    static void putUuid(ByteBuffer to, int offset, UUID id) {
        to.putLong(offset, id.getMostSignificantBits());
        to.putLong(offset + Long.BYTES, id.getLeastSignificantBits());
    }

    static UUID uuid(ByteBuffer from, int offset) {
        return new UUID(from.getLong(offset), from.getLong(offset + Long.BYTES));
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
