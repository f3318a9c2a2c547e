package io.farheap.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.schema.SortedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Comparator;
import java.util.UUID;

/** A heap that has a value of each kind, and collections of many. */
final class EveryKind {
    static final String TEXT = "Zo\u00eb said \"hello\"\n and went \ud83d\ude00 on for a while";
    static final int NODES = 3;
    private static final int NAMES = 200;
    private static final int BLOB_BYTES = 100_000;

    private EveryKind() {}

    enum Colour {
        RED,
        GREEN
    }

    record Point(int x, int y) {}

    record Key(String text, int number, Colour colour) {}

    record Tree(String label, Tree left, Tree right, Point[] points) {}

    sealed interface Event permits Moved, Gone {}

    record Moved(Node what, Point to, Instant when) implements Event {}

    record Gone(String why) implements Event {}

    static final class Backwards implements Comparator<String> {
        @Override
        public int compare(String one, String other) {
            return other.compareTo(one);
        }
    }

    @Persistent(name = "Shape")
    interface Shape {
        double area();

        void area(double value);
    }

    @Persistent(name = "Circle")
    interface Circle extends Shape {
        float radius();

        void radius(float value);
    }

    @Persistent(name = "Node")
    interface Node {
        String name();

        void name(String value);

        Node next();

        void next(Node value);
    }

    @Persistent(name = "Root")
    interface Root {
        Everything everything();

        void everything(Everything value);

        PersistentList<Node> nodes();
    }

    @Persistent(name = "Everything")
    interface Everything {
        boolean flag();

        void flag(boolean value);

        byte small();

        void small(byte value);

        char letter();

        void letter(char value);

        float real();

        void real(float value);

        double large();

        void large(double value);

        long number();

        void number(long value);

        Integer boxed();

        void boxed(Integer value);

        Integer nothing();

        void nothing(Integer value);

        String text();

        void text(String value);

        String tiny();

        void tiny(String value);

        byte[] bytes();

        void bytes(byte[] value);

        long[] numbers();

        void numbers(long[] value);

        String[][] table();

        void table(String[][] value);

        BigInteger big();

        void big(BigInteger value);

        BigDecimal price();

        void price(BigDecimal value);

        Instant when();

        void when(Instant value);

        Duration lasts();

        void lasts(Duration value);

        LocalDate day();

        void day(LocalDate value);

        LocalTime time();

        void time(LocalTime value);

        LocalDateTime local();

        void local(LocalDateTime value);

        UUID uuid();

        void uuid(UUID value);

        Colour colour();

        void colour(Colour value);

        Point point();

        void point(Point value);

        Tree tree();

        void tree(Tree value);

        Event event();

        void event(Event value);

        Shape shape();

        void shape(Shape value);

        Node lost();

        void lost(Node value);

        PersistentMap<String, Long> names();

        PersistentMap<Key, Point> keys();

        PersistentSet<Node> members();

        PersistentSet<Colour> colours();

        PersistentSortedMap<String, Long> sorted();

        @SortedBy(Backwards.class)
        PersistentSortedMap<String, Long> ordered();

        PersistentSortedSet<Colour> shades();

        PersistentList<Event> events();

        PersistentDeque<String> queue();

        PersistentCounter count();

        PersistentBlob blob();

        PersistentMap<String, Long> empty();
    }

    static PersistentHeap<Root> create(Path file) {
        return PersistentHeap.openOrCreate(file, 8 << 20, Root.class, Circle.class);
    }

    static PersistentHeap<Root> open(Path file) {
        return PersistentHeap.open(file, Root.class, Circle.class);
    }

    static void fill(PersistentHeap<Root> heap) {
        Everything one = heap.create(Everything.class);
        heap.transaction(
                root -> {
                    root.everything(one);
                    fillNodes(heap, root);
                    fillFields(heap, root, one);
                    Node unreachable = heap.create(Node.class);
                    unreachable.name("nobody refers to this one");
                    Node lost = heap.create(Node.class);
                    one.lost(lost);
                    root.nodes().remove(NODES - 1);
                    heap.delete(lost);
                });
        fillCollections(heap, one);
    }

    /** The last one is not in the list, and in the circle; one more is reached by nothing. */
    private static void fillNodes(PersistentHeap<Root> heap, Root root) {
        for (int i = 0; i < NODES - 1; i++) {
            String name = "node " + i;
            root.nodes().add(heap.create(Node.class, node -> node.name(name)));
        }
        Node last = heap.create(Node.class, node -> node.name("not in the list"));
        root.nodes().add(last);
        root.nodes().get(0).next(root.nodes().get(1));
        root.nodes().get(1).next(last);
        last.next(root.nodes().get(0));
    }

    private static void fillFields(PersistentHeap<Root> heap, Root root, Everything one) {
        one.flag(true);
        one.small((byte) -3);
        one.letter('\ud800');
        one.real(Float.NaN);
        one.large(-0.0);
        one.number(Long.MIN_VALUE);
        one.boxed(0);
        one.text(TEXT);
        one.tiny("");
        one.bytes(new byte[] {0, -1, 2});
        one.numbers(new long[] {1, Long.MAX_VALUE});
        one.table(new String[][] {{"a", null}, null, {}});
        one.big(BigInteger.TEN.pow(30).negate());
        one.price(new BigDecimal("12.3400"));
        one.when(Instant.MAX);
        one.lasts(Duration.ofSeconds(Long.MIN_VALUE));
        one.day(LocalDate.MIN);
        one.time(LocalTime.MAX);
        one.local(LocalDateTime.MAX);
        one.uuid(new UUID(1, 2));
        one.colour(Colour.GREEN);
        one.point(new Point(1, -1));
        Tree leaf = new Tree(TEXT, null, null, new Point[] {new Point(1, 2)});
        one.tree(new Tree("root", leaf, new Tree(null, leaf, null, null), null));
        one.event(new Moved(root.nodes().get(1), new Point(4, 5), Instant.EPOCH));
        one.shape(heap.create(Circle.class, circle -> circle.radius(1.5f)));
    }

    private static void fillCollections(PersistentHeap<Root> heap, Everything one) {
        heap.transaction(
                root -> {
                    for (long i = 0; i < NAMES; i++) {
                        one.names().put("name" + i, i);
                        one.queue().add("job " + i);
                    }
                    one.queue().addFirst("first");
                    one.keys().put(new Key("one", 1, null), new Point(1, 1));
                    one.keys().put(new Key("two", 2, Colour.GREEN), new Point(2, 2));
                    one.members().addAll(root.nodes());
                    one.colours().add(Colour.GREEN);
                    one.colours().add(Colour.RED);
                    one.sorted().put("a", 1L);
                    one.sorted().put("b", 2L);
                    one.ordered().put("a", 1L);
                    one.ordered().put("z", 2L);
                    one.shades().add(Colour.GREEN);
                    one.shades().add(Colour.RED);
                    one.events().add(new Gone("away"));
                    one.events().add(new Moved(null, null, null));
                    one.count().add(42);
                    write(one.blob());
                });
    }

    private static void write(PersistentBlob blob) {
        try {
            blob.newOutputStream().write("x".repeat(BLOB_BYTES).getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void assertFilled(PersistentHeap<Root> heap) {
        Everything one = heap.root().everything();
        assertThat(one.letter()).isEqualTo('\ud800');
        assertThat(one.real()).isNaN();
        assertThat(one.number()).isEqualTo(Long.MIN_VALUE);
        assertThat(one.boxed()).isZero();
        assertThat(one.nothing()).isNull();
        assertThat(one.text()).isEqualTo(TEXT);
        assertThat(one.table()).isEqualTo(new String[][] {{"a", null}, null, {}});
        assertThat(one.price()).isEqualTo(new BigDecimal("12.3400"));
        assertThat(one.when()).isEqualTo(Instant.MAX);
        assertThat(one.lasts()).isEqualTo(Duration.ofSeconds(Long.MIN_VALUE));
        assertThat(one.local()).isEqualTo(LocalDateTime.MAX);
        assertThat(one.uuid()).isEqualTo(new UUID(1, 2));
        assertThat(one.tree().right().left().label()).isEqualTo(TEXT);
        assertThat(((Moved) one.event()).what()).isEqualTo(heap.root().nodes().get(1));
        assertThat(one.names()).hasSize(NAMES).containsEntry("name7", 7L);
        assertThat(one.queue()).hasSize(NAMES + 1).startsWith("first", "job 0");
        assertThat(one.colours()).containsExactlyInAnyOrder(Colour.values());
        assertThat(one.shades()).containsExactly(Colour.values());
        assertThat(one.events()).containsExactly(new Gone("away"), new Moved(null, null, null));
        assertThat(one.count().get()).isEqualTo(42);
        assertThat(one.blob().size()).isEqualTo(BLOB_BYTES);
        assertThat(one.empty()).isEmpty();
    }
}
