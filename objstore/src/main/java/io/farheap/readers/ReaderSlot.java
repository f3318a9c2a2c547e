package io.farheap.readers;

import java.lang.invoke.VarHandle;

/**
 * A reader's side of the file: one slot of it, for one view at a time.
 *
 * <pre>
 * slot active; fence; e := evicted
 *            admission shut, or closed, or the slot lost: slot idle, again later
 * each load: load; fence; evicted = e, or what was loaded is thrown away
 * end:       evicted = e; slot idle
 * </pre>
 *
 * <p>The number is taken before admission is looked at: between the two the agent may evict, and
 * apply. Taken behind it, it would be the new one, and the view one of half a batch.
 *
 * <p>For one thread at a time.
 */
public final class ReaderSlot {
    /** What {@link #begin} answers where none can begin now. */
    public static final long NOT_NOW = -1;

    private static final long OWN_PID = ProcessHandle.current().pid();
    private static final long OWN_START = ProcessLife.ownStart();

    private final ReadersFile file;
    private final int index;

    /** The slot's word as it is while nobody takes it away. */
    private long word;

    private ReaderSlot(ReadersFile file, int index, long word) {
        this.file = file;
        this.index = index;
        this.word = word;
    }

    /** Takes a slot for this process; null: there is none left. */
    public static ReaderSlot claim(ReadersFile file) {
        return claim(file, OWN_PID, OWN_START);
    }

    static ReaderSlot claim(ReadersFile file, long pid, long start) {
        for (int i = 0; i < ReadersLayout.SLOTS; i++) {
            long at = ReadersLayout.holder(i);
            long holder = file.get(at);
            if (ReadersLayout.pid(holder) == 0) {
                long mine = ReadersLayout.heldBy(pid, holder);
                if (file.swap(at, holder, mine)) {
                    file.set(ReadersLayout.start(i), start);
                    return new ReaderSlot(file, i, mine);
                }
            }
        }
        return null;
    }

    /**
     * Begins a view; {@link #end} must follow.
     *
     * @return what {@link #stands} is to be asked with; {@link #NOT_NOW}: none began
     */
    public long begin() {
        if (!step()) {
            return NOT_NOW;
        }
        VarHandle.fullFence();
        long evicted = file.get(ReadersLayout.EVICTED);
        if (file.get(ReadersLayout.STATE) == ReadersLayout.READABLE
                && file.get(ReadersLayout.ADMISSION) == ReadersLayout.OPEN
                && isMine()) {
            return evicted;
        }
        end();
        return NOT_NOW;
    }

    private boolean step() {
        long next = ReadersLayout.next(word);
        boolean mine = file.swap(ReadersLayout.holder(index), word, next);
        word = mine ? next : word;
        return mine;
    }

    /** Whether nobody took it away: the agent does, from a process that it takes for dead. */
    public boolean isMine() {
        return file.get(ReadersLayout.holder(index)) == word;
    }

    /** Whether all that was loaded since {@link #begin} is of one commit boundary. */
    public boolean stands(long evicted) {
        VarHandle.acquireFence();
        return file.get(ReadersLayout.EVICTED) == evicted;
    }

    /** Ends the view; has no effect where none is on. */
    public void end() {
        if (ReadersLayout.isActive(word)) {
            boolean unused = step();
        }
    }

    /** Gives the slot back, outside of a view. */
    public void release() {
        if (isMine()) {
            file.set(ReadersLayout.start(index), ProcessLife.UNKNOWN); // not the next one's
        }
        boolean unused =
                file.swap(ReadersLayout.holder(index), word, ReadersLayout.heldBy(0, word));
    }
}
