package io.farheap.testing.errors;

import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.TransactionOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.TransactionStage;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.ObjectList;
import io.farheap.testing.inject.Injection;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Does things to a pool, each again and again with an error in another place, and looks at the pool
 * after each. Loaded by an {@code InjectingLoader}; says what was wrong.
 */
public final class ErrorRounds implements Callable<Map<String, int[]>> {
    private static final long TYPE = 7;
    private static final long COUNT = 8;
    private static final long HEAD = 32;
    private static final long HOLDER = 208;

    private static final String OPENED = "opened";

    /** Opening calls a hundred thousand methods, most of them for each lane. */
    private static final int STEP_OF_OPENING = 101;

    /** More than a lane's own logs take. */
    private static final int MANY = 60;

    private static final List<Supplier<Throwable>> ERRORS =
            List.of(StackOverflowError::new, OutOfMemoryError::new, () -> new Error("injected"));

    /** Changes both values to {@code now}, and whatever else, in one step or not at all. */
    private interface Change {
        void make(long now) throws Exception;
    }

    private final Path file;
    private final int stride;
    private final Map<String, Change> changes = new LinkedHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private ObjectPool pool;
    private Ref root;
    private Ref other;
    private Ref large;
    private long now;
    private int injected;
    private int brokenPools;
    private String place;

    public ErrorRounds(Path file, int stride) {
        this.file = file;
        this.stride = stride;
        changes.put("buffered", this::buffered);
        changes.put("in place", this::inPlace);
        changes.put("aborted", this::aborted);
        changes.put("nested", this::nested);
        changes.put("nested and aborted", this::nestedAborted);
        changes.put("by hand", this::byHand);
        changes.put("allocated and freed", this::allocatedAndFreed);
        changes.put("long logs", this::longLogs);
        changes.put("atomic", this::atomic);
        changes.put("actions", this::actions);
        changes.put("list", this::list);
        changes.put("plain", this::plain);
        changes.put(OPENED, this::opened);
    }

    /** By change: how many errors it met, and how many of them the pool did not survive. */
    @Override
    public Map<String, int[]> call() throws Exception {
        Map<String, int[]> figures = new LinkedHashMap<>();
        pool = ObjectPool.at(file).layout("errors").size(64 << 20).create();
        root = pool.root(256);
        other = pool.atomic().allocateZeroed(64, 1);
        large = pool.atomic().allocateZeroed(1 << 16, 1);
        warm();
        for (Map.Entry<String, Change> change : changes.entrySet()) {
            injected = 0;
            brokenPools = 0;
            int errors = 0;
            int step = change.getKey().equals(OPENED) ? STEP_OF_OPENING * stride : stride;
            for (int at = 1; injectAt(at, change, ERRORS.get(errors++ % 3)); at += step) {
                lookAt(change.getKey() + " " + at + " at " + place);
            }
            figures.put(change.getKey(), new int[] {injected, brokenPools});
        }
        pool.close();
        return figures;
    }

    /** What is made at its first use is made. */
    private void warm() throws Exception {
        for (Change change : changes.values()) {
            now++;
            ignoringOwn(change);
        }
        lookAt("without errors");
    }

    private void ignoringOwn(Change change) throws Exception {
        try {
            change.make(now);
        } catch (OwnException expected) {
            // the change that fails on purpose
            assert expected.getMessage() == null;
        }
    }

    /** False when the change is over before. */
    private boolean injectAt(int at, Map.Entry<String, Change> change, Supplier<Throwable> error)
            throws Exception {
        now++;
        Throwable met = null;
        Injection.arm(at, error);
        try {
            change.getValue().make(now);
        } catch (Throwable thrown) {
            met = thrown;
        } finally {
            place = Injection.disarm();
        }
        if (place == null && met != null && !(met instanceof OwnException)) {
            throw new AssertionError(change.getKey() + " failed by itself", met);
        }
        injected += place == null ? 0 : 1;
        return place != null;
    }

    private void lookAt(String when) throws Exception {
        try {
            require(!lock.isLocked(), "the lock is held");
            if (goesOn()) {
                require(pool.transactions().stage() == TransactionStage.NONE, "a stage");
                if (now % 16 == 0) {
                    reopen();
                }
            } else {
                brokenPools++;
                reopen();
            }
            require(pool.check().inconsistencies().isEmpty(), "inconsistent");
            long value = pool.getLong(root, 0);
            require(value == pool.getLong(other, 0), "half of a transaction");
            require(
                    pool.getLong(root, COUNT) == objects(),
                    pool.getLong(root, COUNT) + " objects are " + objects());
            freeAll();
        } catch (Throwable wrong) {
            throw new AssertionError("after an error in: " + when, wrong);
        }
    }

    private boolean goesOn() {
        try {
            pool.transaction(
                    TransactionOptions.DEFAULT.lock(lock),
                    tx -> {
                        tx.setLong(root, 16, now);
                        tx.free(tx.allocate(100, 3));
                    });
            require(pool.getLong(root, 16) == now, "a commit is not there");
            return true;
        } catch (FarheapException broken) {
            String said = broken.getMessage();
            if (isToBeReopened(said)) {
                return false;
            }
            throw broken;
        }
    }

    private static boolean isToBeReopened(String said) {
        return said.contains("out of order")
                || said.contains("failed in the middle")
                || said.contains("the pool must be closed");
    }

    /** Whose pages can't be made durable any more says so once more when it is closed. */
    private void reopen() {
        try {
            pool.close();
        } catch (FarheapException told) {
            require(isToBeReopened(told.getMessage()), told.getMessage());
        }
        pool = ObjectPool.open(file, "errors");
    }

    private long objects() {
        long count = 0;
        for (Ref unused : pool.objects(TYPE)) {
            count++;
        }
        return count;
    }

    /** So that no round has more to do than the one before. */
    private void freeAll() {
        pool.transaction(
                tx -> {
                    for (Ref object : tx.objects(TYPE)) {
                        tx.free(object);
                    }
                    tx.setLong(root, COUNT, 0);
                });
    }

    private static void require(boolean is, String what) {
        if (!is) {
            throw new AssertionError(what);
        }
    }

    // ---- changes ----

    private static final class OwnException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private void buffered(long value) {
        pool.transaction(
                TransactionOptions.DEFAULT.lock(lock),
                tx -> {
                    tx.setLong(root, 0, value);
                    tx.setLong(other, 0, value);
                });
    }

    private void inPlace(long value) {
        pool.transaction(
                tx -> {
                    tx.snapshot(root, 0, 8).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
                    tx.snapshot(other, 0, 8).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
                });
    }

    private void aborted(long value) throws OwnException {
        pool.transaction(
                TransactionOptions.DEFAULT.lock(lock),
                tx -> {
                    tx.snapshot(other, 0, 8).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
                    tx.setLong(root, COUNT, -1);
                    Ref fresh = tx.allocate(200, TYPE);
                    tx.setLong(fresh, 0, value);
                    throw new OwnException();
                });
    }

    private void nested(long value) {
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, value);
                    pool.transaction(
                            TransactionOptions.DEFAULT.lock(lock),
                            inner -> inner.setLong(other, 0, value));
                });
    }

    private void nestedAborted(long value) throws OwnException {
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, value);
                    pool.transaction(
                            TransactionOptions.DEFAULT.lock(lock),
                            inner -> {
                                inner.snapshot(other, 0, 8)
                                        .set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
                                throw new OwnException();
                            });
                });
    }

    private void byHand(long value) {
        try (ManualTransaction manual = pool.begin(TransactionOptions.DEFAULT.lock(lock))) {
            manual.transaction().setLong(root, 0, value);
            manual.transaction().setLong(other, 0, value);
            manual.commit();
        }
    }

    private void allocatedAndFreed(long value) {
        pool.transaction(
                tx -> {
                    Ref one = tx.allocate(64, TYPE);
                    Ref two = tx.allocateZeroed(5000, TYPE);
                    tx.setLong(one, 0, value);
                    tx.setLong(two, 0, value);
                    tx.setLong(root, COUNT, tx.getLong(root, COUNT) + 2);
                });
        freeAll();
    }

    private void longLogs(long value) {
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, value);
                    tx.setLong(other, 0, value);
                    for (int i = 0; i < MANY; i++) {
                        tx.setLong(large, 1024L * i, value);
                    }
                    Ref[] fresh = new Ref[MANY];
                    for (int i = 0; i < MANY; i++) {
                        fresh[i] = tx.allocate(64, TYPE);
                    }
                    for (int i = 0; i < MANY; i++) {
                        tx.free(fresh[i]);
                    }
                });
    }

    private void atomic(long value) {
        pool.atomic().allocate(root, HOLDER, 64, 2, fresh -> fresh.setLong(0, value));
        pool.atomic().free(root, HOLDER);
    }

    private void actions(long value) {
        try (Actions actions = pool.actions()) {
            actions.reserve(64, 2).setLong(0, value);
            actions.setValue(root, 0, value);
            actions.setValue(other, 0, value);
            actions.publish();
        }
    }

    private void list(long value) {
        ObjectList list = pool.list(root, HEAD, 0);
        Ref element = list.insertNewFirst(64, 4, fresh -> fresh.setLong(40, value));
        Ref second = list.insertNewFirst(64, 4, fresh -> fresh.setLong(40, value));
        list.moveLast(list, second);
        list.removeAndFree(element);
        list.removeAndFree(second);
    }

    private void plain(long value) {
        pool.setLong(root, 24, value);
        pool.writeBytes(root, 128, new byte[] {1, 2, 3});
        pool.memory().fill(root, 128, 64, (byte) value);
    }

    private void opened(long value) {
        try {
            pool.close();
            pool = ObjectPool.open(file, "errors");
        } catch (Throwable cut) {
            reopen();
            throw cut;
        }
        buffered(value);
    }
}
