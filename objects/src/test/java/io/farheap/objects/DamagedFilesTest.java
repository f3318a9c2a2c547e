package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.EveryCollection.Root;
import io.farheap.objects.EveryCollection.Thing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A pool's file some bits of which have turned, in any object: opening it, and going through each
 * of its collections, its unreachable objects and a dump ends soon, with an answer or refused as
 * bad data.
 */
class DamagedFilesTest {
    private static final int ROUNDS = Boolean.getBoolean("test.deep") ? 1_000 : 60;
    private static final int MOST_OBJECTS = 3;

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @TempDir Path directory;

    /** By type number, so that a header is hit as often as the many entries; with bytes of each. */
    private final Map<Long, List<Ref>> victims = new TreeMap<>();

    private final Map<Ref, byte[]> good = new LinkedHashMap<>();

    private byte[] made() throws IOException {
        Path file = directory.resolve("good");
        try (PersistentHeap<Root> heap = PersistentHeap.openOrCreate(file, 8 << 20, Root.class)) {
            heap.transaction(root -> root.thing(heap.create(Thing.class, EveryCollection::fill)));
            ObjectPool pool = heap.pool();
            pool.objects().forEach(object -> add(pool, object, pool.usableSize(object)));
            add(pool, pool.root(), pool.rootSize());
        }
        return Files.readAllBytes(file);
    }

    private void add(ObjectPool pool, Ref object, long size) {
        victims.computeIfAbsent(pool.typeNumber(object), type -> new ArrayList<>()).add(object);
        good.put(object, pool.readBytes(object, 0, (int) size));
    }

    @Test
    @Tag("sliced")
    void openingAndReadingItEndsWithAnAnswerOrIsRefused() throws IOException {
        System.out.println("DamagedFilesTest: seed " + seed);
        byte[] bytes = made();
        good.forEach((object, own) -> assertThat(at(bytes, object, own.length)).isEqualTo(own));
        try (HostileCalls calls = new HostileCalls(true)) {
            read(calls, "undamaged: ", bytes);
            assertThat(calls.refused()).isEmpty();
            int refused = 0;
            for (int round = 0; round < ROUNDS; round++) {
                String what = String.format("seed %d, round %d: ", seed, round);
                read(calls, what, damaged(bytes));
                refused += calls.refused().isEmpty() ? 0 : 1;
            }
            assertThat(refused).as("seed %d", seed).isGreaterThan(ROUNDS / 10);
        }
    }

    /** A reference of a pool in one file is where it lies there. */
    private static byte[] at(byte[] file, Ref object, int size) {
        return Arrays.copyOfRange(file, (int) object.offset(), (int) object.offset() + size);
    }

    private byte[] damaged(byte[] bytes) {
        byte[] file = bytes.clone();
        List<List<Ref>> types = List.copyOf(victims.values());
        for (int i = random.nextInt(MOST_OBJECTS); i >= 0; i--) {
            List<Ref> ofType = types.get(random.nextInt(types.size()));
            Ref victim = ofType.get(random.nextInt(ofType.size()));
            byte[] own = at(file, victim, good.get(victim).length);
            byte[] other =
                    random.nextBoolean()
                            ? withTurnedBits(own)
                            : RandomDamage.of(random, own, List.copyOf(good.keySet()));
            System.arraycopy(other, 0, file, (int) victim.offset(), other.length);
        }
        return file;
    }

    private byte[] withTurnedBits(byte[] own) {
        byte[] other = own.clone();
        for (int i = random.nextInt(4); i >= 0; i--) {
            other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return other;
    }

    private void read(HostileCalls calls, String what, byte[] bytes) throws IOException {
        Path file = Files.write(directory.resolve("damaged"), bytes);
        PersistentHeap<Root> heap =
                calls.call(what + "open", () -> PersistentHeap.open(file, Root.class));
        if (heap != null) {
            try (heap) {
                calls.readAll(heap, what, kind -> true);
                Object unused = calls.read(what + "unreachable", heap::unreachable);
            }
        }
        Object unused = calls.read(what + "dump", () -> HeapCopyTest.Told.of(file));
    }
}
