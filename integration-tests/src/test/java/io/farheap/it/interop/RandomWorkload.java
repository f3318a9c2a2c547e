package io.farheap.it.interop;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.heap.RunUnits;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Random transactions over all allocation classes: allocate, free, reallocate, change in place and
 * with buffered values, grow the root, abort. Every object keeps the rule of {@code judge.c}: its
 * first 8 bytes are a seed and all bytes after them follow from it, so each object shows by itself
 * whether it is whole.
 */
public final class RandomWorkload {
    private static final int MAX_LIVE_OBJECTS = 400;
    private static final int MANY = 60;
    private static final long MAX_ROOT_BYTES = 20_000;
    private static final long MAX_OBJECT_BYTES = 3_000_000;
    private static final long[] RUN_UNITS = RunUnits.bytes();

    private final ObjectPool pool;
    private final Random random;

    RandomWorkload(ObjectPool pool, long seed) {
        this.pool = pool;
        this.random = new Random(seed);
    }

    void run(int transactions) {
        for (int i = 0; i < transactions; i++) {
            step();
        }
    }

    /** One object for each allocation class, each in a transaction of its own. */
    void allocateOfEveryClass() {
        for (long unit : RUN_UNITS) {
            pool.transaction(tx -> allocate(tx, unit - RunUnits.HEADER_BYTES));
        }
        pool.transaction(tx -> allocate(tx, MAX_OBJECT_BYTES));
    }

    /** One transaction of some changes; one in ten aborts. */
    void step() {
        List<Ref> live = live();
        boolean inPlace = random.nextBoolean();
        boolean abort = random.nextInt(10) == 0;
        try {
            if (random.nextInt(20) == 0) {
                growRoot();
            }
            pool.transaction(
                    tx -> {
                        changeSome(tx, live, inPlace);
                        if (abort) {
                            throw new AbortedOnPurpose();
                        }
                    });
        } catch (AbortedOnPurpose e) {
            return;
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.ENVIRONMENT) {
                throw e; // anything but a pool that is full
            }
        }
    }

    /** All objects but those that are in lists, which keep rules of their own. */
    private List<Ref> live() {
        List<Ref> live = Listing.refs(pool.objects());
        live.removeIf(object -> pool.typeNumber(object) >= Links.MEMBER);
        return live;
    }

    /** Frees objects, each in a transaction of its own, until so many are left. */
    void trim(int left) {
        List<Ref> live = live();
        while (live.size() > left) {
            pool.transaction(tx -> tx.free(taken(live)));
        }
    }

    private void growRoot() {
        pool.root(Math.min(MAX_ROOT_BYTES, pool.rootSize() + 1 + random.nextInt(700)));
    }

    /** Up to four changes, or so many allocations that the lane's redo log needs an extension. */
    private void changeSome(Transaction tx, List<Ref> live, boolean inPlace) {
        if (random.nextInt(15) == 0 && live.size() < MAX_LIVE_OBJECTS) {
            for (int i = 0; i < MANY; i++) {
                allocate(tx, 1 + random.nextInt(100));
            }
        }
        if (random.nextInt(6) == 0 && !tx.root().isNull()) {
            overwrite(tx, tx.root(), inPlace);
        }
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            change(tx, live, inPlace);
        }
    }

    private void change(Transaction tx, List<Ref> live, boolean inPlace) {
        int kind = live.isEmpty() ? 0 : random.nextInt(live.size() < MAX_LIVE_OBJECTS ? 6 : 3);
        switch (kind) {
            case 1 -> tx.free(taken(live));
            case 2 -> overwrite(tx, live.get(random.nextInt(live.size())), inPlace);
            case 3 -> {
                Ref moved = tx.reallocate(taken(live), size(), 1 + random.nextInt(5));
                tx.writeBytes(moved, 0, content(tx.usableSize(moved), random.nextLong()));
                live.add(moved);
            }
            default -> live.add(allocate(tx, size()));
        }
    }

    private Ref allocate(Transaction tx, long size) {
        long type = 1L + random.nextInt(5);
        Ref object = random.nextBoolean() ? tx.allocate(size, type) : tx.allocateZeroed(size, type);
        tx.writeBytes(object, 0, content(tx.usableSize(object), random.nextLong()));
        return object;
    }

    private void overwrite(Transaction tx, Ref object, boolean inPlace) {
        byte[] content = content(tx.usableSize(object), random.nextLong());
        if (inPlace) {
            tx.snapshot(object, 0, content.length).copyFrom(MemorySegment.ofArray(content));
        } else {
            tx.writeBytes(object, 0, content);
        }
    }

    private Ref taken(List<Ref> live) {
        return live.remove(random.nextInt(live.size()));
    }

    /** Mostly small; of any class of runs and of any number of units; sometimes huge. */
    private long size() {
        return switch (random.nextInt(10)) {
            case 0 -> 1 + random.nextInt(64);
            case 1, 2, 3, 4 -> 64 + random.nextInt(1000);
            case 5, 6 -> 1024 + random.nextInt(7000);
            case 7 -> sizeOfSomeClass();
            case 8 -> 262_144L * (1 + random.nextInt(3)) - 16;
            default -> random.nextInt(20) == 0 ? 2_700_000 : 100 + random.nextInt(300);
        };
    }

    private long sizeOfSomeClass() {
        long unit = RUN_UNITS[random.nextInt(RUN_UNITS.length)];
        long units = 1L + random.nextInt(8);
        return Math.min(unit * units - RunUnits.HEADER_BYTES, MAX_OBJECT_BYTES / 4);
    }

    /** The bytes of an object of that size and seed; the rule of fill() in judge.c. */
    public static byte[] content(long length, long seed) {
        byte[] bytes = new byte[Math.toIntExact(length)];
        for (int i = 0; i < Math.min(8, bytes.length); i++) {
            bytes[i] = (byte) (seed >>> (8 * i));
        }
        for (int i = 8; i < bytes.length; i++) {
            bytes[i] = (byte) (seed * 31 + i * 7L + (i >> 8));
        }
        return bytes;
    }

    /** Whether an object is whole by that rule. */
    static boolean isWhole(byte[] bytes) {
        long seed = 0;
        for (int i = 0; i < 8; i++) {
            seed |= (bytes[i] & 0xffL) << (8 * i);
        }
        return Arrays.equals(bytes, content(bytes.length, seed));
    }

    private static final class AbortedOnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
