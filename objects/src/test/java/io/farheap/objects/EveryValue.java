package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.objects.schema.Persistent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;

/** A heap with an object that has values of many types. */
final class EveryValue {
    private EveryValue() {}

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

    /** One without a file. */
    static PersistentHeap<Root> make() {
        PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
        heap.transaction(root -> root.thing(heap.create(Thing.class, EveryValue::fill)));
        return heap;
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

    /** Opens a pool's heap as it is now, beside the one that is open, and reads all there is. */
    static Object openAndRead(ObjectPool pool) {
        ObjectSpace space = new ObjectSpace(pool);
        long root = new HeapOpening(pool, space, Root.class).open();
        return space.transactions().read(tx -> readAll(space.at(tx, root, Root.class).thing()));
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
