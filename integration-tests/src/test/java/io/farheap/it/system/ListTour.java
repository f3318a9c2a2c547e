package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.NewObject;
import io.farheap.pmemobj.ObjectConstructor;
import io.farheap.pmemobj.ObjectList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Every operation on lists. */
final class ListTour {
    private static final long TYPE = 91;
    private static final long ONE = 640;
    private static final long TWO = 704;
    private static final long OTHER = 768;
    private static final long ENTRY = 16;
    private static final long OTHER_ENTRY = 48;

    private ListTour() {}

    static void addTo(Map<String, Consumer<ObjectPool>> steps) {
        steps.put("list: insert new first", p -> one(p).insertNewFirst(80, TYPE, named(1)));
        steps.put("list: remove and free", p -> one(p).removeAndFree(at(p, 1)));
        steps.put("list: insert new last", p -> one(p).insertNewLast(90, TYPE, named(2)));
        steps.put(
                "list: insert new before",
                p -> one(p).insertNewBefore(at(p, 2), 200, TYPE, named(3)));
        steps.put(
                "list: insert new behind, huge",
                p -> one(p).insertNewAfter(at(p, 2), 400_000, TYPE, named(4)));
        steps.put("list: a constructor cancels", ListTour::cancelConstructor);
        steps.put("list: remove", p -> one(p).remove(at(p, 2)));
        steps.put("list: insert first", p -> one(p).insertFirst(at(p, 2)));
        steps.put("list: remove the last", p -> one(p).remove(at(p, 4)));
        steps.put("list: insert last", p -> one(p).insertLast(at(p, 4)));
        steps.put("list: remove the middle", p -> one(p).remove(at(p, 3)));
        steps.put("list: insert before", p -> one(p).insertBefore(at(p, 4), at(p, 3)));
        steps.put("list: remove once more", p -> one(p).remove(at(p, 3)));
        steps.put("list: insert behind", p -> one(p).insertAfter(at(p, 4), at(p, 3)));
        steps.put("list: move first", p -> one(p).moveFirst(one(p), at(p, 3)));
        steps.put("list: move last", p -> two(p).moveLast(one(p), at(p, 3)));
        steps.put("list: move before", p -> two(p).moveBefore(at(p, 3), one(p), at(p, 4)));
        steps.put("list: move behind", p -> two(p).moveAfter(at(p, 3), one(p), at(p, 2)));
        steps.put("list: move by another entry", p -> other(p).moveFirst(two(p), at(p, 3)));
        steps.put("list: in a transaction that aborts", ListTour::insideATransaction);
        steps.put("list: free all", ListTour::freeAll);
    }

    /** For a check. */
    static ListAt[] lists() {
        return new ListAt[] {
            ListAt.inRoot(ONE, ENTRY), ListAt.inRoot(TWO, ENTRY), ListAt.inRoot(OTHER, OTHER_ENTRY)
        };
    }

    private static ObjectList one(ObjectPool pool) {
        return pool.list(pool.root(), ONE, ENTRY);
    }

    private static ObjectList two(ObjectPool pool) {
        return pool.list(pool.root(), TWO, ENTRY);
    }

    private static ObjectList other(ObjectPool pool) {
        return pool.list(pool.root(), OTHER, OTHER_ENTRY);
    }

    private static ObjectConstructor named(long name) {
        return (NewObject made) -> {
            made.fill(0, made.usableSize(), (byte) name);
            made.setLong(0, name);
        };
    }

    private static Ref at(ObjectPool pool, long name) {
        for (Ref element : pool.objects(TYPE)) {
            if (pool.getLong(element, 0) == name) {
                return element;
            }
        }
        throw new AssertionError("no element " + name);
    }

    private static void cancelConstructor(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                one(pool)
                                        .insertNewFirst(
                                                100,
                                                TYPE,
                                                made -> {
                                                    made.fill(0, 100, (byte) 7);
                                                    throw new IllegalStateException("cancelled");
                                                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(names(pool, one(pool))).containsExactly(3L, 2L, 4L);
    }

    private static void insideATransaction(ObjectPool pool) {
        assertThat(names(pool, two(pool))).containsExactly(4L, 2L);
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(tx.root(), 1024, 4711);
                                            one(pool).moveFirst(two(pool), at(pool, 2));
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
        assertThat(names(pool, one(pool))).containsExactly(2L);
        assertThat(names(pool, two(pool))).containsExactly(4L);
        assertThat(names(pool, other(pool))).containsExactly(3L);
    }

    private static void freeAll(ObjectPool pool) {
        for (ObjectList list : List.of(one(pool), two(pool), other(pool))) {
            while (!list.isEmpty()) {
                list.removeAndFree(list.first());
            }
        }
    }

    private static List<Long> names(ObjectPool pool, Iterable<Ref> elements) {
        List<Long> names = new ArrayList<>();
        elements.forEach(element -> names.add(pool.getLong(element, 0)));
        return names;
    }
}
