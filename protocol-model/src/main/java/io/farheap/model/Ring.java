package io.farheap.model;

import java.util.Set;

/**
 * The journal's flow control by itself: can the stream get stuck? The watermark travels in records
 * only. A record frees its room when it is applied, and is applied when it is known to be
 * committed.
 */
final class Ring implements Model {
    private static final int ROOM = 6;
    private static final int DATA = 2;
    private static final int EMPTY = 1;
    private static final int MOST_RECORDS = 24;
    private static final int COMMITS = 3;
    private static final int THREADS = 2;
    private static final int LONGS = 6;

    private static final int IDLE = 0;
    private static final int POSTED = 1;
    private static final int COMMITTED = 2;

    private final boolean roomForEmpty;
    private final boolean emptyFreesItself;
    private final boolean watermarkWhenIdle;
    private final long[] packed = new long[LONGS];
    private final State state = new State();
    private final State after = new State();

    Ring(Set<Rule> removed) {
        roomForEmpty = !removed.contains(Rule.ROOM_FOR_EMPTY);
        emptyFreesItself = !removed.contains(Rule.EMPTY_FREES_ITSELF);
        watermarkWhenIdle = !removed.contains(Rule.WATERMARK_WHEN_IDLE);
    }

    private static final class State {
        final int[] at = new int[THREADS];
        final int[] sequence = new int[THREADS];
        final int[] done = new int[THREADS];
        int posted;
        int arrived;
        int durable;
        int knownDurable;
        int applied;
        int knownApplied;
        final int[] size = new int[MOST_RECORDS];
        final int[] watermark = new int[MOST_RECORDS];
        int committed;

        void fields(Bits bits) {
            bits.fields(at, 2);
            bits.fields(sequence, 5);
            bits.fields(done, 2);
            posted = bits.field(posted, 5);
            arrived = bits.field(arrived, 5);
            durable = bits.field(durable, 5);
            knownDurable = bits.field(knownDurable, 5);
            applied = bits.field(applied, 5);
            knownApplied = bits.field(knownApplied, 5);
            bits.fields(size, 2);
            bits.fields(watermark, 5);
            committed = bits.field(committed, MOST_RECORDS);
        }

        int committedUpTo() {
            int up = 0;
            while (up < posted && (committed >> up & 1) != 0) {
                up++;
            }
            return up;
        }

        int used() {
            int used = 0;
            for (int i = knownApplied; i < posted; i++) {
                used += size[i];
            }
            return used;
        }

        boolean hasUntoldData() {
            int told = posted == 0 ? 0 : watermark[posted - 1];
            for (int i = told; i < committedUpTo(); i++) {
                if (size[i] == DATA) {
                    return true;
                }
            }
            return false;
        }

        int knownWatermark() {
            int known = 0;
            for (int i = 0; i < durable; i++) {
                known = Math.max(known, watermark[i]);
            }
            return known;
        }

        void post(int room) {
            size[posted] = room;
            watermark[posted] = committedUpTo();
            posted++;
        }
    }

    @Override
    public int longs() {
        return LONGS;
    }

    @Override
    public void initial(long[] first) {
        new State().fields(Bits.writing(first));
    }

    private State change() {
        state.fields(Bits.writing(packed));
        after.fields(Bits.reading(packed));
        return after;
    }

    private void tell(Events events, String event, int detail) {
        after.fields(Bits.writing(packed));
        events.then(event, detail, packed);
    }

    @Override
    public void next(long[] from, Events events) {
        state.fields(Bits.reading(from));
        for (int i = 0; i < THREADS; i++) {
            commit(i, events);
        }
        if (watermarkWhenIdle
                && state.hasUntoldData()
                && state.posted < MOST_RECORDS
                && state.used() + EMPTY <= ROOM) {
            change().post(EMPTY);
            after.committed |= 1 << after.posted - 1;
            tell(events, "an empty record is posted", 0);
        }
        if (state.arrived < state.posted) {
            change().arrived++;
            tell(events, "a record arrives", 0);
        }
        if (state.durable < state.arrived) {
            change().durable = state.arrived;
            tell(events, "durability point", 0);
        }
        if (state.knownDurable < state.durable || state.knownApplied < state.applied) {
            change().knownDurable = state.durable;
            after.knownApplied = state.applied;
            tell(events, "answer", 0);
        }
        if (state.applied < state.durable
                && (state.applied < state.knownWatermark()
                        || state.size[state.applied] == EMPTY && emptyFreesItself)) {
            change().applied++;
            tell(events, "apply", 0);
        }
    }

    private void commit(int i, Events events) {
        int needed = DATA + (roomForEmpty ? EMPTY : 0);
        if (state.at[i] == IDLE
                && state.done[i] < COMMITS
                && state.posted < MOST_RECORDS
                && state.used() + needed <= ROOM) {
            change().post(DATA);
            after.at[i] = POSTED;
            after.sequence[i] = after.posted;
            tell(events, "claim, post", i);
        } else if (state.at[i] == POSTED && state.knownDurable >= state.sequence[i]) {
            change().at[i] = COMMITTED;
            after.committed |= 1 << state.sequence[i] - 1;
            tell(events, "the local commit point", i);
        } else if (state.at[i] == COMMITTED) {
            change().at[i] = IDLE;
            after.sequence[i] = 0;
            after.done[i]++;
            tell(events, "the commit returns", i);
        }
    }

    @Override
    public boolean isDone(long[] some) {
        state.fields(Bits.reading(some));
        boolean done = state.applied == state.posted;
        for (int i = 0; i < THREADS; i++) {
            done &= state.done[i] == COMMITS;
        }
        return done;
    }

    @Override
    public String show(long[] some) {
        State shown = new State();
        shown.fields(Bits.reading(some));
        return String.format(
                "posted %d durable %d applied %d known applied %d watermark %d room used %d of %d",
                shown.posted,
                shown.durable,
                shown.applied,
                shown.knownApplied,
                shown.committedUpTo(),
                shown.used(),
                ROOM);
    }
}
