package io.farheap.memory;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a disk journal did since it was opened.
 *
 * @param syncs writes that were waited for, each for all threads that had something in it
 * @param bytes that they wrote, with what fills blocks and the ring's end
 * @param checkpoints times that what it had was brought to the pool files
 * @param pages of 4096 bytes that those wrote, once for each that differed
 * @param waits times that a thread waited for a checkpoint, as the journal was full
 * @param lastSync when the last of the writes ended
 * @param lastCheckpoint when the last of the checkpoints ended
 */
public record JournalCounters(
        long syncs,
        long bytes,
        long checkpoints,
        long pages,
        long waits,
        Last lastSync,
        Last lastCheckpoint) {
    private static final Last NEVER = new Last(0, 0);

    /** Of a pool that has none. */
    public static final JournalCounters NONE = new JournalCounters(0, 0, 0, 0, 0, NEVER, NEVER);

    /**
     * The last of its kind, once there was one.
     *
     * @param endedNanos by {@link System#nanoTime} of this process
     * @param tookNanos how long that one took, or, read while one ends, the one before it
     */
    public record Last(long endedNanos, long tookNanos) {}

    /** When what happened last ended, and how long it took, by name; what never did is missing. */
    public Map<String, Long> lastByName() {
        Map<String, Long> named = new LinkedHashMap<>();
        if (syncs > 0) {
            named.put("lastDiskSyncEndedNanos", lastSync.endedNanos);
            named.put("lastDiskSyncTookNanos", lastSync.tookNanos);
        }
        if (checkpoints > 0) {
            named.put("lastCheckpointEndedNanos", lastCheckpoint.endedNanos);
            named.put("lastCheckpointTookNanos", lastCheckpoint.tookNanos);
        }
        return named;
    }
}
