package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.collection.CollectionVisitor;
import io.farheap.objects.collection.ContentVisitor;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.Reach;
import io.farheap.objects.value.ValueType;

/**
 * A collection as a field: the PMEMoid of its header object, which the field owns. Made with its
 * object, and never replaced.
 */
public final class CollectionField<C> extends ValueType<C> {
    private static final int BYTES = 16;
    private static final int OFFSET = 8;

    private final CollectionType<C> type;
    private final String text;
    private final HeapContext heap;

    CollectionField(CollectionType<C> type, String text, HeapContext heap) {
        this.type = type;
        this.text = text;
        this.heap = heap;
    }

    @Override
    public int size() {
        return BYTES;
    }

    @Override
    public int alignment() {
        return Long.BYTES;
    }

    /** Makes an empty one in a slot of zeros. */
    public void create(HeapTransaction tx, long object, long offset) {
        set(tx, object, offset, type.create(tx));
    }

    /** As {@link #create(HeapTransaction, long, long)}, sorted by a comparator of that class. */
    public void create(HeapTransaction tx, long object, long offset, String comparatorClass) {
        set(tx, object, offset, type.create(tx, comparatorClass));
    }

    /** Whether the slot has one. */
    public boolean isThere(HeapTransaction tx, long object, long offset) {
        return header(tx, object, offset) != 0;
    }

    private static long header(HeapTransaction tx, long object, long offset) {
        return tx.getLong(object, offset + OFFSET);
    }

    /** Shows what is in it: {@link CollectionType#content}. */
    public void content(
            HeapTransaction tx, long object, long offset, long most, ContentVisitor visitor) {
        type.content(tx, header(tx, object, offset), most, visitor);
    }

    /** Adds to it: {@link CollectionType#append}. */
    public boolean append(HeapTransaction tx, long object, long offset, Object key, Object value) {
        return type.append(tx, header(tx, object, offset), key, value);
    }

    private void set(HeapTransaction tx, long object, long offset, long header) {
        tx.setLong(object, offset, heap.poolId());
        tx.setLong(object, offset + OFFSET, header);
    }

    /** Moves the collection of one slot into another of zeros. */
    public void move(HeapTransaction tx, long from, long fromOffset, long object, long offset) {
        set(tx, object, offset, tx.getLong(from, fromOffset + OFFSET));
    }

    @Override
    public C get(HeapTransaction tx, long object, long offset) {
        long header = header(tx, object, offset);
        return header == 0 ? null : type.open(heap.transactions(), header);
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, C value) {
        throw FarheapException.wrongUse("A collection belongs to its object and can't be set.");
    }

    @Override
    public void release(HeapTransaction tx, long object, long offset) {
        long header = header(tx, object, offset);
        if (header != 0) {
            type.delete(tx, header);
        }
    }

    @Override
    public int hash(C value) {
        throw FarheapException.wrongUse("A collection can't be a key.");
    }

    @Override
    public boolean isNullable() {
        return true;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public void reach(HeapTransaction tx, long object, long offset, Reach reach) {
        long header = header(tx, object, offset);
        if (header != 0) {
            type.walk(
                    tx,
                    header,
                    new CollectionVisitor() {
                        @Override
                        public void object(long owned) {
                            reach.block(owned);
                        }

                        @Override
                        public void slot(ValueType<?> slot, long holder, long at) {
                            slot.reach(tx, holder, at, reach);
                        }
                    });
        }
    }
}
