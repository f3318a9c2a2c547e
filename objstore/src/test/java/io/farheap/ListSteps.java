package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.NewObject;
import io.farheap.pmemobj.ObjectList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every operation on lists: on an empty one, at both ends, in the middle, on the only element. */
final class ListSteps {
    private static final long HEADS = 0x4c495354;
    private static final long ELEMENT = HEADS + 1;
    private static final long ENTRY = 16;
    private static final long OTHER_ENTRY = 48;

    private ListSteps() {}

    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("list: make heads", ListSteps::makeHeads);
        steps.put("list: insert new into an empty one", p -> insertNew(p, one(p), 1));
        steps.put("list: remove and free the only one", p -> one(p).removeAndFree(at(p, 1)));
        steps.put("list: insert new last", p -> one(p).insertNewLast(90, ELEMENT, o -> fill(o, 2)));
        steps.put("list: insert new first", p -> insertNew(p, one(p), 3));
        steps.put(
                "list: insert new before",
                p -> one(p).insertNewBefore(at(p, 2), 200, ELEMENT, o -> fill(o, 4)));
        steps.put(
                "list: insert new behind",
                p -> one(p).insertNewAfter(at(p, 2), 300_000, ELEMENT, o -> fill(o, 5)));
        steps.put("list: a constructor gives up", ListSteps::giveUp);
        steps.put("list: remove in the middle", p -> one(p).remove(at(p, 4)));
        steps.put("list: insert before", p -> one(p).insertBefore(at(p, 5), at(p, 4)));
        steps.put("list: remove the first", p -> one(p).remove(at(p, 3)));
        steps.put("list: insert behind", p -> one(p).insertAfter(at(p, 5), at(p, 3)));
        steps.put("list: remove the last", p -> one(p).remove(at(p, 3)));
        steps.put("list: insert first", p -> one(p).insertFirst(at(p, 3)));
        steps.put("list: move to the end", p -> one(p).moveLast(one(p), at(p, 3)));
        steps.put("list: move to the begin", p -> one(p).moveFirst(one(p), at(p, 5)));
        steps.put("list: swap neighbours", p -> swap(p, 5, 2));
        steps.put("list: move to another one", p -> two(p).moveFirst(one(p), at(p, 4)));
        steps.put("list: move behind another", p -> two(p).moveAfter(at(p, 4), one(p), at(p, 3)));
        steps.put("list: move before another", p -> two(p).moveBefore(at(p, 4), one(p), at(p, 2)));
        steps.put("list: move the only one", p -> other(p).moveLast(one(p), at(p, 5)));
        steps.put("list: move back", p -> one(p).moveLast(other(p), at(p, 5)));
        steps.put("list: allocate what is never zeroed", ListSteps::allocateGarbage);
        steps.put(
                "list: insert what was never zeroed",
                p -> two(p).insertLast(at(p, 0x7777777777777777L)));
        steps.put("list: remove and free", p -> two(p).removeAndFree(at(p, 4)));
        steps.put("list: remove and free the huge one", p -> one(p).removeAndFree(at(p, 5)));
        steps.put("list: in a transaction that gives up", ListSteps::inATransaction);
        return steps;
    }

    private static void makeHeads(ObjectPool pool) {
        pool.transaction(tx -> tx.allocateZeroed(400, HEADS));
    }

    private static Ref heads(ObjectPool pool) {
        return pool.objects(HEADS).iterator().next();
    }

    static ObjectList one(ObjectPool pool) {
        return pool.list(heads(pool), 8, ENTRY);
    }

    static ObjectList two(ObjectPool pool) {
        return pool.list(heads(pool), 200, ENTRY);
    }

    private static ObjectList other(ObjectPool pool) {
        return pool.list(heads(pool), 104, OTHER_ENTRY);
    }

    private static void insertNew(ObjectPool pool, ObjectList list, long name) {
        Ref made = list.insertNewFirst(80, ELEMENT, object -> fill(object, name));
        assertThat(pool.getLong(made, 0)).isEqualTo(name);
    }

    private static void fill(NewObject object, long name) {
        object.fill(0, object.usableSize(), (byte) name);
        object.setLong(0, name);
    }

    private static Ref at(ObjectPool pool, long name) {
        for (Ref element : pool.objects(ELEMENT)) {
            if (pool.getLong(element, 0) == name) {
                return element;
            }
        }
        throw new AssertionError("no element " + name);
    }

    private static void giveUp(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                one(pool)
                                        .insertNewFirst(
                                                100,
                                                ELEMENT,
                                                object -> {
                                                    object.setLong(0, 99);
                                                    throw new IllegalStateException("no");
                                                }))
                .isInstanceOf(IllegalStateException.class);
    }

    private static void swap(ObjectPool pool, long first, long second) {
        assertThat(names(pool, one(pool))).containsSubsequence(first, second);
        one(pool).moveAfter(at(pool, second), one(pool), at(pool, first));
    }

    private static void allocateGarbage(ObjectPool pool) {
        byte[] garbage = new byte[100];
        Arrays.fill(garbage, (byte) 0x77);
        pool.transaction(tx -> tx.writeBytes(tx.allocate(100, ELEMENT), 0, garbage));
    }

    private static void inATransaction(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(tx.root(), 64, 4711);
                                            one(pool).moveFirst(two(pool), at(pool, 2));
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
        assertThat(names(pool, one(pool))).startsWith(2L);
    }

    static List<Long> names(ObjectPool pool, Iterable<Ref> elements) {
        List<Long> names = new ArrayList<>();
        elements.forEach(element -> names.add(pool.getLong(element, 0)));
        return names;
    }
}
