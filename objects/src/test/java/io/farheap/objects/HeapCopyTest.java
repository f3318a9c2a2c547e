package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.objects.dump.HeapDump;
import io.farheap.objects.dump.HeapLoad;
import io.farheap.objects.dump.ObjectSink;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects of several versions of a type, shown and made in another pool, are the same there. */
class HeapCopyTest {
    private static final String FIRST =
            """
            @Persistent interface Root { PersistentMap<String, Node> nodes(); }
            @Persistent interface Node {
                String name(); void name(String value);
                int weight(); void weight(int value);
                Entry entry(); void entry(Entry value);
                String removed(); void removed(String value);
            }
            record Entry(String text, int amount) {}
            """;

    private static final String SECOND =
            """
            @Persistent interface Root { PersistentMap<String, Node> nodes(); }
            @Persistent interface Node {
                String name(); void name(String value);
                long weight(); void weight(long value);
                Entry entry(); void entry(Entry value);
                Node next(); void next(Node value);
                PersistentSet<Node> friends();
            }
            record Entry(String text, int amount, String more) {}
            """;

    private static final String FILL =
            """
            for (String name : List.of("a", "b", "c")) {
                root.nodes().put(name, heap.create(Node.class, one -> {
                    one.name("a name that takes a block: " + name);
                    one.weight(-5);
                    one.entry(new Entry("a text of an entry, also in a block", 3));
                    one.removed("a text that the second version has no place for");
                }));
            }
            return null;
            """;

    /** One object moves, another one is new; a third stays, and has a value of the old record. */
    private static final String MOVE =
            """
            Node a = root.nodes().get("a"), b = root.nodes().get("b");
            a.next(b);
            a.friends().add(b);
            a.friends().add(a);
            a.entry(new Entry("new", 4, "more"));
            root.nodes().put("d", heap.create(Node.class, one -> {
                one.next(a);
                one.weight(1L << 40);
            }));
            return null;
            """;

    private static final String LOOK =
            """
            Node a = root.nodes().get("a"), b = root.nodes().get("b"), d = root.nodes().get("d");
            return List.of(
                    a.name(), a.weight(), a.entry(), a.next().equals(b), a.friends().contains(b),
                    a.friends().size(), b.name(), b.weight(), b.entry(), b.friends().size(),
                    d.next().equals(a), d.weight(), heap.unreachable().objects()).toString();
            """;

    private static final String LINKS =
            """
            @Persistent interface Root {
                Link link(); void link(Link value);
                PersistentMap<Long, Link> links();
            }
            @Persistent interface Node { long number(); void number(long value); }
            record Link(Node to, String why) {}
            """;

    /** The root comes before the node, and a record names what was deleted then. */
    private static final String LINK =
            """
            Node node = heap.create(Node.class, one -> one.number(7));
            Node deleted = heap.create(Node.class);
            root.link(new Link(node, "a reason that takes a block"));
            root.links().put(1L, new Link(deleted, "gone"));
            heap.delete(deleted);
            return null;
            """;

    private static final String LOOK_AT_LINKS =
            """
            String gone = null;
            try {
                Link unused = root.links().get(1L);
            } catch (RuntimeException e) {
                gone = e.getClass().getSimpleName();
            }
            return root.link().to().number() + root.link().why() + gone;
            """;

    @TempDir private Path directory;

    private static void copy(Path from, Path to) {
        try (ObjectPool source = ObjectPool.open(from, RootLayout.LAYOUT);
                HeapDump dump = new HeapDump(source);
                ObjectPool target =
                        ObjectPool.at(to).layout(RootLayout.LAYOUT).size(16 << 20).create();
                HeapLoad load = new HeapLoad(target)) {
            load.types(dump.table(), dump::count, dump.deleted(), dump.root());
            eachObject(dump, load);
            assertThat(load.finish()).isPositive();
        }
    }

    private static void eachObject(HeapDump dump, ObjectSink sink) {
        for (TypeDescriptor type : dump.table()) {
            if (type.kind() == Kind.OBJECT) {
                dump.each(type, sink);
            }
        }
    }

    /** All that a sink is told, as lines. */
    static final class Told implements ObjectSink {
        private final List<String> lines = new ArrayList<>();

        static List<String> of(Path file) {
            Told told = new Told();
            try (ObjectPool pool = ObjectPool.open(file, RootLayout.LAYOUT);
                    HeapDump dump = new HeapDump(pool)) {
                eachObject(dump, told);
            }
            return told.lines;
        }

        @Override
        public void begin(long id, TypeDescriptor type) {
            lines.add(id + " " + type.versionedName());
        }

        @Override
        public void value(Field field, Object value) {
            lines.add(field.name() + " " + Arrays.deepToString(new Object[] {value}));
        }

        @Override
        public void beginCollection(Field field, String order) {
            lines.add(field.name() + " in the order " + order);
        }

        @Override
        public void entry(Object key, Object value) {
            lines.add(Arrays.deepToString(new Object[] {key, value}));
        }

        @Override
        public void endCollection() {
            lines.add("end of a collection");
        }

        @Override
        public void end() {
            lines.add("end of an object");
        }
    }

    @Test
    void aCopyHasTheSameObjectsOfTheSameVersions() throws Exception {
        Path one = directory.resolve("pool");
        Path other = directory.resolve("copy");
        new ProgramVersion(directory, FIRST, FILL).run(one);
        new ProgramVersion(directory, SECOND, MOVE).run(one);
        List<String> told = Told.of(one);
        assertThat(told)
                .filteredOn(line -> line.matches("[0-9]+ .*Node#[12]"))
                .extracting(line -> line.substring(line.length() - 2))
                .containsExactly("#1", "#1", "#2", "#2");

        copy(one, other);

        assertThat(Told.of(other)).isEqualTo(told);
        ProgramVersion second = new ProgramVersion(directory, SECOND, LOOK);
        assertThat(second.run(other)).isEqualTo(second.run(one));
    }

    @Test
    void recordsReferToWhatComesLaterAndToWhatWasDeleted() throws Exception {
        Path one = directory.resolve("pool");
        Path other = directory.resolve("copy");
        new ProgramVersion(directory, LINKS, LINK).run(one);

        copy(one, other);

        assertThat(Told.of(other)).isEqualTo(Told.of(one));
        Object said = new ProgramVersion(directory, LINKS, LOOK_AT_LINKS).run(other);
        assertThat(said).isEqualTo("7a reason that takes a blockDeletedObjectException");
    }

    @Test
    void keysOfOneHashMayReferToWhatComesLater() throws Exception {
        Path one = directory.resolve("pool");
        Path other = directory.resolve("copy");
        String types = LINKS.replace("PersistentMap<Long, Link>", "PersistentSet<Link>");
        assertThat("Aa").hasSameHashCodeAs("BB");
        Object unused =
                new ProgramVersion(
                                directory,
                                types,
                                """
                                Node node = heap.create(Node.class);
                                root.links().add(new Link(node, "Aa"));
                                root.links().add(new Link(node, "BB"));
                                return null;
                                """)
                        .run(one);

        copy(one, other);

        assertThat(Told.of(other)).isEqualTo(Told.of(one));
    }

    @Test
    void anObjectStandsForWhatItsTypeCameToExtend() throws Exception {
        Path one = directory.resolve("pool");
        String first =
                """
                @Persistent interface Root { Account account(); void account(Account value); }
                @Persistent interface Account { long number(); void number(long value); }
                """;
        String second =
                """
                @Persistent interface Root {
                    Account account(); void account(Account value);
                    PersistentList<Item> items();
                    PersistentList<Thing> things();
                }
                @Persistent interface Item {}
                @Persistent interface Thing {}
                interface Between extends Thing {}
                @Persistent interface Account extends Item, Between {
                    long number(); void number(long value);
                }
                """;
        Object unused =
                new ProgramVersion(
                                directory,
                                first,
                                "root.account(heap.create(Account.class)); return null;")
                        .run(one);
        unused =
                new ProgramVersion(
                                directory,
                                second,
                                "root.items().add(root.account());"
                                        + " root.things().add(root.account()); return null;")
                        .run(one);
        unused = new ProgramVersion(directory, first, "return null;").run(one);
        long account =
                Told.of(one).stream()
                        .filter(line -> line.matches("[0-9]+ .*Account#[0-9]"))
                        .mapToLong(line -> Long.parseLong(line.substring(0, line.indexOf(' '))))
                        .findFirst()
                        .orElseThrow();
        try (ObjectPool source = ObjectPool.open(one, RootLayout.LAYOUT);
                HeapDump dump = new HeapDump(source);
                ObjectPool target =
                        ObjectPool.at(directory.resolve("copy"))
                                .layout(RootLayout.LAYOUT)
                                .size(16 << 20)
                                .create();
                HeapLoad load = new HeapLoad(target)) {
            load.types(dump.table(), dump::count, dump.deleted(), dump.root());
            for (String name : List.of("Account", "Item", "Thing")) {
                assertThat(load.reference(account, "bank.Program$" + name).id()).isEqualTo(account);
            }
            assertThat(dump.table())
                    .filteredOn(type -> type.name().endsWith("$Account"))
                    .as("the older program adds none")
                    .hasSize(2);
        }
    }
}
