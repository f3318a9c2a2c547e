package io.farheap.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;

/**
 * 8-byte words of which a copy costs next to nothing: pages are shared until somebody stores in
 * one. Who wants all of them side by side gets that, and copies cost more from then on.
 */
final class SharedWords {
    private static final int SHIFT = 9;
    private static final int PAGE_WORDS = 1 << SHIFT;
    private static final int PAGE_BYTES = PAGE_WORDS * Long.BYTES;
    private static final long[] ZEROS = new long[PAGE_WORDS];

    private final long bytes;
    private final long[][] pages;

    /** Pages that no copy has. */
    private final BitSet own = new BitSet();

    /** Not null: instead of the pages. */
    private long[] whole;

    /** Zeros. */
    SharedWords(long bytes) {
        this.bytes = bytes;
        pages = new long[Math.toIntExact((bytes + PAGE_BYTES - 1) / PAGE_BYTES)][];
        Arrays.fill(pages, ZEROS);
    }

    private SharedWords(SharedWords other) {
        bytes = other.bytes;
        pages = other.pages.clone();
        whole = other.whole == null ? null : other.whole.clone();
        other.own.clear();
    }

    /** The same words; what is stored in one is not in the other. */
    SharedWords copy() {
        return new SharedWords(this);
    }

    long bytes() {
        return bytes;
    }

    long get(int word) {
        return whole == null ? pages[word >> SHIFT][word & (PAGE_WORDS - 1)] : whole[word];
    }

    void set(int word, long value) {
        if (whole != null) {
            whole[word] = value;
            return;
        }
        int page = word >> SHIFT;
        if (!own.get(page)) {
            pages[page] = pages[page].clone();
            own.set(page);
        }
        pages[page][word & (PAGE_WORDS - 1)] = value;
    }

    void read(MemorySegment to, long at, long length, long offset) {
        long done = 0;
        while (done < length) {
            long from = offset + done;
            long piece = Math.min(length - done, PAGE_BYTES - from % PAGE_BYTES);
            MemorySegment source =
                    whole == null
                            ? MemorySegment.ofArray(pages[(int) (from / PAGE_BYTES)])
                            : MemorySegment.ofArray(whole).asSlice(from / PAGE_BYTES * PAGE_BYTES);
            MemorySegment.copy(source, from % PAGE_BYTES, to, at + done, piece);
            done += piece;
        }
    }

    /** All of it, to memory that is zero. */
    void copyToZeros(MemorySegment to) {
        for (int page = 0; page < pages.length; page++) {
            if (whole != null || pages[page] != ZEROS) {
                long at = (long) page * PAGE_BYTES;
                read(to, at, Math.min(PAGE_BYTES, bytes - at), at);
            }
        }
    }

    void fill(MemorySegment content) {
        int words = Math.toIntExact(content.byteSize() / Long.BYTES);
        for (int word = 0; word < words; word++) {
            long value = content.get(ValueLayout.JAVA_LONG_UNALIGNED, (long) word * Long.BYTES);
            if (value != get(word)) {
                set(word, value);
            }
        }
    }

    boolean isLike(SharedWords other) {
        for (int word = 0; word < bytes / Long.BYTES; word++) {
            boolean isShared =
                    whole == null
                            && other.whole == null
                            && pages[word >> SHIFT] == other.pages[word >> SHIFT];
            if (isShared) {
                word |= PAGE_WORDS - 1;
            } else if (get(word) != other.get(word)) {
                return false;
            }
        }
        return true;
    }

    /** All of them side by side; stores there are stores here. */
    MemorySegment whole() {
        if (whole == null) {
            long[] all = new long[Math.toIntExact(bytes / Long.BYTES)];
            copyToZeros(MemorySegment.ofArray(all));
            whole = all;
        }
        return MemorySegment.ofArray(whole);
    }
}
