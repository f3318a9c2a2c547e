package io.farheap.objects.type;

import java.util.Arrays;

/**
 * A set of offsets. Those that lie close together are bits of one page, so that a set of a heap's
 * objects is small, and what asks for them in their order stays in one place of it; yet any number
 * may be in it, as a damaged pool has offsets of any kind. Not thread-safe.
 *
 * <pre>
 *   63                            12 11        6 5      3 2       0
 *  ┌────────────────────────────────┬───────────┬────────┬─────────┐
 *  │ page                           │ bit       │ word   │ page    │
 *  └────────────────────────────────┴───────────┴────────┴─────────┘
 * </pre>
 */
public final class OffsetSet {
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Of a page: 512 offsets that are as far from a multiple of 8, within 4 KiB. */
    private static final int WORDS = 8;

    private static final int PAGE_SHIFT = 12;
    private static final int BIT_SHIFT = 6;
    private static final int WORD_SHIFT = 3;
    private static final int FIRST_PAGES = 64;

    /** By open addressing: which page is where in {@link #words}, plus 1; 0: none. */
    private int[] places = new int[2 * FIRST_PAGES];

    /** Of each of {@link #places}. */
    private long[] keys = new long[2 * FIRST_PAGES];

    private long[] words = new long[WORDS * FIRST_PAGES];
    private int pages;

    /** The page that was asked for last, and where it is; -1: none was. */
    private long lastKey;

    private int lastPage = -1;

    /** False where it was there already. */
    public boolean add(long offset) {
        int page = find(key(offset));
        if (page < 0) {
            page = addPage(key(offset));
        }
        int at = word(page, offset);
        boolean isNew = (words[at] & bit(offset)) == 0;
        words[at] |= bit(offset);
        return isNew;
    }

    public boolean contains(long offset) {
        int page = find(key(offset));
        return page >= 0 && (words[word(page, offset)] & bit(offset)) != 0;
    }

    private static long key(long offset) {
        return offset >>> PAGE_SHIFT << WORD_SHIFT | offset & WORDS - 1;
    }

    private static int word(int page, long offset) {
        return page * WORDS + (int) (offset >>> WORD_SHIFT & WORDS - 1);
    }

    private static long bit(long offset) {
        return 1L << (offset >>> BIT_SHIFT);
    }

    /** The page with a key; -1 for none. */
    private int find(long key) {
        if (key != lastKey || lastPage < 0) {
            int page = places[slot(key)] - 1;
            if (page < 0) {
                return -1;
            }
            lastKey = key;
            lastPage = page;
        }
        return lastPage;
    }

    /** Where a key is, or the free slot where it belongs. */
    private int slot(long key) {
        int at = (int) (key * SPREAD >>> 32) & places.length - 1;
        while (places[at] != 0 && keys[at] != key) {
            at = at + 1 & places.length - 1;
        }
        return at;
    }

    private int addPage(long key) {
        if (pages * 2 >= places.length) {
            spread();
        }
        if (pages * WORDS == words.length) {
            words = Arrays.copyOf(words, words.length * 2);
        }
        int slot = slot(key);
        keys[slot] = key;
        places[slot] = ++pages;
        return pages - 1;
    }

    private void spread() {
        int[] oldPlaces = places;
        long[] oldKeys = keys;
        int[] morePlaces = new int[oldPlaces.length * 2];
        keys = new long[oldKeys.length * 2]; // both or none, where memory is short
        places = morePlaces;
        for (int i = 0; i < oldPlaces.length; i++) {
            if (oldPlaces[i] != 0) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                places[slot] = oldPlaces[i];
            }
        }
    }
}
