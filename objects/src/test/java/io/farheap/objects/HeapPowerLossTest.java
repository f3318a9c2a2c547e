package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.dump.HeapDump;
import io.farheap.objects.dump.HeapLoad;
import io.farheap.objects.type.StoredHeap;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.UnreachableObjects;
import io.farheap.objects.type.WellFormed;
import io.farheap.testing.PowerLoss;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whenever the power is lost while a program changes objects, the heap has what it had before the
 * transaction or after it; each part has one owner, nothing that is allocated is without one, and
 * nothing that is free is referred to. What reclaim has to free is what a test left for it.
 */
@Tag("sliced")
class HeapPowerLossTest {
    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    /** Of the states that a power loss leaves one in so many is looked at by a program. */
    private static final int STRIDE = DEEP ? 1 : 4;

    private static final String ROOT =
            "@Persistent interface Root { PersistentMap<String, Node> nodes();"
                    + " Node first(); void first(Node value); }\n";

    private static final String FIRST =
            ROOT
                    + """
                    record Entry(String text, Node to) {}
                    @Persistent interface Node {
                        String name(); void name(String value);
                        int weight(); void weight(int value);
                        Entry entry(); void entry(Entry value);
                        String removed(); void removed(String value);
                        PersistentSet<String> tags();
                    }
                    """;

    private static final String SECOND =
            ROOT
                    + """
                    record Entry(String text, Node to) {}
                    @Persistent interface Node {
                        String name(); void name(String value);
                        long weight(); void weight(long value);
                        Entry entry(); void entry(Entry value);
                        PersistentSet<String> tags();
                        Node next(); void next(Node value);
                        PersistentList<String> log();
                    }
                    """;

    private static final String THIRD =
            SECOND.replace("Node next();", "String more(); void more(String value); Node next();");

    private static final String FILL =
            """
            heap.transaction(bank -> {
                for (String name : List.of("a", "b")) {
                    Node node = heap.create(Node.class);
                    node.name("a name that takes a block: " + name);
                    node.weight(-5);
                    node.entry(new Entry("a text that takes a block", node));
                    node.removed("a text that the second version has no field for");
                    node.tags().add("a tag that takes a block");
                    bank.nodes().put(name, node);
                    bank.first(node);
                }
            });
            return null;
            """;

    private static final String LOOK =
            """
            return heap.read(bank -> {
                StringBuilder text = new StringBuilder();
                for (String name : new TreeSet<>(bank.nodes().keySet())) {
                    Node node = bank.nodes().get(name);
                    text.append(name + node.name() + node.weight() + node.tags() + node.log());
                    text.append(node.entry() == null ? "-" : node.entry().text());
                    text.append(node.equals(bank.first()) + " " + (node.next() == null));
                }
                return text.toString();
            });
            """;

    private static final String LOOK_FIRST =
            LOOK.replace(" + node.log()", "").replace("(node.next() == null)", "node.removed()");

    private static final String MOVE =
            """
            Node first = root.first();
            heap.transaction(bank -> {
                first.next(bank.nodes().get("a"));
                first.log().add("an element that takes a block");
            });
            return null;
            """;

    private static final String SOURCE =
            """
            package bank;

            import io.farheap.ObjectPool;
            import io.farheap.objects.*;
            import io.farheap.objects.schema.*;
            import java.util.*;
            import java.util.function.Function;

            public final class Program implements Function<ObjectPool, Object> {
                %s

                @Override
                public Object apply(ObjectPool pool) {
                    PersistentHeap<Root> heap = PersistentHeap.over(pool, Root.class);
                    return run(heap, heap.root());
                }

                private static Object run(PersistentHeap<Root> heap, Root root) {
                    %s
                }
            }
            """;

    /** A version of a program on a pool. */
    private interface Step {
        Object on(ObjectPool pool);
    }

    @TempDir private Path directory;
    private final List<ProgramVersion.Loaded> loaded = new ArrayList<>();

    private Step program(String types, String body) throws Exception {
        ProgramVersion.Loaded program =
                ProgramVersion.ofSource(directory, String.format(SOURCE, types, body)).load();
        loaded.add(program);
        return pool -> aside(() -> program.apply(pool));
    }

    /** On a thread of its own: what a thread keeps of heaps that nobody closes goes with it. */
    private static Object aside(Supplier<Object> step) {
        AtomicReference<Object> result = new AtomicReference<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Thread(() -> result.set(step.get()));
        thread.setUncaughtExceptionHandler((ended, thrown) -> failure.set(thrown));
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (failure.get() instanceof RuntimeException e) {
            throw e;
        } else if (failure.get() instanceof Error e) {
            throw e;
        }
        return result.get();
    }

    @AfterEach
    void unload() throws IOException {
        for (ProgramVersion.Loaded one : loaded) {
            one.close();
        }
    }

    private static PowerLoss.Program someOf(PowerLoss.Program check) {
        int[] recovered = new int[1];
        return pool -> {
            if (recovered[0]++ % STRIDE == 0) {
                check.run(pool);
            }
        };
    }

    /** A change that is one transaction. */
    private void lose(List<Step> before, Step change) throws Exception {
        lose(before, change, program(SECOND, LOOK));
    }

    private static void lose(List<Step> before, Step change, Step look) throws Exception {
        List<Object> wanted = new ArrayList<>();
        try (ObjectPool pool = InMemoryPool.create("test")) {
            before.forEach(one -> one.on(pool));
            wanted.add(look.on(pool));
            Object unused = change.on(pool);
            wanted.add(look.on(pool));
        }
        assertThat(wanted.get(0)).isNotEqualTo(wanted.get(1));
        PowerLoss.Tried tried =
                PowerLoss.during(change::on)
                        .startingWith(pool -> before.forEach(one -> one.on(pool)))
                        .effort(DEEP ? 2 : 1, DEEP ? 1 : 0)
                        .onceReturned(pool -> assertThat(look.on(pool)).isEqualTo(wanted.get(1)))
                        .check(
                                someOf(
                                        pool -> {
                                            assertThat(WellFormed.unreached(pool).keySet())
                                                    .isSubsetOf("deleted");
                                            assertReclaimAgrees(pool);
                                            assertThat(look.on(pool)).isIn(wanted);
                                            assertThat(WellFormed.unreached(pool).keySet())
                                                    .isSubsetOf("deleted");
                                        }));
        assertThat(tried.states()).isGreaterThan(5);
    }

    /** What {@code farheap reclaim --dry-run} says, against who knows nothing of it. */
    private static void assertReclaimAgrees(ObjectPool pool) {
        try (StoredHeap heap = new StoredHeap(pool)) {
            assertThat(
                            heap.reclaim(true).stream()
                                    .collect(
                                            Collectors.toMap(
                                                    UnreachableObjects::type,
                                                    UnreachableObjects::objects,
                                                    Long::sum))) // of each version
                    .isEqualTo(WellFormed.freeable(pool));
        }
    }

    // ---- objects ----

    @Test
    void anObjectIsMadeAndLinked() throws Exception {
        String make =
                """
                heap.transaction(bank -> bank.nodes().put("new", heap.create(Node.class, node -> {
                    node.name("a name that takes a block, too");
                    node.tags().add("another tag that takes a block");
                    node.log().add("log");
                    node.next(bank.first());
                })));
                return null;
                """;
        lose(List.of(program(FIRST, FILL), program(SECOND, "return null;")), program(SECOND, make));
    }

    @Test
    void valuesAreReplaced() throws Exception {
        String replace =
                """
                heap.transaction(bank -> {
                    bank.first().name("short");
                    bank.first().entry(null);
                    bank.nodes().get("a").entry(new Entry("another text of an entry", null));
                    bank.first().weight(7);
                });
                return null;
                """;
        lose(List.of(program(FIRST, FILL)), program(FIRST, replace), program(FIRST, LOOK_FIRST));
    }

    @Test
    void anObjectIsDeletedWithWhatItOwns() throws Exception {
        String delete =
                """
                heap.transaction(bank -> heap.delete(bank.nodes().remove("a")));
                return null;
                """;
        lose(List.of(program(FIRST, FILL)), program(FIRST, delete), program(FIRST, LOOK_FIRST));
        lose(
                List.of(
                        program(FIRST, FILL),
                        program(SECOND, MOVE.replace("root.first()", "root.nodes().get(\"a\")"))),
                program(SECOND, delete));
    }

    // ---- evolution ----

    @Test
    void aProgramWithALaterVersionOpensTheHeap() throws Exception {
        Step fill = program(FIRST, FILL);
        Step look = program(SECOND, LOOK);
        String[] content = new String[1];
        PowerLoss.Tried tried =
                PowerLoss.during(look::on)
                        .startingWith(
                                pool -> {
                                    Object unused = fill.on(pool);
                                })
                        .effort(4, 2)
                        .check(
                                someOf(
                                        pool -> {
                                            assertThat(WellFormed.unreached(pool)).isEmpty();
                                            assertReclaimAgrees(pool);
                                            String found = (String) look.on(pool);
                                            content[0] = content[0] == null ? found : content[0];
                                            assertThat(found)
                                                    .isEqualTo(content[0])
                                                    .contains("a tag");
                                        }));
        assertThat(tried.states()).isGreaterThan(5);
    }

    @Test
    void fieldsMoveToALaterVersion() throws Exception {
        lose(List.of(program(FIRST, FILL), program(SECOND, "return null;")), program(SECOND, MOVE));
    }

    @Test
    void fieldsMoveOnceMore() throws Exception {
        String moreFields =
                """
                root.first().more("a text of the third version, in a block");
                return null;
                """;
        lose(
                List.of(
                        program(FIRST, FILL),
                        program(SECOND, MOVE),
                        program(THIRD, "return null;")),
                program(THIRD, moreFields),
                program(THIRD, LOOK.replace("node.weight()", "node.weight() + node.more()")));
    }

    // ---- reclaim ----

    /** Objects in a circle, some of them moved; one refers to a deleted place, and is left, too. */
    private static final String PLANT =
            """
            heap.transaction(bank -> {
                Node[] nodes = new Node[3];
                for (int i = 0; i < nodes.length; i++) {
                    nodes[i] = heap.create(Node.class);
                    nodes[i].name("a name of what nothing reaches " + i);
                    nodes[i].tags().add("a tag of what nothing reaches");
                    nodes[i].entry(new Entry("text", nodes[0]));
                }
                bank.nodes().put("lost 0", nodes[0]);
                bank.nodes().put("lost 1", nodes[1]);
                heap.delete(nodes[2]);
            });
            return null;
            """;

    private static final String LOSE =
            """
            heap.transaction(bank -> {
                Node one = bank.nodes().remove("lost 0");
                Node other = bank.nodes().remove("lost 1");
                one.next(other);
                other.next(one);
                one.log().add("a line of what nothing reaches");
            });
            return null;
            """;

    @Test
    void whatNothingReachesIsFreedAndNothingElse() throws Exception {
        List<Step> before =
                List.of(
                        program(FIRST, FILL),
                        program(FIRST, PLANT),
                        program(SECOND, MOVE),
                        program(SECOND, LOSE));
        Step reclaim = program(SECOND, "heap.reclaim(); return null;");
        Step look = program(SECOND, LOOK);
        Object content;
        try (ObjectPool pool = InMemoryPool.create("test")) {
            before.forEach(one -> one.on(pool));
            content = look.on(pool);
            assertThat(WellFormed.unreached(pool))
                    .isEqualTo(Map.of("bank.Program$Node", 2L, "deleted", 1L));
        }
        PowerLoss.Tried tried =
                PowerLoss.during(reclaim::on)
                        .startingWith(pool -> before.forEach(one -> one.on(pool)))
                        .effort(DEEP ? 2 : 1, DEEP ? 1 : 0)
                        .onceReturned(pool -> assertThat(WellFormed.unreached(pool)).isEmpty())
                        .check(
                                someOf(
                                        pool -> {
                                            assertThat(
                                                            WellFormed.unreached(pool)
                                                                    .values()
                                                                    .stream()
                                                                    .mapToLong(count -> count)
                                                                    .sum())
                                                    .isLessThanOrEqualTo(3);
                                            assertReclaimAgrees(pool);
                                            assertThat(look.on(pool)).isEqualTo(content);
                                            Object unused = reclaim.on(pool);
                                            assertThat(WellFormed.unreached(pool)).isEmpty();
                                            assertThat(look.on(pool)).isEqualTo(content);
                                        }));
        assertThat(tried.states()).isGreaterThan(20);
    }

    // ---- a dump ----

    @Test
    void aPoolThatADumpWasLoadedIntoIsAHeapOrNone() throws Exception {
        Step look = program(SECOND, LOOK);
        try (ObjectPool source = InMemoryPool.create("test")) {
            Object filled = program(FIRST, FILL).on(source);
            assertThat(filled).isNull();
            Object moved = program(SECOND, MOVE).on(source);
            assertThat(moved).isNull();
            Object content = look.on(source);
            PowerLoss.Tried tried =
                    PowerLoss.during(pool -> load(source, pool))
                            .effort(DEEP ? 2 : 1, DEEP ? 1 : 0)
                            .onceReturned(pool -> assertThat(look.on(pool)).isEqualTo(content))
                            .check(someOf(pool -> assertWholeOrNone(pool, look, content)));
            assertThat(tried.states()).isGreaterThan(20);
        }
    }

    private static void load(ObjectPool source, ObjectPool pool) {
        try (HeapDump dump = new HeapDump(source);
                HeapLoad load = new HeapLoad(pool)) {
            load.types(dump.table(), dump::count, dump.deleted(), dump.root());
            for (TypeDescriptor type : dump.table()) {
                if (type.kind() == TypeDescriptor.Kind.OBJECT) {
                    dump.each(type, load);
                }
            }
            long unused = load.finish();
        }
    }

    private static void assertWholeOrNone(ObjectPool pool, Step look, Object content) {
        if (pool.root().isNull() || pool.getLong(pool.root(), 0) == 0) {
            return; // nothing was there yet
        }
        boolean isHeap = pool.getInt(pool.root(), 8) == 1;
        if (isHeap) {
            assertThat(WellFormed.unreached(pool)).isEmpty();
            assertReclaimAgrees(pool);
            assertThat(look.on(pool)).isEqualTo(content);
        } else {
            assertThatThrownBy(() -> look.on(pool))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("did not come to its end");
        }
    }
}
