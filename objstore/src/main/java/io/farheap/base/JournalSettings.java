package io.farheap.base;

/**
 * How large a disk journal is, and what may stay in memory beside the pool's files.
 *
 * @param ringBytes of a journal that is made, 2 MiB to 16 GiB, rounded down to 1 MiB, and below 16
 *     MiB to 64 KiB; 0: a quarter of the pool's size within 2 to 256 MiB, for a pool that can grow
 *     at least 16 MiB, or as one that is there. Where it is said, the journal of a closed pool that
 *     has another size is made anew
 * @param privateBytes above this, at least 1 MiB, memory of pages that were stored to is given back
 *     after checkpoints; 0: a quarter of what the machine or the container has
 */
public record JournalSettings(long ringBytes, long privateBytes) {
    /** Nobody said anything. */
    public static final JournalSettings USUAL = new JournalSettings(0, 0);

    private static final long LEAST_RING = 2L << 20;
    private static final long MOST_RING = 16L << 30;
    private static final long LEAST_PRIVATE = 1L << 20;

    /** Refuses what no journal can have. */
    public JournalSettings {
        boolean ringFits = ringBytes >= LEAST_RING && ringBytes <= MOST_RING;
        require(ringBytes == 0 || ringFits, "journal size", "2 MiB to 16 GiB", ringBytes);
        boolean memoryFits = privateBytes >= LEAST_PRIVATE;
        require(privateBytes == 0 || memoryFits, "journal memory", "at least 1 MiB", privateBytes);
    }

    private static void require(boolean possible, String name, String wanted, long value) {
        if (!possible) {
            throw FarheapException.wrongUse(
                    "The %s must be %s, not %s bytes.", name, wanted, value);
        }
    }
}
