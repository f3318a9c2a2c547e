package io.farheap.it.workload;

import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionLock;
import io.farheap.TransactionOptions;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Errno;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.DefragmentationResult;
import io.farheap.pmemobj.HeapControl;
import io.farheap.pmemobj.NewObject;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolLocks;
import io.farheap.pmemobj.PoolMutex;
import io.farheap.pmemobj.ReferenceField;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The operations of one thread, each of them one step: the k-th follows from the seed and from what
 * the model says then, so that a model can be brought to any k without a pool.
 */
final class CellWorkload {
    static final long ELEMENT_TYPE = 200;
    static final long CELL_TYPE = 100;

    /** The counters that all threads share, each with a lock of its own. */
    private static final long COUNTER = 0;

    private static final long COUNTER_BY_HAND = 8;
    private static final long MUTEX = 64;
    private static final long FIRST_THREAD = MUTEX + PoolLocks.LOCK_BYTES;

    private static final long COUNTED = 0;
    private static final long COUNTED_BY_HAND = 8;
    private static final long SLOTS = 64;
    private static final long LIST = SLOTS + CellModel.SLOTS * (long) Ref.BYTES;
    private static final long STRIDE = LIST + 128;
    private static final long ENTRY = 8;
    private static final long ELEMENT_BYTES = ENTRY + ObjectList.ENTRY_BYTES;
    private static final int LONGEST_LIST = 8;
    private static final int[] SIZES = {16, 40, 100, 500, 2000, 9000, 300_000};

    /** What threads share of an open pool: a lock that is not in it, classes and an arena. */
    record Shared(TransactionLock counterLock, AllocationOptions[] places) {
        private static final int LARGEST_IN_CLASS = 500;

        static Shared of(ObjectPool pool) {
            HeapControl heap = pool.heap();
            int own = heap.createArena();
            int compact = heap.newAllocationClass(1024, 0, 60, HeaderType.COMPACT).id();
            int bare = heap.newAllocationClass(512, 64, 200, HeaderType.NONE).id();
            AllocationOptions anywhere = AllocationOptions.DEFAULT;
            return new Shared(
                    new TransactionLock(),
                    new AllocationOptions[] {
                        anywhere.inArena(own),
                        anywhere.inClass(compact),
                        anywhere.inClass(bare).inArena(own).withZeroes()
                    });
        }
    }

    private final ObjectPool pool;
    private final Shared shared;
    private final long seed;
    private final int thread;
    private final long base;
    private final CellModel model = new CellModel();
    private long done;

    /**
     * @param pool null: only the model is moved
     * @param shared null: nothing is done, only read
     */
    CellWorkload(ObjectPool pool, Shared shared, long seed, int thread) {
        this.pool = pool;
        this.shared = shared;
        this.seed = seed;
        this.thread = thread;
        base = FIRST_THREAD + thread * STRIDE;
    }

    static long rootBytes(int threads) {
        return FIRST_THREAD + threads * STRIDE;
    }

    static ListAt list(int thread) {
        return ListAt.inRoot(FIRST_THREAD + thread * STRIDE + LIST, ENTRY);
    }

    static long counter(ObjectPool pool) {
        return pool.getLong(pool.root(), COUNTER);
    }

    static long counterByHand(ObjectPool pool) {
        return pool.getLong(pool.root(), COUNTER_BY_HAND);
    }

    CellModel model() {
        return model;
    }

    /** The model after {@code operations} of them. */
    static CellWorkload replayed(
            ObjectPool pool, Shared shared, long seed, int thread, long operations) {
        CellWorkload replay = new CellWorkload(null, null, seed, thread);
        while (replay.done < operations) {
            replay.step();
        }
        CellWorkload live = new CellWorkload(pool, shared, seed, thread);
        System.arraycopy(replay.model.stamps, 0, live.model.stamps, 0, CellModel.SLOTS);
        System.arraycopy(replay.model.sizes, 0, live.model.sizes, 0, CellModel.SLOTS);
        System.arraycopy(replay.model.tails, 0, live.model.tails, 0, CellModel.SLOTS);
        live.model.list.addAll(replay.model.list);
        live.model.counted = replay.model.counted;
        live.model.countedByHand = replay.model.countedByHand;
        live.done = operations;
        return live;
    }

    /** Does the next operation; durable when this returns. */
    void step() {
        Random random = new Random(seed * 31 + thread * 1_000_003L + done * 7919);
        long stamp = done + 1;
        int slot = random.nextInt(CellModel.SLOTS);
        int size = SIZES[random.nextInt(SIZES.length)];
        switch (random.nextInt(14)) {
            case 0, 1 -> putOrFree(slot, stamp, size);
            case 2 -> restamp(slot, stamp);
            case 3 -> replace(slot, stamp, size);
            case 4 -> giveUp(slot, size);
            case 5 -> reallocate(slot, size);
            case 6 -> publish(slot, stamp, size);
            case 7 -> changeList(stamp);
            case 8 -> count();
            case 9, 10 -> putInPlace(slot, stamp, size);
            case 11 -> countByHand(stamp);
            case 12 -> defragment();
            default -> fillTail(slot, (int) stamp & 0x7F);
        }
        done++;
    }

    private long slotOffset(int slot) {
        return base + SLOTS + slot * (long) Ref.BYTES;
    }

    private Ref at(int slot) {
        return pool.getRef(pool.root(), slotOffset(slot));
    }

    private void putOrFree(int slot, long stamp, int size) {
        if (model.isFull(slot)) {
            if (pool != null) {
                pool.atomic().free(pool.root(), slotOffset(slot));
            }
            model.clear(slot);
            return;
        }
        if (pool != null) {
            pool.atomic()
                    .allocate(
                            pool.root(),
                            slotOffset(slot),
                            size,
                            CELL_TYPE + thread,
                            made -> content(made, stamp, size));
        }
        model.put(slot, stamp, size, tail(stamp));
    }

    private static int tail(long stamp) {
        return (int) stamp & 0x7F;
    }

    private static void content(NewObject made, long stamp, int size) {
        made.setLong(0, stamp);
        made.setByte(size - 1, (byte) tail(stamp));
    }

    /** Several objects in one transaction. */
    private void restamp(int slot, long stamp) {
        if (pool != null) {
            pool.transaction(
                    tx -> {
                        for (int i = slot; i < CellModel.SLOTS; i += 3) {
                            if (model.isFull(i)) {
                                Ref object = tx.getRef(tx.root(), slotOffset(i));
                                tx.setLong(object, 0, stamp);
                                tx.setByte(object, model.sizes[i] - 1, (byte) tail(stamp));
                            }
                        }
                    });
        }
        for (int i = slot; i < CellModel.SLOTS; i += 3) {
            if (model.isFull(i)) {
                model.put(i, stamp, model.sizes[i], tail(stamp));
            }
        }
    }

    private void replace(int slot, long stamp, int size) {
        if (pool != null) {
            pool.transaction(
                    tx -> {
                        Ref made = tx.allocate(size, CELL_TYPE + thread);
                        tx.setLong(made, 0, stamp);
                        tx.setByte(made, size - 1, (byte) tail(stamp));
                        if (model.isFull(slot)) {
                            tx.free(tx.getRef(tx.root(), slotOffset(slot)));
                        }
                        tx.setRef(tx.root(), slotOffset(slot), made);
                    });
        }
        model.put(slot, stamp, size, tail(stamp));
    }

    private void giveUp(int slot, int size) {
        if (pool == null) {
            return;
        }
        try {
            pool.transaction(
                    tx -> {
                        tx.setRef(tx.root(), slotOffset(slot), tx.allocateZeroed(size, CELL_TYPE));
                        for (int i = 0; i < CellModel.SLOTS; i++) {
                            if (model.isFull(i)) {
                                Ref object = tx.getRef(tx.root(), slotOffset(i));
                                if (i != slot) {
                                    tx.snapshot(object, 0, 8).fill((byte) 0x77);
                                }
                            }
                        }
                        tx.abort();
                    });
        } catch (TransactionAbortedException e) {
            return;
        }
        throw new IllegalStateException("the transaction was not aborted");
    }

    private void reallocate(int slot, int size) {
        if (!model.isFull(slot)) {
            return;
        }
        if (pool != null) {
            pool.atomic().reallocate(pool.root(), slotOffset(slot), size, CELL_TYPE + thread);
        }
        model.put(slot, model.stamps[slot], size, CellModel.UNKNOWN);
    }

    private void publish(int slot, long stamp, int size) {
        if (pool != null) {
            try (Actions actions = pool.actions()) {
                NewObject made = actions.reserve(size, CELL_TYPE + thread);
                content(made, stamp, size);
                actions.setRef(pool.root(), slotOffset(slot), made.ref());
                if (model.isFull(slot)) {
                    actions.deferFree(at(slot));
                }
                actions.publish();
            }
        }
        model.put(slot, stamp, size, tail(stamp));
    }

    private void changeList(long stamp) {
        ObjectList list = pool == null ? null : pool.list(pool.root(), base + LIST, ENTRY);
        if (model.list.size() >= LONGEST_LIST) {
            if (list != null) {
                list.removeAndFree(list.first());
            }
            model.list.removeFirst();
        } else if (model.list.size() > 1 && stamp % 3 == 0) {
            if (list != null) {
                list.moveLast(list, list.first());
            }
            model.list.addLast(model.list.removeFirst());
        } else {
            if (list != null) {
                list.insertNewLast(
                        ELEMENT_BYTES, ELEMENT_TYPE + thread, made -> made.setLong(0, stamp));
            }
            model.list.addLast(stamp);
        }
    }

    /** A word that all threads change, and one of this thread's, in one transaction. */
    private void count() {
        if (pool != null) {
            pool.transaction(
                    tx -> {
                        tx.lock(shared.counterLock());
                        Ref root = tx.root();
                        tx.setLong(root, COUNTER, tx.getLong(root, COUNTER) + 1);
                        tx.setLong(root, base + COUNTED, model.counted + 1);
                    });
        }
        model.counted++;
    }

    /** In a class or an arena of the program's own. */
    private void putInPlace(int slot, long stamp, int wanted) {
        int size = Math.min(wanted, Shared.LARGEST_IN_CLASS);
        if (model.isFull(slot)) {
            return;
        }
        if (pool != null) {
            pool.atomic()
                    .allocate(
                            pool.root(),
                            slotOffset(slot),
                            size,
                            CELL_TYPE + thread,
                            shared.places()[(int) (stamp % shared.places().length)],
                            made -> content(made, stamp, size));
        }
        model.put(slot, stamp, size, tail(stamp));
    }

    /** As {@link #count}, without a lambda, under a lock in the pool; every third is in vain. */
    private void countByHand(long stamp) {
        boolean vain = stamp % 3 == 0;
        if (pool != null) {
            PoolMutex mutex = pool.locks().mutex(pool.root(), MUTEX);
            try (ManualTransaction manual = pool.begin(TransactionOptions.DEFAULT.lock(mutex))) {
                Transaction tx = manual.transaction();
                Ref root = tx.root();
                tx.setLong(root, COUNTER_BY_HAND, tx.getLong(root, COUNTER_BY_HAND) + 1);
                tx.setLong(root, base + COUNTED_BY_HAND, model.countedByHand + 1);
                if (vain) {
                    manual.abort(Errno.ECANCELED);
                } else {
                    manual.commit();
                }
            }
        }
        if (!vain) {
            model.countedByHand++;
        }
    }

    /** The objects move, if at all; nothing else changes. */
    private void defragment() {
        if (pool == null) {
            return;
        }
        List<ReferenceField> fields = new ArrayList<>();
        for (int slot = 0; slot < CellModel.SLOTS; slot++) {
            fields.add(new ReferenceField(pool.root(), slotOffset(slot)));
        }
        DefragmentationResult result = pool.heap().defragment(fields);
        long full = IntStream.range(0, CellModel.SLOTS).filter(model::isFull).count();
        if (result.total() != full) {
            throw new IllegalStateException(full + " objects, of which it saw " + result.total());
        }
    }

    private void fillTail(int slot, int value) {
        if (!model.isFull(slot) || model.sizes[slot] <= Long.BYTES) {
            return;
        }
        if (pool != null) {
            pool.memory().fill(at(slot), model.sizes[slot] - 1, 1, (byte) value);
        }
        model.tails[slot] = value;
    }

    /** What the pool has of this thread's; the sizes are taken from the model. */
    CellModel read() {
        CellModel read = new CellModel();
        for (int slot = 0; slot < CellModel.SLOTS; slot++) {
            Ref object = at(slot);
            if (!object.isNull()) {
                boolean has = model.sizes[slot] > 0 && pool.usableSize(object) >= model.sizes[slot];
                int tail = has ? pool.getByte(object, model.sizes[slot] - 1) : CellModel.UNKNOWN;
                read.put(slot, pool.getLong(object, 0), model.sizes[slot], tail);
            }
        }
        pool.list(pool.root(), base + LIST, ENTRY)
                .forEach(element -> read.list.addLast(pool.getLong(element, 0)));
        read.counted = pool.getLong(pool.root(), base + COUNTED);
        read.countedByHand = pool.getLong(pool.root(), base + COUNTED_BY_HAND);
        return read;
    }
}
