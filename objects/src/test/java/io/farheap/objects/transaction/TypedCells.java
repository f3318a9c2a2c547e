package io.farheap.objects.transaction;

import io.farheap.base.TransactionConflictException;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.TransactionHandle;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/**
 * Cells as a program has them, by the public API alone: fields of the root, of an object, of
 * objects that are deleted and made again, a text, a record, a counter, and collections of every
 * kind.
 */
final class TypedCells implements RecordedHeap, RecordedCells {
    /** What the cells lie in. */
    @Persistent
    interface Root {
        long first();

        void first(long value);

        long second();

        void second(long value);

        Holder lasting();

        void lasting(Holder value);

        Holder replaced();

        void replaced(Holder value);

        String text();

        void text(String value);

        Both both();

        void both(Both value);

        PersistentCounter counter();

        PersistentMap<Long, Long> map();

        PersistentSortedMap<Long, Long> sortedMap();

        PersistentSet<Long> set();

        PersistentSortedSet<Long> sortedSet();

        PersistentList<Long> list();

        PersistentDeque<Long> deque();
    }

    /** An object with a cell. */
    @Persistent
    interface Holder {
        long value();

        void value(long value);
    }

    /** A cell, and a text that has a block of its own. */
    record Both(long value, String text) {}

    /** Longer than what fits into a field. */
    private static final String PREFIX = "a text of some more bytes: ";

    private static final int FIELDS = 7;
    private static final int MOST_CONFLICTS = 100;

    private final PersistentHeap<Root> heap;
    private final Root root;
    private final List<CellPart> parts;

    TypedCells(PersistentHeap<Root> heap) {
        this.heap = heap;
        this.root = heap.root();
        heap.transaction(this::create);
        this.parts =
                List.of(
                        new CellPart.InMap(root.map()),
                        new CellPart.InMap(root.sortedMap()),
                        CellPart.InElements.of(root.set()),
                        CellPart.InElements.sorted(root.sortedSet()),
                        CellPart.InElements.of(root.deque()),
                        new CellPart.InList(root.list()));
    }

    private void create(Root fresh) {
        if (fresh.lasting() == null) {
            fresh.lasting(heap.create(Holder.class));
            fresh.replaced(heap.create(Holder.class));
            fresh.text(PREFIX + 0);
            fresh.both(new Both(0, PREFIX));
        }
    }

    // ---- transactions ----

    @Override
    public List<Consumer<Runnable>> reads() {
        return List.of(
                body -> heap.view(same -> body.run()),
                body -> {
                    Root unused =
                            heap.read(
                                    same -> {
                                        body.run();
                                        return same;
                                    });
                });
    }

    @Override
    public List<Consumer<Runnable>> changes() {
        return List.of(
                body -> heap.transaction(same -> body.run()),
                body -> {
                    Root unused =
                            heap.compute(
                                    same -> {
                                        body.run();
                                        return same;
                                    });
                },
                body -> heap.transaction(same -> heap.transaction(joined -> body.run())),
                this::byHand);
    }

    /** Nobody runs such a transaction again but its program. */
    private void byHand(Runnable body) {
        for (int i = 0; i < MOST_CONFLICTS; i++) {
            try (TransactionHandle transaction = heap.begin()) {
                body.run();
                transaction.commit();
                return;
            } catch (TransactionConflictException conflict) {
                Thread.yield();
            }
        }
        throw new HistoryRecorder.OnPurpose();
    }

    // ---- cells ----

    @Override
    public int count() {
        return FIELDS + parts.size() * CellPart.CELLS;
    }

    private CellPart part(int cell) {
        return parts.get((cell - FIELDS) / CellPart.CELLS);
    }

    private static long key(int cell) {
        return ((long) cell - FIELDS) % CellPart.CELLS;
    }

    @Override
    public long get(int cell) {
        return switch (cell) {
            case 0 -> root.first();
            case 1 -> root.second();
            case 2 -> root.lasting().value();
            case 3 -> root.replaced().value();
            case 4 -> Long.parseLong(root.text().substring(PREFIX.length()));
            case 5 -> root.both().value();
            case 6 -> root.counter().get();
            default -> part(cell).get(key(cell));
        };
    }

    @Override
    public boolean isReadByOneCall(int cell) {
        return cell < FIELDS ? cell != 3 : part(cell).isReadByOneCall();
    }

    @Override
    public void set(int cell, long value, boolean moved) {
        switch (cell) {
            case 0 -> root.first(value);
            case 1 -> root.second(value);
            case 2 -> root.lasting().value(value);
            case 3 -> replace(value, moved);
            case 4 -> root.text(PREFIX + value);
            case 5 -> root.both(new Both(value, PREFIX + value));
            case 6 -> root.counter().add(value - root.counter().get());
            default -> part(cell).set(key(cell), value, moved);
        }
    }

    private void replace(long value, boolean moved) {
        if (!moved) {
            root.replaced().value(value);
            return;
        }
        Holder old = root.replaced();
        root.replaced(heap.create(Holder.class, holder -> holder.value(value)));
        old.value(-1);
        heap.delete(old);
    }

    @Override
    public boolean setAlone(int cell, LongUnaryOperator next) {
        return cell >= FIELDS && part(cell).setAlone(key(cell), next);
    }
}
