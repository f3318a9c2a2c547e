package io.farheap.heap;

import java.util.List;

/**
 * The 8-byte word that says what a chunk is (docs/format.md#chunks); always stored whole:
 *
 * <pre>
 *  63                               32 31             16 15              0
 * +-----------------------------------+-----------------+-----------------+
 * | size_idx: chunks of the block     | flags           | type            |
 * +-----------------------------------+-----------------+-----------------+
 * </pre>
 *
 * In a FOOTER size_idx is the size of the block it ends; in RUN_DATA the distance back to the run's
 * first chunk. We believe no footer; libpmemobj coalesces by them, over live objects where one
 * leads to a free block that does not end there. So each is as durable as the header it belongs to.
 */
final class ChunkHeader {
    static final int FOOTER = 1;
    static final int FREE = 2;
    static final int USED = 3;
    static final int RUN = 4;
    static final int RUN_DATA = 5;

    static final int COMPACT_HEADER = 0x1;
    static final int HEADER_NONE = 0x2;
    static final int ALIGNED = 0x4;
    static final int FLEX_BITMAP = 0x8;
    static final int KNOWN_FLAGS = COMPACT_HEADER | HEADER_NONE | ALIGNED | FLEX_BITMAP;

    /** From the lowest bit on. */
    static final List<String> FLAG_NAMES =
            List.of("compact header", "header none", "aligned", "flexible bitmap");

    private ChunkHeader() {}

    /** What the last chunk of a block of several says, for whoever comes from behind it. */
    static long footer(int chunks) {
        return word(FOOTER, 0, chunks);
    }

    /**
     * Whether the last chunk of a block of several says how long it is. Some writers have the
     * block's flags in it.
     */
    static boolean isFooter(long word, int chunks) {
        return type(word) == FOOTER && sizeIdx(word) == chunks;
    }

    static long word(int type, int flags, int sizeIdx) {
        return type | (long) flags << 16 | (long) sizeIdx << 32;
    }

    /**
     * Whether the word in a free block's last chunk leads to memory before the block. Where it
     * leads into the block itself, as in the middle of a change, nobody finds a block there.
     */
    static boolean leadsAstray(long word, int chunks) {
        return chunks > 1 && sizeIdx(word) > chunks;
    }

    /**
     * Whether flags can't be a used block's: two kinds of object headers, or what only runs have.
     * Nobody reads by them what is not there; but nobody stored them either.
     */
    static boolean contradicts(int type, int flags) {
        int headers = COMPACT_HEADER | HEADER_NONE;
        return type != FREE && (flags & headers) == headers
                || type == USED && (flags & (ALIGNED | FLEX_BITMAP)) != 0;
    }

    static int type(long word) {
        return (int) (word & 0xFFFF);
    }

    static int flags(long word) {
        return (int) (word >>> 16 & 0xFFFF);
    }

    /** Unsigned 32 bits: what comes from the medium may be anything. */
    static long sizeIdx(long word) {
        return word >>> 32;
    }
}
