package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A heap of 10^7 objects is opened by programs with later and later versions of their type in the
 * time that the program takes that made them: no object is touched.
 */
@Tag("long")
class ManyObjectsTest {
    private static final int OBJECTS = Integer.getInteger("objects", 10_000_000);
    private static final int PER_TRANSACTION = 1000;
    private static final int PASSES = 7;
    private static final double SLACK = 1.5;

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
            return nanos;
            """;

    @TempDir private Path directory;

    private long open(String moreFields, String body) throws Exception {
        long bytes = (OBJECTS * 72L >> 20) + 64 << 20;
        ProgramVersion program =
                ProgramVersion.ofSource(directory, String.format(SOURCE, moreFields, bytes, body));
        return (long) program.run(directory.resolve("pool"));
    }

    private static double fastest(List<Long> nanos) {
        return Collections.min(nanos) / 1e6;
    }

    @Test
    void aLaterVersionOpensThemInTheSameTime() throws Exception {
        long unused = open("", String.format(FILL, OBJECTS, PER_TRANSACTION, PER_TRANSACTION));
        List<Long> same = new ArrayList<>();
        List<Long> later = new ArrayList<>();
        String read = String.format("if (newest.number() != %d - 1) { return -1L; }\n", OBJECTS);
        StringBuilder fields = new StringBuilder();
        for (int pass = 0; pass < PASSES; pass++) {
            same.add(open(fields.toString(), read + "return nanos;"));
            fields.append(String.format("long more%d(); void more%d(long value);\n", pass, pass));
            later.add(
                    open(
                            fields.toString(),
                            read
                                    + String.format("if (newest.more%d() != 0) return -1L;", pass)
                                    + "return nanos;"));
        }
        assertThat(same).allMatch(nanos -> nanos > 0);
        assertThat(later).allMatch(nanos -> nanos > 0);
        double ratio = fastest(later) / fastest(same);
        System.out.printf(
                "ManyObjectsTest: %,d objects opened by the version that the pool has in %.1f ms,"
                        + " by a later one in %.1f ms (the fastest of %d), ratio %.2f%n",
                OBJECTS, fastest(same), fastest(later), PASSES, ratio);
        assertThat(ratio).isLessThan(SLACK);
    }
}
