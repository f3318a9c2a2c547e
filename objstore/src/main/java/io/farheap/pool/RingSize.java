package io.farheap.pool;

import io.farheap.base.JournalSettings;
import io.farheap.memory.JournalGeometry;

/** How large the ring of a disk journal is (docs/disk-journal.md#files). */
final class RingSize {
    private static final long LEAST = 2L << 20;
    private static final long MOST = 256L << 20;
    private static final int SHARE = 4;

    /** A pool that grows is small at first, and its journal stays. */
    private static final long LEAST_THAT_GROWS = 16L << 20;

    /** Where it notes which blocks the journal has: a few, but none is left of the room else. */
    private static final long FOR_THE_FILE_SYSTEM = 64 << 10;

    private RingSize() {}

    /**
     * Of a journal that is made.
     *
     * @param imageBytes of the pool
     * @param mostBytes what it may grow to; 0 where it does not grow
     */
    static JournalGeometry of(JournalSettings settings, long imageBytes, long mostBytes) {
        long least = Math.clamp(mostBytes / SHARE, LEAST, LEAST_THAT_GROWS);
        long usual = Math.clamp(imageBytes / SHARE, least, MOST);
        return JournalGeometry.ofRing(settings.ringBytes() == 0 ? usual : settings.ringBytes());
    }

    /** The largest pool that fits beside its journal into so much room. */
    static long mostPoolBytes(JournalSettings settings, long room) {
        long beside = JournalGeometry.ofRing(LEAST).fileBytes() - LEAST; // its superblocks
        long left = room - beside - FOR_THE_FILE_SYSTEM;
        long ring =
                settings.ringBytes() == 0
                        ? Math.clamp(left / (SHARE + 1) + 1, LEAST, MOST)
                        : settings.ringBytes();
        return left - ring;
    }
}
