package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A heap of 10^7 objects is opened by programs with later and later versions of their type in the
 * time that the program takes that made them: no object is touched. Until each has made its first
 * object, as the pool's allocator is set up by the first allocation, which is that of the new
 * version's descriptor, if there is one.
 */
@Tag("long")
class ManyObjectsTest {
    private static final int OBJECTS = Integer.getInteger("objects", 10_000_000);
    private static final int PER_TRANSACTION = 1000;
    private static final int PASSES = 7;
    private static final double SLACK = 1.2;

    private static final String SOURCE =
            """
            package bank;

            import io.farheap.objects.*;
            import io.farheap.objects.schema.*;
            import java.nio.file.Path;
            import java.util.function.Function;

            public final class Program implements Function<Path, Object> {
                @Persistent interface Root { Node newest(); void newest(Node value); }
                @Persistent interface Node {
                    long number(); void number(long value);
                    Node next(); void next(Node value);
                    %s
                }

                @Override
                public Object apply(Path file) {
                    long begin = System.nanoTime();
                    try (PersistentHeap<Root> heap =
                            PersistentHeap.openOrCreate(file, %dL, Root.class)) {
                        Node newest = heap.root().newest();
                        long nanos = System.nanoTime() - begin;
                        Node unused = heap.create(Node.class);
                        long[] both = {nanos, System.nanoTime() - begin};
                        %s
                    }
                }
            }
            """;

    private static final String FILL =
            """
            for (int i = 0; i < %d; i += %d) {
                int from = i;
                heap.transaction(root -> {
                    for (int j = from; j < from + %d; j++) {
                        Node node = heap.create(Node.class);
                        node.number(j);
                        node.next(root.newest());
                        root.newest(node);
                    }
                });
            }
            return both;
            """;

    @TempDir private Path directory;

    private long[] open(String moreFields, String body) throws Exception {
        long bytes = (OBJECTS * 136L >> 20) + 64 << 20;
        ProgramVersion program =
                ProgramVersion.ofSource(directory, String.format(SOURCE, moreFields, bytes, body));
        return (long[]) program.run(directory.resolve("pool"));
    }

    private static double fastest(List<long[]> nanos, int which) {
        return nanos.stream().mapToLong(both -> both[which]).min().orElseThrow() / 1e6;
    }

    @Test
    void aLaterVersionOpensThemInTheSameTime() throws Exception {
        long[] unused = open("", String.format(FILL, OBJECTS, PER_TRANSACTION, PER_TRANSACTION));
        List<long[]> same = new ArrayList<>();
        List<long[]> later = new ArrayList<>();
        String read = String.format("if (newest.number() != %d - 1) { return null; }\n", OBJECTS);
        StringBuilder fields = new StringBuilder();
        for (int pass = 0; pass < PASSES; pass++) {
            same.add(open(fields.toString(), read + "return both;"));
            fields.append(String.format("long more%d(); void more%d(long value);\n", pass, pass));
            later.add(
                    open(
                            fields.toString(),
                            read
                                    + String.format("if (newest.more%d() != 0) return null;", pass)
                                    + "return both;"));
        }
        assertThat(same).doesNotContainNull();
        assertThat(later).doesNotContainNull();
        double ratio = fastest(later, 1) / fastest(same, 1);
        System.out.printf(
                "ManyObjectsTest: %,d objects, opened by the version that the pool has in %.1f ms,"
                        + " by a later one in %.1f ms; with the first object made %.1f ms, %.1f ms,"
                        + " ratio %.2f (the fastest of %d)%n",
                OBJECTS,
                fastest(same, 0),
                fastest(later, 0),
                fastest(same, 1),
                fastest(later, 1),
                ratio,
                PASSES);
        assertThat(ratio).isLessThan(SLACK);
    }
}
