package io.farheap.model.heap;

import io.farheap.model.Bits;
import io.farheap.model.Explorer;
import io.farheap.model.Model;
import java.util.EnumSet;
import java.util.Set;

/** All that two writers and a read may do, in every order. */
final class HeapModel implements Model {
    private static final int MOST_STATES = 20_000_000;
    private static final int MOST_ATTEMPTS = 2;

    // Where a writer is.
    private static final int BEGIN = 0;
    private static final int LOOK = 1; // and 3
    private static final int LOCK = 5; // and 6
    private static final int TAKE_VERSION = 7;
    private static final int LOOK_AGAIN = 8;
    private static final int SAVE = 9; // and 10
    private static final int STORE = 11; // and 12
    private static final int DECIDE = 13;
    private static final int RESTORE = 14; // and 15
    private static final int SAVE_LATE = 16; // and 17
    private static final int PUBLISH = 18; // and 19
    private static final int FINISH = 20;
    private static final int RETURN = 21;
    private static final int FILL = 22;
    private static final int DONE = 23;

    // Where the read is.
    private static final int READ_BEGIN = 0;
    private static final int READ_SNAPSHOT = 1;
    private static final int READ_LOOK = 2; // 3 load, 4 look again, 5 load, 6 lay over; 7 to 11
    private static final int STEPS_OF_READ = 5;
    private static final int READ_END = 12;
    private static final int READ_DONE = 13;

    private final Script script;
    private final Set<HeapRule> removed;
    private final Judge judge;
    private final long[] packed;
    private final ModeledHeap now = new ModeledHeap();
    private final ModeledHeap then = new ModeledHeap();

    private HeapModel(Script script, Set<HeapRule> removed) {
        this.script = script;
        this.removed = removed;
        this.judge = new Judge(script);
        Bits counting = Bits.counting();
        new ModeledHeap().fields(counting);
        this.packed = new long[counting.longs()];
    }

    static Explorer.Result explore(Script script) {
        return explore(script, EnumSet.noneOf(HeapRule.class));
    }

    static Explorer.Result without(HeapRule rule) {
        return explore(rule.script(), EnumSet.of(rule));
    }

    private static Explorer.Result explore(Script script, Set<HeapRule> removed) {
        boolean live = removed.isEmpty();
        return new Explorer(new HeapModel(script, removed), live, MOST_STATES).explore();
    }

    private boolean holds(HeapRule rule) {
        return !removed.contains(rule);
    }

    @Override
    public int longs() {
        return packed.length;
    }

    @Override
    public void initial(long[] state) {
        ModeledHeap first = new ModeledHeap();
        for (int object = 0; object < ModeledHeap.OBJECTS; object++) {
            first.bytes[object] = script.initially(object);
        }
        first.fields(Bits.writing(state));
    }

    private ModeledHeap change() {
        now.fields(Bits.writing(packed));
        then.fields(Bits.reading(packed));
        return then;
    }

    private void tell(Events events, String event, int detail) {
        then.fields(Bits.writing(packed));
        events.then(event, detail, packed);
    }

    @Override
    public void next(long[] state, Events events) {
        now.fields(Bits.reading(state));
        if (isOver(now)) {
            String verdict = judge.verdict(now);
            if (verdict != null) {
                events.wrong("all have ended", 0, state, verdict);
            }
            return;
        }
        for (int writer = 0; writer < ModeledHeap.WRITERS; writer++) {
            write(writer, events);
        }
        read(events);
    }

    private static boolean isOver(ModeledHeap heap) {
        return heap.at[0] == DONE && heap.at[1] == DONE && heap.readAt == READ_DONE;
    }

    // ---- writers ----

    private void write(int writer, Events events) {
        int at = now.at[writer];
        switch (at) {
            case BEGIN -> begin(writer, events);
            case FILL -> {
                change().bytes[1] = Script.NEW_OBJECT;
                then.at[writer] = LOOK;
                tell(events, "a new object is filled", writer);
            }
            case LOOK, LOOK + 2 -> look(writer, at == LOOK ? 0 : 1, events);
            case LOOK + 1, LOOK + 3 -> load(writer, at == LOOK + 1 ? 0 : 1, events);
            case LOCK, LOCK + 1 -> lock(writer, at - LOCK, events);
            case TAKE_VERSION -> {
                change().clock++;
                then.version[writer] = then.clock;
                then.at[writer]++;
                tell(events, "takes a version", writer);
            }
            case LOOK_AGAIN -> lookAgain(writer, events);
            case SAVE, SAVE + 1 -> save(writer, at - SAVE, true, events);
            case STORE, STORE + 1 -> store(writer, at - STORE, events);
            case DECIDE -> decide(writer, events);
            case RESTORE, RESTORE + 1 -> restore(writer, at - RESTORE, events);
            case SAVE_LATE, SAVE_LATE + 1 -> save(writer, at - SAVE_LATE, false, events);
            case PUBLISH, PUBLISH + 1 -> publish(writer, at - PUBLISH, events);
            case FINISH -> {
                change().finished |= 1 << now.version[writer];
                then.at[writer]++;
                tell(events, "finishes its version", writer);
            }
            case RETURN -> comeBack(writer, events);
            default -> {}
        }
    }

    private int snapshotNow() {
        return holds(HeapRule.WATERMARK_NOT_CLOCK)
                ? now.watermark(holds(HeapRule.FINISH_IN_ORDER))
                : now.clock;
    }

    private void begin(int writer, Events events) {
        boolean reuses = script == Script.REUSE && writer == 1;
        boolean mayReuse = now.allocated == 0 || !holds(HeapRule.REUSE_AFTER_THE_COMMIT);
        if (reuses && !mayReuse) {
            return;
        }
        change().snapshot[writer] = snapshotNow();
        then.at[writer] = reuses ? FILL : LOOK;
        tell(events, "a transaction begins", writer);
    }

    private void look(int writer, int object, Events events) {
        change().at[writer] += script.reads(writer, object) ? 1 : 2;
        then.firstLook[writer] = script.reads(writer, object) ? now.word[object] : 0;
        tell(events, "looks at a word", writer);
    }

    private void load(int writer, int object, Events events) {
        int looked = now.firstLook[writer];
        boolean good =
                ModeledHeap.isReadable(looked, now.snapshot[writer]) && looked == now.word[object];
        change().firstLook[writer] = 0;
        if (good) {
            then.seen[writer * ModeledHeap.OBJECTS + object] = now.bytes[object];
            then.at[writer]++;
        } else {
            again(writer);
        }
        tell(events, good ? "loads" : "meets a conflict", writer);
    }

    /** Begins again, or gives up. */
    private void again(int writer) {
        then.attempts[writer]++;
        then.at[writer] = then.attempts[writer] < MOST_ATTEMPTS ? BEGIN : DONE;
        for (int object = 0; object < ModeledHeap.OBJECTS; object++) {
            then.seen[writer * ModeledHeap.OBJECTS + object] = 0;
            then.oldWord[writer * ModeledHeap.OBJECTS + object] = 0;
        }
        then.version[writer] = 0;
        then.snapshot[writer] = 0;
    }

    private void lock(int writer, int object, Events events) {
        if (!script.writes(writer, object)) {
            change().at[writer]++;
            tell(events, "has nothing to lock", writer);
            return;
        }
        int word = now.word[object];
        boolean free = (word & 1) == 0;
        boolean asSeen = ModeledHeap.isReadable(word, now.snapshot[writer]);
        change();
        if (free && (asSeen || !holds(HeapRule.LOCK_FROM_THE_WORD_SEEN))) {
            then.word[object] |= 1;
            then.oldWord[writer * ModeledHeap.OBJECTS + object] = word;
            then.at[writer]++;
            tell(events, "locks", writer);
        } else {
            giveBack(writer, object);
            again(writer);
            tell(events, "meets a conflict", writer);
        }
    }

    private void giveBack(int writer, int objects) {
        for (int object = 0; object < objects; object++) {
            if (script.writes(writer, object)) {
                then.word[object] = now.oldWord[writer * ModeledHeap.OBJECTS + object];
            }
        }
    }

    private void lookAgain(int writer, Events events) {
        boolean current = true;
        for (int object = 0; object < ModeledHeap.OBJECTS; object++) {
            current &=
                    !script.reads(writer, object)
                            || script.writes(writer, object)
                            || ModeledHeap.isReadable(now.word[object], now.snapshot[writer]);
        }
        change();
        if (current || !holds(HeapRule.READS_LOOKED_AT_AGAIN)) {
            then.at[writer]++;
            tell(events, "what it read is as it was", writer);
        } else {
            then.finished |= 1 << now.version[writer];
            giveBack(writer, ModeledHeap.OBJECTS);
            again(writer);
            tell(events, "meets a conflict", writer);
        }
    }

    /** Both places where old bytes might be saved; one of them does nothing. */
    private void save(int writer, int object, boolean early, Events events) {
        boolean frees = script == Script.REUSE && object == 1;
        boolean saves =
                script.writes(writer, object)
                        && holds(HeapRule.OLD_BYTES)
                        && early == holds(HeapRule.OLD_BYTES_BEFORE_THE_FIRST_STORE)
                        && (!frees || holds(HeapRule.FREED_BYTES_ARE_OLD_BYTES));
        change().at[writer]++;
        if (saves) {
            int value = early ? now.bytes[object] : now.seen[writer * ModeledHeap.OBJECTS + object];
            then.old[object * ModeledHeap.VERSIONS + now.version[writer]] = value + 1;
        }
        tell(events, saves ? "saves old bytes" : "has nothing to save", writer);
    }

    private void store(int writer, int object, Events events) {
        change().at[writer]++;
        if (script.writes(writer, object)) {
            then.bytes[object] = script.value(writer, object);
        }
        tell(events, "stores", writer);
    }

    private void decide(int writer, Events events) {
        change().at[writer] = SAVE_LATE;
        then.committer[now.version[writer]] = writer + 1;
        if (script == Script.REUSE && writer == 0) {
            then.allocated = 0;
        }
        tell(events, "is durable", writer);
        if (script == Script.BOTH && writer == 0) {
            change().at[writer] = RESTORE;
            then.failed[writer] = 1;
            tell(events, "FAILS", writer);
        }
    }

    private void restore(int writer, int object, Events events) {
        change().bytes[object] = now.seen[writer * ModeledHeap.OBJECTS + object];
        then.at[writer]++;
        tell(events, "rolls back", writer);
    }

    private void publish(int writer, int object, Events events) {
        change().at[writer]++;
        if (script.writes(writer, object)) {
            boolean oldWord =
                    now.failed[writer] == 1 && !holds(HeapRule.NEW_VERSION_AFTER_A_FAILURE);
            then.word[object] =
                    oldWord
                            ? now.oldWord[writer * ModeledHeap.OBJECTS + object]
                            : now.version[writer] << 1;
        }
        tell(events, "unlocks", writer);
    }

    private void comeBack(int writer, Events events) {
        int version = now.version[writer];
        boolean seen = now.watermark(holds(HeapRule.FINISH_IN_ORDER)) >= version;
        if (!seen && holds(HeapRule.RETURN_WHEN_SEEN)) {
            return;
        }
        change().at[writer] = DONE;
        boolean reading = now.readAt > READ_BEGIN && now.readAt < READ_DONE && now.glancing == 0;
        boolean needed = reading && (now.readAt == READ_SNAPSHOT || now.readSnapshot < version);
        if (!needed || !holds(HeapRule.OLD_BYTES_KEPT_FOR_READS)) {
            for (int object = 0; object < ModeledHeap.OBJECTS; object++) {
                then.old[object * ModeledHeap.VERSIONS + version] = 0;
            }
        }
        if (now.failed[writer] == 0) {
            then.returned = Math.max(now.returned, version);
        }
        tell(events, "the commit returns", writer);
    }

    // ---- the read ----

    private void read(Events events) {
        int at = now.readAt;
        if (at == READ_BEGIN) {
            change().returnedBeforeRead = now.returned;
            then.readAt++;
            tell(events, "a read begins", 0);
            change().returnedBeforeRead = now.returned;
            then.glancing = 1;
            then.readAt++;
            tell(events, "a glance begins", 0);
        } else if (at == READ_SNAPSHOT) {
            change().readSnapshot = snapshotNow();
            then.readAt++;
            tell(events, "the read takes its snapshot", 0);
        } else if (at < READ_END) {
            int object = (at - READ_LOOK) / STEPS_OF_READ;
            readObject(object, at - READ_LOOK - object * STEPS_OF_READ, events);
        } else if (at == READ_END) {
            change().readAt++;
            tell(events, "the read ends", 0);
        }
    }

    private void readObject(int object, int step, Events events) {
        int next = READ_LOOK + (object + 1) * STEPS_OF_READ;
        if (script == Script.REUSE && object == 1 && now.readSeen[0] == 0) {
            change().readAt = next;
            tell(events, "the read has nothing to follow", object);
            return;
        }
        if (step == 2 && now.readSnapshot == newestBegun()) {
            change().readAt = next;
            then.readLook = 0;
            tell(events, "the read looks at the clock: no commit began", object);
        }
        change();
        switch (step) {
            case 0 -> then.readLook = now.word[object];
            case 2 -> {}
            case 4 -> then.readSeen[object] = laidOver(object);
            default -> then.readSeen[object] = now.bytes[object];
        }
        boolean good =
                ModeledHeap.isReadable(now.readLook, now.readSnapshot)
                        && (now.readLook == now.word[object] || !holds(HeapRule.SECOND_LOOK));
        if (step == 2 && !good && now.glancing == 1 && holds(HeapRule.GLANCE_BEGINS_AGAIN)) {
            glanceAgain();
            tell(events, "the glance is overtaken, and begins again as a read", object);
            return;
        }
        then.readAt = step == 4 || step == 2 && good ? next : now.readAt + 1;
        if (then.readAt == next) {
            then.readLook = 0;
        }
        tell(events, "the read looks, loads, looks, or lays over", object);
    }

    /** A read of the newest version that was given out sees all that is in place. */
    private int newestBegun() {
        return holds(HeapRule.CLOCK_TELLS_WHAT_BEGAN)
                ? now.clock
                : now.watermark(holds(HeapRule.FINISH_IN_ORDER));
    }

    private void glanceAgain() {
        then.glancing = 0;
        then.readAt = READ_SNAPSHOT;
        then.readSnapshot = 0;
        then.readLook = 0;
        then.readSeen[0] = 0;
        then.readSeen[1] = 0;
    }

    /** The oldest bytes that a commit newer than the snapshot replaced. */
    private int laidOver(int object) {
        for (int version = now.readSnapshot + 1; version < ModeledHeap.VERSIONS; version++) {
            int kept = now.old[object * ModeledHeap.VERSIONS + version];
            if (kept != 0) {
                return kept - 1;
            }
        }
        return now.readSeen[object];
    }

    @Override
    public boolean isDone(long[] state) {
        now.fields(Bits.reading(state));
        boolean neverFreed = script == Script.REUSE && now.at[0] == DONE && now.allocated == 1;
        return isOver(now) || neverFreed && now.readAt == READ_DONE;
    }

    @Override
    public String show(long[] state) {
        ModeledHeap shown = new ModeledHeap();
        shown.fields(Bits.reading(state));
        return String.format(
                "X %d (%d%s) Y %d (%d%s) clock %d finished %s; read of %d saw %d %d",
                shown.bytes[0],
                shown.word[0] >> 1,
                (shown.word[0] & 1) == 0 ? "" : " locked",
                shown.bytes[1],
                shown.word[1] >> 1,
                (shown.word[1] & 1) == 0 ? "" : " locked",
                shown.clock,
                Integer.toBinaryString(shown.finished),
                shown.readSnapshot,
                shown.readSeen[0],
                shown.readSeen[1]);
    }
}
