package io.farheap.readers;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The agent's side of the file: before records are applied, nobody may be reading what they change,
 * or who does must be evicted: what it loads from then on it throws away ({@link ReaderSlot}).
 *
 * <pre>
 * admission shut; fence; look at all slots
 *   nobody in a view      apply, admission open
 *   somebody              admission open, later again: others may join the old state. From half
 *                         of the hold on admission stays shut; when the hold is over:
 *                         evicted + 1; fence; apply, admission open
 * </pre>
 *
 * <p>Shut before the look: who comes behind it finds admission shut, and who came before is seen.
 * Evicted counts before the first store: who loads what was stored finds it moved. Who was evicted
 * and is still in its view, as a stopped process is, is not waited for again; then each batch
 * counts evicted up, since such a one may not have taken its number yet.
 *
 * <p>For one thread at a time.
 */
public final class ReadAdmission implements AutoCloseable {
    /**
     * So short that shutting admission for it keeps nobody out that would notice, if cores are
     * free.
     */
    private static final long DRAIN_NANOS = 50_000;

    private static final long LIFE_CHECK_NANOS = 10_000_000;
    private static final long NOT_WAITING = 0;

    private final ReadersFile file;
    private final LongSupplier clock;

    /** What the slots of those had who were evicted: nobody has the same word ever again. */
    private final long[] evicted = new long[ReadersLayout.SLOTS];

    private long holdNanos;
    private boolean readable;
    private long waitingSince = NOT_WAITING;
    private long lifeChecked;
    private long evictions;

    ReadAdmission(ReadersFile file, Duration hold, LongSupplier clock) {
        this.file = file;
        this.holdNanos = hold.toNanos();
        this.clock = clock;
        this.lifeChecked = clock.getAsLong();
        close();
        file.set(ReadersLayout.FRESH, ReadersLayout.NOT_KNOWN);
        file.set(ReadersLayout.AGENT_START, ProcessLife.UNKNOWN);
        file.set(ReadersLayout.AGENT_BOOT, ProcessLife.boot());
        file.set(ReadersLayout.AGENT, ProcessHandle.current().pid());
        file.set(ReadersLayout.AGENT_START, ProcessLife.ownStart());
    }

    /**
     * Takes the replica over from whoever had it: closed to begin with.
     *
     * @param hold how long records may have to wait for readers
     */
    public static ReadAdmission of(ReadersFile file, Duration hold) {
        return new ReadAdmission(file, hold, () -> System.nanoTime());
    }

    /** From now on records have to wait for readers no longer than that. */
    public void hold(Duration longest) {
        holdNanos = longest.toNanos();
    }

    /**
     * The replica stands at a commit boundary, and changes by {@link #tryShut} alone from now on.
     */
    public void open(long number, long sequence) {
        waitingSince = NOT_WAITING;
        readable = true;
        tell(number, sequence);
        file.set(ReadersLayout.STATE, ReadersLayout.READABLE);
    }

    /** On return nobody reads, and nobody begins to: anything may be stored. */
    @Override
    public void close() {
        close(ReadersLayout.CLOSED);
    }

    /** The same, where the files become a pool of their own. */
    public void closePromoted() {
        close(ReadersLayout.PROMOTED);
    }

    private void close(long state) {
        readable = false;
        file.set(ReadersLayout.STATE, state);
        evictAll();
    }

    /** Whether it is open to readers. */
    public boolean isReadable() {
        return readable;
    }

    /**
     * Before records are applied.
     *
     * @param atOnce whoever reads is evicted
     * @return whether they may be; {@link #reopen} must follow then. Else try again before long
     */
    public boolean tryShut(boolean atOnce) {
        if (!readable) {
            return true;
        }
        file.set(ReadersLayout.ADMISSION, ReadersLayout.SHUT);
        VarHandle.fullFence();
        if (isWaitedFor() && !atOnce && !isWaitOver()) {
            return false;
        }
        if (isAnyoneIn()) {
            evictAll();
        }
        waitingSince = NOT_WAITING;
        return true;
    }

    /** Whether to apply now, although somebody reads, or read when that was looked at. */
    private boolean isWaitOver() {
        long now = clock.getAsLong();
        if (waitingSince == NOT_WAITING) {
            waitingSince = now | 1;
        }
        long waited = now - waitingSince;
        if (waited >= holdNanos || drains()) {
            return true;
        }
        if (waited < holdNanos / 2) {
            file.set(ReadersLayout.ADMISSION, ReadersLayout.OPEN);
        }
        if (now - lifeChecked > LIFE_CHECK_NANOS) {
            freeDead();
        }
        return false;
    }

    /** Short views end before anybody would be kept out for long. */
    private boolean drains() {
        long begin = clock.getAsLong();
        boolean waitedFor = true;
        while (waitedFor && clock.getAsLong() - begin < DRAIN_NANOS) {
            Thread.yield(); // who answers commits, or the reader itself, may wait for this core
            waitedFor = isWaitedFor();
        }
        return !waitedFor;
    }

    private boolean isWaitedFor() {
        for (int i = 0; i < ReadersLayout.SLOTS; i++) {
            long holder = file.get(ReadersLayout.holder(i));
            if (ReadersLayout.isActive(holder) && holder != evicted[i]) {
                return true;
            }
        }
        return false;
    }

    private boolean isAnyoneIn() {
        for (int i = 0; i < ReadersLayout.SLOTS; i++) {
            if (ReadersLayout.isActive(file.get(ReadersLayout.holder(i)))) {
                return true;
            }
        }
        return false;
    }

    private void evictAll() {
        for (int i = 0; i < ReadersLayout.SLOTS; i++) {
            long holder = file.get(ReadersLayout.holder(i));
            if (ReadersLayout.isActive(holder) && evicted[i] != holder) {
                evicted[i] = holder;
                evictions++;
            }
        }
        file.set(ReadersLayout.EVICTED, file.get(ReadersLayout.EVICTED) + 1);
        VarHandle.fullFence();
    }

    /** Records were applied: readers may come again. Does nothing where it is closed. */
    public void reopen(long number, long sequence) {
        if (readable) {
            tell(number, sequence);
        }
    }

    private void tell(long number, long sequence) {
        file.set(ReadersLayout.SEQUENCE, sequence);
        file.set(ReadersLayout.NUMBER, number); // behind it: who sees this one sees the other
        file.set(ReadersLayout.ADMISSION, ReadersLayout.OPEN);
    }

    /** Everything that was acknowledged until then is there. */
    public void fresh(long nanos) {
        file.set(ReadersLayout.FRESH, nanos);
    }

    /**
     * Frees the slots of processes that are gone. One that only seems so, as that of another
     * container does, is evicted, and finds that it has no slot any more.
     */
    public void freeDead() {
        lifeChecked = clock.getAsLong();
        for (int i = 0; i < ReadersLayout.SLOTS; i++) {
            long holder = file.get(ReadersLayout.holder(i));
            long pid = ReadersLayout.pid(holder);
            if (pid != 0 && !ProcessLife.isAlive(pid, file.get(ReadersLayout.start(i)))) {
                file.set(ReadersLayout.start(i), ProcessLife.UNKNOWN);
                if (file.swap(ReadersLayout.holder(i), holder, ReadersLayout.heldBy(0, holder))) {
                    evictAll(); // behind it, or it could begin a view that nobody sees
                }
            }
        }
    }

    /** How many views were evicted since it took the replica over. */
    public long evictions() {
        return evictions;
    }
}
