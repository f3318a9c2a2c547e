package io.farheap.layout;

/**
 * A log, in a lane or in an extension (docs/format.md#logs). Offsets from the start of the log, in
 * bytes:
 *
 * <pre>
 *    0 +----------+----------+----------+----------+
 *      | checksum | next     | capacity | gen_num  |   header, 64 bytes
 *   32 +----------+----------+----------+----------+
 *      | flags    | unused, zero                   |
 *   64 +----------+--------------------------------+
 *      | entries, one after the other; a first word of 0 ends the log
 *
 *   word entry, 16 bytes:    | operation, target | value |
 *   buffer entry, 64 bytes
 *   or a multiple:           | operation, target | checksum | size | data, zero padding
 * </pre>
 *
 * <p>The first word of an entry holds the operation in bits 63 to 61 and the target's image offset
 * below. An extension is an internal object whose offset, in {@code next} of the log before it, is
 * rounded up to 64 to find its header.
 */
public final class LogLayout {
    public static final long CHECKSUM = 0;
    public static final long NEXT = 8;
    public static final long CAPACITY = 16;
    public static final long GEN_NUM = 24;
    public static final long FLAGS = 32;
    public static final long HEADER_SIZE = 64;

    /** In flags: the extension's memory belongs to the user, it is unlinked but never freed. */
    public static final long USER_OWNED = 1;

    public static final long WORD_ENTRY_SIZE = 16;
    public static final long WORD_VALUE = 8;

    public static final long BUFFER_CHECKSUM = 8;
    public static final long BUFFER_SIZE = 16;
    public static final long BUFFER_DATA = 24;
    public static final long BUFFER_ALIGNMENT = 64;

    public static final int SET = 0;
    public static final int AND = 1;
    public static final int OR = 2;
    public static final int BUFFER_SET = 5;
    public static final int BUFFER_COPY = 6;

    private static final int OPERATION_SHIFT = 61;
    private static final long OFFSET_MASK = (1L << OPERATION_SHIFT) - 1;

    private LogLayout() {}

    /** The first word of an entry. */
    public static long firstWord(int operation, long offset) {
        return ((long) operation << OPERATION_SHIFT) | offset;
    }

    /** One of the five operations, or a number that is none. */
    public static int operation(long firstWord) {
        return (int) (firstWord >>> OPERATION_SHIFT);
    }

    /** The image offset of an entry's target, not yet validated. */
    public static long target(long firstWord) {
        return firstWord & OFFSET_MASK;
    }

    /** Where the header of the extension in the object at {@code objectOffset} starts. */
    public static long extensionHeader(long objectOffset) {
        return up64(objectOffset);
    }

    /** Data bytes of the extension in the object at {@code objectOffset}; may be negative. */
    public static long extensionCapacity(long objectOffset, long usableSize) {
        long capacity = down64(usableSize - HEADER_SIZE);
        long shift = extensionHeader(objectOffset) - objectOffset;
        return shift == 0 ? capacity : down64(capacity - shift);
    }

    /** What to ask the allocator for, to get an extension of {@code data} bytes. */
    public static long extensionObjectSize(long data) {
        return up64(HEADER_SIZE + data + 128);
    }

    public static long up64(long value) {
        return (value + 63) & -64L;
    }

    public static long down64(long value) {
        return value & -64L;
    }
}
