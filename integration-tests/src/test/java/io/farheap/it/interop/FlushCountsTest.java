package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.engine.TxSettings;
import io.farheap.it.interop.FlushCounts.Count;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.support.MemoryPool;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How often an operation flushes and fences, beside libpmemobj's own, counted in the same run:
 * never more often. Prints the table.
 *
 * <p>A flush is one call for one range; the cache lines in these ranges are compared, too.
 */
class FlushCountsTest {
    private static final long POOL_BYTES = 16 << 20;
    private static final int ROUNDS = 3;

    /** Operations that change ranges and nothing else: only these can be repeated at once. */
    private static final Pattern RANGES = Pattern.compile("tx-.*(range|KiB).*");

    private static final String AFTER_OTHERS = ", after longer ones";

    /**
     * Where our ranges have more lines. The undo log of a transaction with many short ranges has
     * entries where the one before had the data of a long range: that is cleared first, once. A new
     * object that is filled is flushed to its end, where libpmemobj leaves it to the constructor.
     */
    private static final Set<String> MORE_LINES =
            Set.of("tx-4-ranges-of-64" + AFTER_OTHERS, "atomic-reallocate");

    @Test
    void neverMoreFlushesAndFencesThanLibpmemobj(@TempDir Path directory) throws IOException {
        NativeJudge.require();
        Map<String, Count> theirs = theirs(directory.resolve("counts.pool"));
        Map<String, Count> ours = ours();
        List<String> more = new ArrayList<>();
        StringBuilder table =
                new StringBuilder("Flushes, cache lines and fences, ours / libpmemobj's:\n");
        ours.forEach(
                (name, our) -> {
                    Count their =
                            theirs.get(CountedOperations.nameInC(name.replace(AFTER_OTHERS, "")));
                    assertThat(their).as("counts.c does %s", name).isNotNull();
                    table.append(line(name, our, their));
                    boolean longer = our.lines() > their.lines() && !MORE_LINES.contains(name);
                    if (our.flushes() > their.flushes()
                            || our.fences() > their.fences()
                            || longer) {
                        more.add(line(name, our, their));
                    }
                });
        System.out.println(table);
        assertThat(more).isEmpty();
    }

    private static String line(String name, Count our, Count their) {
        return String.format(
                "  %-44s %3d / %3d  %4d / %4d  %3d / %3d%n",
                name,
                our.flushes(),
                their.flushes(),
                our.lines(),
                their.lines(),
                our.fences(),
                their.fences());
    }

    private static Map<String, Count> theirs(Path file) throws IOException {
        Path program = NativeJudge.compiled("counts");
        NativeJudge.Answer answer = NativeJudge.run(program.toString(), file.toString());
        Files.delete(file);
        assertThat(answer).as("counts").returns(0, NativeJudge.Answer::exitCode);
        Map<String, Count> counts = new LinkedHashMap<>();
        for (String line : answer.out().lines().toList()) {
            String[] word = line.split(" ", -1);
            counts.put(
                    word[0],
                    new Count(
                            Long.parseLong(word[1]),
                            Long.parseLong(word[2]),
                            Long.parseLong(word[3])));
        }
        return counts;
    }

    private static Map<String, Count> ours() {
        FlushCounts counts = new FlushCounts();
        Map<String, Count> ours = new LinkedHashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            PoolMemory memory = new PoolMemory(arena.allocate(POOL_BYTES, 64), counts);
            MemoryPool.format(memory, "test");
            TxSettings settings = new TxSettings(Duration.ofSeconds(30), Duration.ofSeconds(30), 4);
            try (ObjectPool pool = MemoryPool.open(memory, settings, 1)) {
                CountedOperations operations = new CountedOperations(pool);
                for (int round = 0; round < ROUNDS; round++) {
                    ours.clear();
                    operations
                            .all()
                            .forEach((name, operation) -> count(counts, name, operation, ours));
                }
            }
        }
        return ours;
    }

    private static void count(
            FlushCounts counts, String name, Runnable operation, Map<String, Count> ours) {
        Count first = counts.of(operation);
        if (!RANGES.matcher(name).matches()) {
            ours.put(name, first);
            return;
        }
        Count again = counts.of(operation);
        ours.put(name, again);
        if (!again.equals(first)) {
            ours.put(name + AFTER_OTHERS, first);
        }
    }
}
