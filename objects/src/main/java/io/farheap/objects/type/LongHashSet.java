package io.farheap.objects.type;

/** A set of offsets, none of which is 0, without boxes. Not thread-safe. */
public final class LongHashSet {
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private long[] slots = new long[1 << 10];
    private int size;

    /** False where it was there already. */
    public boolean add(long offset) {
        if (size * 2 >= slots.length) {
            grow();
        }
        int at = find(slots, offset);
        boolean isNew = slots[at] == 0;
        slots[at] = offset;
        size += isNew ? 1 : 0;
        return isNew;
    }

    public boolean contains(long offset) {
        return slots[find(slots, offset)] != 0;
    }

    private static int find(long[] slots, long offset) {
        int at = (int) (offset * SPREAD >>> 32) & slots.length - 1;
        while (slots[at] != 0 && slots[at] != offset) {
            at = at + 1 & slots.length - 1;
        }
        return at;
    }

    private void grow() {
        long[] larger = new long[slots.length * 2];
        for (long offset : slots) {
            if (offset != 0) {
                larger[find(larger, offset)] = offset;
            }
        }
        slots = larger;
    }
}
