package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.TransactionBody;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.ObjectList;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** The operations of {@code counts.c}, with its names and in its order, by our API. */
final class CountedOperations {
    private static final long TYPE = 7;
    private static final long OBJECT = 8192;
    private static final long OTHER = OBJECT + 16;
    private static final long FIRST_LIST = OTHER + 16;
    private static final long SECOND_LIST = FIRST_LIST + ObjectList.HEAD_BYTES;
    private static final long ROOT_BYTES = SECOND_LIST + ObjectList.HEAD_BYTES;
    private static final long ELEMENT_BYTES = ObjectList.ENTRY_BYTES + 64;
    private static final long ELEMENT_TYPE = 9;
    private static final long HUGE = 262_144 - 16;

    private final ObjectPool pool;
    private final Ref root;
    private final Map<String, Runnable> operations = new LinkedHashMap<>();
    private Ref extra = Ref.NULL;

    CountedOperations(ObjectPool pool) {
        this.pool = pool;
        root = pool.root(ROOT_BYTES);
        transactions();
        atomics();
        lists();
    }

    /** Name to operation; the order matters. */
    Map<String, Runnable> all() {
        return operations;
    }

    /**
     * Both ways to write have libpmemobj's one to be compared with: in place after a snapshot, and
     * new values that wait for the commit.
     */
    static String nameInC(String name) {
        return name.replace(" buffered", "");
    }

    private void transaction(String name, TransactionBody<RuntimeException> body) {
        operations.put(name, () -> pool.transaction(body));
    }

    private void transactions() {
        transaction("tx-nothing", tx -> {});
        ranges("tx-1-range-of-64", 1, 64);
        ranges("tx-4-ranges-of-64", 4, 64);
        ranges("tx-16-ranges-of-64", 16, 64);
        ranges("tx-4-KiB", 1, 4096);
        operations.put("tx-abort", this::abort);
        transaction("tx-allocate", tx -> extra = tx.allocate(128, TYPE));
        transaction(
                "tx-allocate-and-free",
                tx -> {
                    Ref gone = extra;
                    extra = tx.allocate(128, TYPE);
                    tx.free(gone);
                });
        transaction("tx-reallocate", tx -> extra = tx.reallocate(extra, 500, TYPE));
        transaction("tx-free", tx -> tx.free(extra));
        transaction(
                "tx-allocate-and-link",
                tx -> tx.setRef(root, OBJECT, tx.allocateZeroed(128, TYPE)));
        transaction(
                "tx-unlink-and-free",
                tx -> {
                    tx.free(tx.getRef(root, OBJECT));
                    tx.setRef(root, OBJECT, Ref.NULL);
                });
    }

    private void ranges(String name, int count, int bytes) {
        byte[] value = new byte[bytes];
        transaction(
                name,
                tx -> {
                    for (int i = 0; i < count; i++) {
                        MemorySegment range = tx.snapshot(root, 128L * i, bytes);
                        range.fill((byte) 1);
                    }
                });
        transaction(
                name + " buffered",
                tx -> {
                    for (int i = 0; i < count; i++) {
                        tx.writeBytes(root, 128L * i, value);
                    }
                });
    }

    private void abort() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.snapshot(root, 0, 64).fill((byte) 3);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private void atomics() {
        operations.put("atomic-allocate-alone", () -> extra = pool.atomic().allocate(128, TYPE));
        operations.put("atomic-free-alone", () -> pool.atomic().free(extra));
        operations.put(
                "atomic-allocate", () -> extra = pool.atomic().allocate(root, OBJECT, 128, TYPE));
        operations.put(
                "atomic-reallocate",
                () -> extra = pool.atomic().reallocate(root, OBJECT, 500, TYPE));
        free("atomic-free", OBJECT);
        operations.put(
                "atomic-allocate-zeroed",
                () -> extra = pool.atomic().allocateZeroed(root, OBJECT, 128, TYPE));
        free("atomic-free-again", OBJECT);
        operations.put(
                "atomic-duplicate",
                () -> extra = pool.atomic().duplicate(root, OBJECT, "a short text", TYPE));
        free("atomic-free-text", OBJECT);
        operations.put("publish", this::publish);
        free("atomic-free-published", OBJECT);
        operations.put(
                "huge-allocate", () -> extra = pool.atomic().allocate(root, OTHER, HUGE, TYPE));
        free("huge-free", OTHER);
    }

    private void lists() {
        ObjectList first = pool.list(root, FIRST_LIST, 0);
        ObjectList second = pool.list(root, SECOND_LIST, 0);
        operations.put(
                "list-element", () -> extra = pool.atomic().allocate(root, OTHER, HUGE, TYPE));
        operations.put(
                "list-insert-new",
                () -> extra = first.insertNewLast(ELEMENT_BYTES, ELEMENT_TYPE, element -> {}));
        operations.put("list-insert", () -> first.insertLast(pool.getRef(root, OTHER)));
        operations.put("list-move", () -> second.moveLast(first, pool.getRef(root, OTHER)));
        operations.put("list-remove", () -> second.remove(pool.getRef(root, OTHER)));
        operations.put("list-remove-and-free", () -> first.removeAndFree(extra));
        free("list-free-element", OTHER);
    }

    private void free(String name, long field) {
        operations.put(name, () -> pool.atomic().free(root, field));
    }

    private void publish() {
        try (Actions actions = pool.actions()) {
            extra = actions.reserve(128, TYPE).ref();
            actions.setRef(root, OBJECT, extra);
            actions.publish();
        }
    }
}
