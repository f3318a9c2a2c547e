package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.type.RootLayout;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pools whose bytes no program wrote are refused with a sentence, and never followed. */
class HostileHeapTest {
    private static final int ROUNDS = Boolean.getBoolean("test.deep") ? 2_000 : 500;

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @Persistent
    interface Root {
        Thing thing();

        void thing(Thing value);
    }

    @Persistent
    interface Thing {
        String name();

        void name(String value);

        String shortName();

        void shortName(String value);

        Thing next();

        void next(Thing value);

        BigDecimal price();

        void price(BigDecimal value);

        BigInteger big();

        void big(BigInteger value);

        Instant when();

        void when(Instant value);

        LocalDateTime local();

        void local(LocalDateTime value);

        Kind kind();

        void kind(Kind value);

        Event event();

        void event(Event value);

        String[] words();

        void words(String[] value);

        int number();

        void number(int value);

        Integer boxed();

        void boxed(Integer value);
    }

    enum Kind {
        ONE,
        TWO
    }

    sealed interface Event permits Text, Pair {}

    record Text(String text, Thing about, long[] numbers) implements Event {}

    record Pair(int left, Long right) implements Event {}

    private PersistentHeap<Root> heap;
    private ObjectPool pool;
    private HeapTransactions writer;

    @BeforeEach
    void fill() {
        heap = PersistentHeap.inMemory(Root.class);
        pool = heap.pool();
        writer = new HeapTransactions(pool);
        heap.transaction(root -> root.thing(heap.create(Thing.class, thing -> fill(thing))));
    }

    private static void fill(Thing thing) {
        thing.name("a name that is longer than a slot");
        thing.shortName("short");
        thing.next(thing);
        thing.price(new BigDecimal("12345678901234567890.12"));
        thing.big(BigInteger.TEN.pow(40));
        thing.when(Instant.EPOCH);
        thing.local(LocalDateTime.MAX);
        thing.kind(Kind.TWO);
        thing.event(new Text("a text inside of a record", thing, new long[] {1, 2}));
        thing.words(new String[] {"one", "two"});
        thing.boxed(1);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    @Tag("sliced")
    void aDamagedTypeTableIsRefusedOrHarmless() {
        int refused = rounds(List.of(RootLayout.TYPE_NUMBER), true);
        assertThat(refused).as("seed %d", seed).isGreaterThan(ROUNDS / 10);
    }

    @Test
    @Tag("sliced")
    void aDamagedObjectIsRefusedOrHarmless() {
        List<Long> typeNumbers = new ArrayList<>();
        for (Ref object : pool.objects()) {
            long number = pool.typeNumber(object);
            if (number != RootLayout.TYPE_NUMBER && !typeNumbers.contains(number)) {
                typeNumbers.add(number);
            }
        }
        int refused = rounds(typeNumbers, false);
        assertThat(refused).as("seed %d", seed).isGreaterThan(ROUNDS / 20);
    }

    private int rounds(List<Long> typeNumbers, boolean withRoot) {
        List<Ref> victims = new ArrayList<>();
        typeNumbers.forEach(number -> pool.objects(number).forEach(victims::add));
        if (withRoot) {
            victims.add(pool.root());
        }
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Ref victim = victims.get(random.nextInt(victims.size()));
            int size = (int) (victim.equals(pool.root()) ? 48 : pool.usableSize(victim));
            byte[] good = pool.readBytes(victim, 0, size);
            byte[] goodRoot = pool.readBytes(pool.root(), 0, RootLayout.BYTES);
            write(victim, 0, RandomDamage.of(random, good, victims));
            refused += isRefused() ? 1 : 0;
            write(victim, 0, good);
            write(pool.root(), 0, goodRoot); // what was opened may have added types
        }
        assertThat(isRefused()).as("with its own bytes again").isFalse();
        return refused;
    }

    /** Below what checks: the pool refuses such writes while the heap is open. */
    private void write(Ref victim, long offset, byte[] bytes) {
        writer.transaction(
                tx -> {
                    tx.write(
                            victim.offset(), offset, MemorySegment.ofArray(bytes), 0, bytes.length);
                    return null;
                });
    }

    /** Opens the pool as it is now, and reads all there is. */
    private boolean isRefused() {
        ObjectSpace space = new ObjectSpace(pool);
        try {
            long root = new HeapOpening(pool, space, Root.class).open();
            space.transactions().read(tx -> readAll(space.at(tx, root, Root.class).thing()));
            return false;
        } catch (FarheapException e) {
            return true;
        } catch (RuntimeException | OutOfMemoryError e) {
            return fail("seed " + seed, e);
        }
    }

    private static Object readAll(Thing thing) {
        if (thing == null) {
            return null;
        }
        return new Object[] {
            thing.name(),
            thing.shortName(),
            thing.next(),
            thing.price(),
            thing.big(),
            thing.when(),
            thing.local(),
            thing.kind(),
            thing.event(),
            thing.words(),
            thing.number(),
            thing.boxed()
        };
    }
}
