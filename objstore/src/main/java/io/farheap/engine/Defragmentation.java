package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.heap.Compaction;
import io.farheap.heap.Reservation;
import io.farheap.memory.PoolMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Moves objects out of runs that are at most half full and sets the fields that lead to them, in
 * batches: each is one operation that happens whole or not at all. Later objects of the heap move
 * first.
 *
 * <p>A field may be inside an object that moves too. Before that the field is where it always was;
 * once the object moved, in the copy. All that by the offsets before the first move: one object
 * moves at most once, so they stay unambiguous.
 */
public final class Defragmentation {
    /** What fits the redo log of a lane without extensions, less the word of an undo log. */
    private static final int WORDS_IN_BATCH = 39;

    /** Bits of the new place and of the old one, besides a word for each field. */
    private static final int WORDS_OF_MOVE = 2;

    private record Field(long position, long target) {}

    /** An object that was moved, or will be when the batch commits. */
    private record Move(long from, long to, long size, List<Field> fields) {
        boolean holds(long position) {
            return position >= from && position - from < size;
        }
    }

    private final PoolEngine engine;
    private final PoolMemory memory;
    private final long poolId;
    private final List<Field> fields = new ArrayList<>();

    /** Committed moves by their old offsets. */
    private final TreeMap<Long, Move> moved = new TreeMap<>();

    /** Moves of the batch under way by their old offsets. */
    private final TreeMap<Long, Move> batch = new TreeMap<>();

    private Compaction compaction;
    private Reservation spare = new Reservation();
    private boolean spareIsOpen;
    private LaneTransaction lane;
    private int words;
    private long total;

    public Defragmentation(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.memory = engine.memory();
        this.poolId = poolId;
    }

    /**
     * Adds a field; the object it leads to may be moved. One that holds null is left alone.
     *
     * @param holder image offset of the object that the field is part of
     * @param offset of the field in it
     * @throws FarheapException WRONG_USE when there is no such field, or what it holds is no
     *     reference to an object of this pool
     */
    public void add(long holder, long offset) {
        engine.checkReadable(holder, offset, 2 * Long.BYTES);
        long position = holder + offset;
        if ((position & Long.BYTES - 1) != 0) {
            throw wrong(position, "is not at a multiple of 8");
        }
        long target = memory.getLong(position + Long.BYTES);
        if (target == 0) {
            return;
        }
        if (memory.getLong(position) != poolId) {
            throw wrong(position, "leads into another pool");
        }
        if (!engine.heap().isAllocated(target)) {
            throw wrong(position, "does not lead to an object");
        }
        fields.add(new Field(position, target));
    }

    private static FarheapException wrong(long position, String what) {
        return FarheapException.wrongUse(
                "The field at 0x%s %s; nothing was moved. Name only fields that hold"
                        + " references to objects of this pool.",
                Long.toHexString(position), what);
    }

    /** Moves what is better moved; durable when this returns. Once. */
    public void run() {
        fields.sort(
                Comparator.comparingLong(Field::target).reversed().thenComparing(Field::position));
        compaction = engine.heap().compaction();
        try {
            moveAll();
            finishBatch();
        } catch (Throwable failure) {
            if (spareIsOpen) {
                engine.heap().cancel(spare);
            }
            if (lane != null) {
                lane.abort(failure);
            }
            throw failure;
        }
    }

    private void moveAll() {
        int from = 0;
        while (from < fields.size()) {
            long object = fields.get(from).target();
            int to = from + 1;
            while (to < fields.size() && fields.get(to).target() == object) {
                to++;
            }
            total++;
            spareIsOpen = compaction.reserve(object, spare);
            if (spareIsOpen) {
                move(object, fields.subList(from, to));
            }
            from = to;
        }
    }

    /** How many objects were looked at. */
    public long total() {
        return total;
    }

    /** How many objects were moved. */
    public long relocated() {
        return moved.size();
    }

    /** Moves an object to the spare reservation. */
    private void move(long object, List<Field> leading) {
        int needed = WORDS_OF_MOVE + leading.size();
        if (words + needed > WORDS_IN_BATCH) {
            finishBatch();
        }
        if (lane == null) {
            lane = engine.operation();
        }
        Move move = new Move(object, spare.userOffset(), spare.usableSize(), leading);
        spare = lane.adopt(spare, true);
        spareIsOpen = false;
        memory.copy(move.from(), move.to(), move.size());
        lane.free(object);
        words += needed;
        batch.put(object, move);
    }

    private void finishBatch() {
        if (lane == null) {
            return;
        }
        for (Move move : batch.values()) {
            for (Field field : move.fields()) {
                set(field.position(), move.to());
            }
        }
        lane.commit();
        lane = null;
        moved.putAll(batch);
        batch.clear();
        words = 0;
    }

    private void set(long position, long target) {
        Move fresh = holder(batch, position);
        if (fresh != null) {
            memory.putLong(fresh.to() + position - fresh.from() + Long.BYTES, target);
            return;
        }
        Move earlier = holder(moved, position);
        long now = earlier == null ? position : earlier.to() + position - earlier.from();
        lane.setWord(now + Long.BYTES, target);
    }

    /** The move of the object that the position was in, or null. */
    private static Move holder(TreeMap<Long, Move> moves, long position) {
        var entry = moves.floorEntry(position);
        return entry != null && entry.getValue().holds(position) ? entry.getValue() : null;
    }
}
