package io.farheap.objects.transaction;

import io.farheap.memory.PoolMemory;

/** The old bytes of one commit after the other of a thread: made, and used again where possible. */
final class OldBytesOfCommit {
    private static final int MOST_SPARE = 64;

    private OldBytes first;
    private OldBytes spare;
    private int spares;

    /** The entries of the commit under way, by {@link OldBytes#next}. */
    OldBytes first() {
        return first;
    }

    /** A piece of a range as it is now. */
    OldBytes save(PoolMemory memory, int stripe, long version, long start, int length) {
        OldBytes entry = spare;
        if (entry == null || entry.capacity() < length) {
            entry = new OldBytes(length);
        } else {
            spare = entry.next;
            spares--;
        }
        entry.save(memory, start, length);
        entry.stripe = stripe;
        entry.version = version;
        entry.freedSize = 0;
        entry.next = first;
        first = entry;
        return entry;
    }

    /**
     * The commit is over.
     *
     * @param unseen whether nobody else has the entries
     */
    void end(boolean unseen) {
        while (unseen && first != null && spares < MOST_SPARE) {
            OldBytes entry = first;
            first = entry.next;
            if (entry.capacity() <= OldBytes.KEPT) {
                entry.setOlder(null); // it would keep what was behind it
                entry.next = spare;
                spare = entry;
                spares++;
            }
        }
        first = null;
    }
}
