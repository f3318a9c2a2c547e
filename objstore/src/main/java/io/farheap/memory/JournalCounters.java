package io.farheap.memory;

/**
 * What a disk journal did since it was opened.
 *
 * @param syncs writes that were waited for, each for all threads that had something in it
 * @param bytes that they wrote, with what fills blocks and the ring's end
 * @param checkpoints times that what it had was brought to the pool files
 * @param pages of 4096 bytes that those wrote, once for each that differed
 * @param waits times that a thread waited for a checkpoint, as the journal was full
 */
public record JournalCounters(long syncs, long bytes, long checkpoints, long pages, long waits) {
    /** Of a pool that has none. */
    public static final JournalCounters NONE = new JournalCounters(0, 0, 0, 0, 0);
}
