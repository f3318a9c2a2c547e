package io.farheap.it.interop;

import io.farheap.FarheapException;
import io.farheap.ObjectPool;
import io.farheap.Ref;
import io.farheap.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random transactions over all allocation classes: allocate, free, reallocate, change in place,
 * abort. Every object keeps the rule of {@code judge.c}: its first 8 bytes are a seed and all bytes
 * after them follow from it, so each object shows by itself whether it is whole.
 */
final class RandomWorkload {
    private static final int MAX_LIVE_OBJECTS = 400;

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

    /** One transaction of one to four changes; one in ten aborts. */
    void step() {
        List<Ref> live = new ArrayList<>();
        pool.objects().forEach(live::add);
        int changes = 1 + random.nextInt(4);
        boolean abort = random.nextInt(10) == 0;
        try {
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < changes; i++) {
                            change(tx, live);
                        }
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

    private void change(Transaction tx, List<Ref> live) {
        int kind = live.isEmpty() ? 0 : random.nextInt(live.size() < MAX_LIVE_OBJECTS ? 6 : 3);
        switch (kind) {
            case 1 -> tx.free(taken(live));
            case 2 -> {
                Ref object = live.get(random.nextInt(live.size()));
                tx.writeBytes(object, 0, content(tx.usableSize(object), random.nextLong()));
            }
            case 3 -> {
                Ref object = taken(live);
                Ref moved = tx.reallocate(object, size(), 1 + random.nextInt(5));
                tx.writeBytes(moved, 0, content(tx.usableSize(moved), random.nextLong()));
                live.add(moved);
            }
            default -> {
                Ref object =
                        random.nextBoolean()
                                ? tx.allocate(size(), 1 + random.nextInt(5))
                                : tx.allocateZeroed(size(), 1 + random.nextInt(5));
                tx.writeBytes(object, 0, content(tx.usableSize(object), random.nextLong()));
                live.add(object);
            }
        }
    }

    private Ref taken(List<Ref> live) {
        return live.remove(random.nextInt(live.size()));
    }

    private long size() {
        return switch (random.nextInt(10)) {
            case 0 -> 1 + random.nextInt(64);
            case 1, 2, 3 -> 64 + random.nextInt(1000);
            case 4, 5 -> 1024 + random.nextInt(7000);
            case 6 -> 8192 + random.nextInt(50_000);
            case 7 -> 60_000 + random.nextInt(300_000);
            case 8 -> 262_144L * (1 + random.nextInt(3)) - 16;
            default -> random.nextInt(20) == 0 ? 2_700_000 : 100 + random.nextInt(300);
        };
    }

    /** The bytes of an object of that size and seed; the rule of fill() in judge.c. */
    static byte[] content(long length, long seed) {
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
        return java.util.Arrays.equals(bytes, content(bytes.length, seed));
    }

    private static final class AbortedOnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
