package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.EveryCollection.Root;
import io.farheap.objects.EveryCollection.Thing;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.transaction.HeapTransactions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever damaged the objects of a collection, each call of a program ends: it has an answer, or
 * is refused with a sentence.
 */
class HostileCollectionsTest {
    private static final int ROUNDS = Boolean.getBoolean("test.deep") ? 2_000 : 120;

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final HostileCalls calls = new HostileCalls(false);

    private PersistentHeap<Root> heap;
    private ObjectPool pool;
    private HeapTransactions writer;

    @BeforeEach
    void fill() {
        heap = PersistentHeap.inMemory(Root.class);
        pool = heap.pool();
        writer = new HeapTransactions(pool);
        heap.transaction(root -> root.thing(heap.create(Thing.class, EveryCollection::fill)));
    }

    @AfterEach
    void close() {
        calls.close();
        heap.close();
    }

    @Test
    @Tag("sliced")
    void aCallEndsWithAnAnswerOrASentence() {
        List<List<Ref>> victims = victims();
        List<Ref> all = victims.stream().flatMap(List::stream).toList();
        assertThat(callAll("seed " + seed + ", undamaged")).isEmpty();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Ref> ofType = victims.get(random.nextInt(victims.size()));
            Ref victim = ofType.get(random.nextInt(ofType.size()));
            byte[] good = pool.readBytes(victim, 0, (int) pool.usableSize(victim));
            write(victim, RandomDamage.of(random, good, all));
            refused +=
                    callAll(String.format("seed %d, round %d, 0x%x", seed, round, victim.offset()))
                            .size();
            write(victim, good);
        }
        assertThat(callAll("seed " + seed + ", with its own bytes again")).isEmpty();
        assertThat(refused).as("seed %d", seed).isGreaterThan(ROUNDS / 4);
    }

    /** By type, so that the few headers are hit as often as the many entries. */
    private List<List<Ref>> victims() {
        Map<Long, List<Ref>> byType = new TreeMap<>();
        for (Ref object : pool.objects()) {
            if (CollectionType.nameOf(pool.typeNumber(object)) != null) {
                byType.computeIfAbsent(pool.typeNumber(object), unused -> new ArrayList<>())
                        .add(object);
            }
        }
        return List.copyOf(byType.values());
    }

    private void write(Ref victim, byte[] bytes) {
        writer.transaction(
                tx -> {
                    tx.write(victim.offset(), 0, MemorySegment.ofArray(bytes), 0, bytes.length);
                    return null;
                });
    }

    /** Returns which of the calls are refused, and how. */
    private List<String> callAll(String where) {
        calls.readAll(heap, where + ", ", kind -> true);
        calls.changeAll(heap, where + ", ", kind -> true);
        return calls.refused();
    }
}
