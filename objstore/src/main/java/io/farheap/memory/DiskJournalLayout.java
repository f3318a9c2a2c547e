package io.farheap.memory;

/**
 * Where things lie in a disk journal, {@code PART0.disk-journal}. Little-endian.
 *
 * <pre>
 *   0      superblock A     written in turn; of those that are valid the one with
 *   4096   superblock B     the larger sequence counts
 *   8192   ring of R bytes, position p at 8192 + p mod R
 *
 *   superblock
 *   +--------+---------+-------+----------+-------------+-----------+------------+
 *   | magic  | version | block | sequence | pool's uuid | part's    | journal id |
 *   | 0, 8   | 8, 4    | 12, 4 | 16, 8    | 24, 16      | 40, 16    | 56, 8      |
 *   +--------+---------+-------+----------+-------------+-----------+------------+
 *   | nonce  | R       | image bytes      | checkpoint  | released  | CRC32C     |
 *   | 64, 8  | 72, 8   | 80, 8            | 88, 8       | 96, 8     | 4092, 4    |
 *   +--------+---------+------------------+-------------+-----------+------------+
 *   released: 1 once the pool was closed, else 0; between it and the CRC32C zeros
 *
 *   batch: what one sync makes durable; starts at a multiple of the block size
 *   +-------+--------+-------+----------+------+------+-------+-----------------------+
 *   | magic | CRC32C | nonce | position | used | kind | zeros | entries, then zeros   |
 *   | 0, 4  | 4, 4   | 8, 8  | 16, 8    | 24,4 | 28,4 | 32,32 | 64 ...  to a block    |
 *   +-------+--------+-------+----------+------+------+-------+-----------------------+
 *
 *   entry: image offset, 8 | length, 8 | bytes      both multiples of 8, offset from 4096 on
 * </pre>
 */
final class DiskJournalLayout {
    static final long SUPERBLOCK_BYTES = 4096;
    static final long RING = 2 * SUPERBLOCK_BYTES;

    /** "FHDJRNL1". */
    static final long MAGIC = 0x314c_4e52_4a44_4846L;

    static final int VERSION = 1;
    static final long MAGIC_AT = 0;
    static final long VERSION_AT = 8;
    static final long BLOCK_AT = 12;
    static final long SEQUENCE_AT = 16;
    static final long OWNER_AT = 24;
    static final int OWNER_BYTES = 32;
    static final long ID_AT = 56;
    static final long NONCE_AT = 64;
    static final long RING_BYTES_AT = 72;
    static final long IMAGE_BYTES_AT = 80;
    static final long CHECKPOINT_AT = 88;
    static final long RELEASED_AT = 96;
    static final long SUPERBLOCK_CRC_AT = 4092;

    /** "FHJB". */
    static final int BATCH_MAGIC = 0x424a_4846;

    static final long BATCH_CRC_AT = 4;

    /** From here to {@code used} a batch's checksum goes. */
    static final long SUMMED_FROM = 8;

    static final long BATCH_NONCE_AT = 8;
    static final long POSITION_AT = 16;
    static final long USED_AT = 24;
    static final long KIND_AT = 28;
    static final int ENTRIES = 0;

    /** Nothing more up to the ring's end. */
    static final int FILLER = 1;

    static final int BATCH_HEADER = 64;
    static final int MOST_BATCH_BYTES = 1 << 20;

    static final long ENTRY_LENGTH = 8;
    static final int ENTRY_HEADER = 16;

    /** Image bytes before this are each part's own header. */
    static final long FIRST_IMAGE_BYTE = 4096;

    static final int LEAST_BLOCK = 512;
    static final int MOST_BLOCK = 4096;

    private DiskJournalLayout() {}
}
