package io.farheap.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.ObjectPool;
import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Structure;
import io.farheap.layout.Descriptor;
import io.farheap.testing.DamagedImage;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A check of damaged pools: it never throws, finds whatever opening would refuse, and what it finds
 * first is where the damage is.
 */
@Timeout(120)
class CheckFuzzTest {
    private static final long SEED = 20261122;
    private static final int ROUNDS_OF_A_VECTOR = Boolean.getBoolean("test.deep") ? 12 : 3;
    private static final int WORDS = 300;
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;

    @TempDir private Path directory;

    static List<String> vectors() {
        return GoldenVectors.names();
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("vectors")
    void whateverOpeningRefusesIsFound(String name) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        List<byte[]> intact = new ArrayList<>();
        for (Path part : vector.parts()) {
            intact.add(Files.readAllBytes(part));
        }
        for (int round = 0; round < ROUNDS_OF_A_VECTOR; round++) {
            String step = name + ", seed " + (SEED + round);
            Random random = new Random(SEED + round);
            int damaged = random.nextInt(intact.size());
            for (int i = 0; i < intact.size(); i++) {
                byte[] content = intact.get(i);
                byte[] image = i == damaged ? DamagedImage.of(content, random) : content;
                Files.write(vector.parts().get(i), image);
            }
            byte[] before = Files.readAllBytes(vector.parts().get(damaged));

            CheckReport report = check(vector.pool(), step);

            assertThat(Files.readAllBytes(vector.parts().get(damaged))).as(step).isEqualTo(before);
            if (report.isConsistent()) {
                opens(vector.pool(), step);
            }
        }
    }

    private static CheckReport check(Path pool, String step) {
        try {
            return ObjectPool.check(pool);
        } catch (RuntimeException e) {
            return fail(step, e);
        }
    }

    /** What is consistent opens, and gives its objects. */
    private static void opens(Path pool, String step) {
        try (ObjectPool opened = ObjectPool.open(pool, null)) {
            opened.objects().forEach(object -> assertThat(opened.usableSize(object)).isPositive());
            assertThat(opened.check().inconsistencies()).as(step).isEmpty();
        } catch (FarheapException e) {
            assertThat(e.category()).as("%s: %s", step, e).isNotEqualTo(Category.BAD_DATA);
        }
    }

    @Test
    void whatIsFoundFirstIsWhereTheDamageIs() throws IOException {
        Path file = directory.resolve("a.pool");
        List<Long> interesting = new ArrayList<>();
        try (ObjectPool pool = ObjectPool.at(file).layout("fuzz").size(8 << 20).create()) {
            pool.root(3000);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < 60; i++) {
                            interesting.add(tx.allocate(50 + 90 * (i % 9), 7).offset() - 16);
                        }
                    });
            pool.update(pool.root(), 0, 3000, segment -> segment.fill((byte) 3));
        }
        int found = 0;
        try (PoolWords words = new PoolWords(file)) {
            for (int i = 0; i < WORDS; i++) {
                Random random = new Random(SEED + i);
                long offset = place(random, interesting);
                long old = words.get(offset);
                words.put(offset, random.nextBoolean() ? old ^ 1L << random.nextInt(64) : i);
                CheckReport report = check(file, "seed " + (SEED + i));
                if (!report.isConsistent()) {
                    found++;
                    assertThat(expected(offset))
                            .as("seed %d, offset %d: %s", SEED + i, offset, report)
                            .contains(report.inconsistencies().get(0).structure());
                }
                words.put(offset, old);
            }
        }
        assertThat(found).as("found of %d", WORDS).isGreaterThan(WORDS / 3);
        assertThat(ObjectPool.check(file).inconsistencies()).isEmpty();
    }

    private static long place(Random random, List<Long> interesting) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong(18) * 8;
            case 1 -> Descriptor.OFFSET + random.nextLong(261) * 8;
            case 2 ->
                    Descriptor.DEFAULT_LANES_OFFSET + random.nextLong(8) * 3072 + logHeader(random);
            case 3 -> HEAP + random.nextLong(128) * 8;
            case 4 -> HEAP + 1024 + random.nextLong(4) * (random.nextBoolean() ? 0 : 16) + 64;
            default -> interesting.get(random.nextInt(interesting.size()));
        };
    }

    private static long logHeader(Random random) {
        long[] logs = {0, 256, 960};
        return logs[random.nextInt(logs.length)] + random.nextLong(8) * 8;
    }

    private static Set<Structure> expected(long offset) {
        if (offset < Descriptor.OFFSET) {
            return EnumSet.of(Structure.HEADER, Structure.SHUTDOWN_STATE);
        }
        if (offset < Descriptor.ROOT_OFFSET) {
            return EnumSet.of(Structure.DESCRIPTOR);
        }
        if (offset < Descriptor.DEFAULT_LANES_OFFSET) {
            // Heap size, run id, root.
            return EnumSet.of(Structure.DESCRIPTOR, Structure.ROOT, Structure.HEAP);
        }
        if (offset < HEAP) {
            return EnumSet.of(Structure.LOG);
        }
        // A block that is not where it was takes what was in it with it.
        return offset < HEAP + 1024
                ? EnumSet.of(Structure.HEAP)
                : EnumSet.of(Structure.HEAP, Structure.ROOT, Structure.LOG);
    }
}
