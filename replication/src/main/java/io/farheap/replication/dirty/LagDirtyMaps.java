package io.farheap.replication.dirty;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The dirty maps of the members of an epoch that may lag: marked by every commit before it is
 * posted, as those of replicas left out are, because a crash here leaves such a member without the
 * last commits. Unlike those they are cleared, or in the end everything would be marked.
 *
 * <p>Each map has two sets of bits, and all commits mark the same one. Now and then it is the other
 * one's turn. The first is then complete as soon as no commit is between its marking and the claim
 * of its record; when every member has the last record claimed by then, it says nothing any more
 * and is cleared. What commits meanwhile is in the other one (docs/protocol.md#lag-maps).
 *
 * <p>Thread-safe; marking allocates nothing.
 */
public final class LagDirtyMaps {
    public static final LagDirtyMaps NONE = new LagDirtyMaps(List.of(), Duration.ZERO);

    /** A set is marked for twice as long as a member may be behind. */
    private static final int TURN_PER_LAG = 2;

    private static final long NOT_KNOWN = -1;

    private final long turn;
    private final List<DirtyMap> maps;
    private final DirtyBits[][] bits = new DirtyBits[2][];

    /** Who is between marking in a set and the claim. */
    private final AtomicLong[] inside = {new AtomicLong(), new AtomicLong()};

    private volatile int current;

    // Guarded by this.
    private long turnNanos = System.nanoTime();
    private boolean cleared;
    private long claimed = NOT_KNOWN;
    private boolean closed;

    /**
     * @param maps of members that have everything up to now
     * @param lag how far they may be behind; longer: fewer commits pay for a bit, and more is
     *     copied
     */
    public LagDirtyMaps(List<DirtyMap> maps, Duration lag) {
        this.turn = TURN_PER_LAG * lag.toNanos();
        this.maps = List.copyOf(maps);
        for (int which = 0; which < 2; which++) {
            int set = which;
            bits[which] = maps.stream().map(map -> map.bits(set)).toArray(DirtyBits[]::new);
        }
    }

    /** Whether there is nothing to mark. */
    public boolean isEmpty() {
        return bits[0].length == 0;
    }

    /**
     * Before marking. {@link #leave} must follow, after the claim.
     *
     * @return which set is to be marked
     */
    public int enter() {
        while (true) {
            int which = current;
            inside[which].getAndIncrement();
            if (current == which) {
                return which;
            }
            inside[which].getAndDecrement(); // it was not counted in time
        }
    }

    public void leave(int which) {
        inside[which].getAndDecrement();
    }

    /** The bits to be marked, of all members. */
    public DirtyBits[] bits(int which) {
        return bits[which];
    }

    /**
     * Clears what is to be cleared, and changes the turn; to be called now and then.
     *
     * @param onAll the last record that all these members have durably
     * @param last the last record that was claimed by the time it is asked
     */
    public synchronized void tidy(long onAll, LongSupplier last) {
        if (closed || isEmpty()) {
            return;
        }
        int other = 1 - current;
        if (!cleared) {
            if (claimed == NOT_KNOWN && inside[other].get() == 0) {
                claimed = last.getAsLong(); // after the look: who left has claimed
            }
            if (claimed == NOT_KNOWN || onAll < claimed) {
                return;
            }
            if (!isEmpty(bits[other])) {
                for (DirtyMap map : maps) {
                    map.clearing(claimed);
                }
            }
            for (DirtyBits of : bits[other]) {
                of.clear();
            }
            cleared = true;
        }
        long now = System.nanoTime();
        if (now - turnNanos >= turn && !isEmpty(bits[current])) {
            current = other;
            turnNanos = now;
            cleared = false;
            claimed = NOT_KNOWN;
        }
    }

    private static boolean isEmpty(DirtyBits[] sets) {
        for (DirtyBits set : sets) {
            if (!set.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Nothing is cleared any more. */
    public synchronized void close() {
        closed = true;
    }
}
