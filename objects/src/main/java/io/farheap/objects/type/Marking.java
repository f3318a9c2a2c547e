package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.Reach;

/** Follows all that objects own and refer to, in one read. Not thread-safe. */
final class Marking implements Reach {
    private final HeapTransaction tx;
    private final StoredTypes types;
    private final OffsetSet marked = new OffsetSet();
    private final Offsets waiting = new Offsets();
    private final Pace pace;

    Marking(HeapTransaction tx, StoredTypes types, Pace pace) {
        this.tx = tx;
        this.types = types;
        this.pace = pace;
    }

    /** Marks an object and all that it leads to. */
    void from(long root) {
        object(root);
        while (!waiting.isEmpty()) {
            follow(waiting.removeLast());
        }
    }

    boolean isMarked(long offset) {
        return marked.contains(offset);
    }

    @Override
    public void block(long offset) {
        pace.step();
        if (!marked.add(offset)) {
            throw FarheapException.badData(
                    "What lies at 0x%x belongs to two objects, or to one twice: one of them is"
                            + " damaged. Restore the pool from a replica (farheap status).",
                    offset);
        }
    }

    @Override
    public void object(long offset) {
        pace.step();
        if (marked.add(offset)) {
            waiting.add(offset);
        }
    }

    private void follow(long place) {
        long word = ObjectLayout.word(tx, place);
        if (ObjectLayout.isDeleted(word)) {
            return;
        }
        long body = place;
        if (ObjectLayout.isMoved(word)) {
            body = ObjectLayout.movedTo(tx, place);
            block(body);
            word = ObjectLayout.word(tx, body);
        }
        TypeDescriptor type = types.object(word);
        if (type == null) {
            throw StoredObjects.damaged(place, word);
        }
        for (FieldPlace field : types.places(type)) {
            if (StoredObjects.isThere(tx, body, field)) {
                field.type().reach(tx, body, field.offset(), this);
            }
        }
    }
}
