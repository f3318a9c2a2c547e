package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.testing.DamagedImage;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Damage anywhere in a pool, half of it behind checksums that match: the pool opens and works, or
 * is refused as it is. Nothing else ever happens.
 */
class DamagedPoolTest {
    private static final long SEED = 20261121;
    private static final int FEWEST_ROUNDS = 10;
    private static final boolean DEEP = Boolean.getBoolean("test.deep");
    private static final int ROUNDS = DEEP ? 40 : 4;

    /** One in so many of the logs that lead outside is met. */
    private static final int LOGS = DEEP ? 1 : 5;

    private static final int MANY_ROUNDS = 4000;
    private static final Duration BOUND = Duration.ofMillis(800);

    /** Crashes at points where every log is empty. */
    private static final Set<String> WITHOUT_ENTRIES =
            Set.of("crash-commit-done", "crash-huge-free", "crash-huge-split");

    private static int allRounds;
    private static int allRefused;

    @TempDir Path directory;

    @AfterAll
    static void someWereRefused() {
        if (allRounds > 0) {
            assertThat(allRefused).as("refused of %d", allRounds).isBetween(1, allRounds - 1);
        }
    }

    static List<String> vectors() {
        return GoldenVectors.names();
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("vectors")
    @Timeout(60)
    void leadsNowhere(String name) throws IOException {
        damage(name, SEED, ROUNDS, BOUND);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("vectors")
    void leadsNowhereManyTimes(String name) throws IOException {
        damage(name, System.nanoTime(), MANY_ROUNDS, Duration.ofMinutes(2));
    }

    /** Targets that no log entry may have, whatever its checksum says. */
    private static final long[] NOWHERE = {
        8,
        PoolHeader.SIZE - 8,
        Descriptor.OFFSET,
        Descriptor.DEFAULT_LANES_OFFSET - 8,
        (8 << 20) - 4,
        1L << 40,
        (1L << 61) - 8,
    };

    static List<String> singleFilesWithLogs() {
        return GoldenVectors.names().stream().filter(name -> name.startsWith("crash-")).toList();
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("singleFilesWithLogs")
    void aLogThatLeadsOutsideIsRefused(String name) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        byte[] intact = Files.readAllBytes(vector.pool());
        int copies = 0;
        for (Iterator<byte[]> all = DamagedImage.misled(intact, NOWHERE).iterator();
                all.hasNext();
                copies++) {
            byte[] image = all.next();
            if (copies % LOGS != 0) {
                continue;
            }
            Files.write(vector.pool(), image);
            assertThatThrownBy(() -> ObjectPool.open(vector.pool(), null))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("log of lane")
                    .hasMessageContaining("is damaged");
            byte[] found = Files.readAllBytes(vector.pool());
            assertThat(Arrays.mismatch(found, image)).as("first change").isEqualTo(-1);
        }
        assertThat(copies == 0).isEqualTo(WITHOUT_ENTRIES.contains(name));
    }

    private void damage(String name, long seed, int rounds, Duration bound) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        List<byte[]> intact = new ArrayList<>();
        for (Path part : vector.parts()) {
            intact.add(Files.readAllBytes(part));
        }
        List<String> names = names();
        long end = System.nanoTime() + bound.toNanos();
        int refused = 0;
        int round = 0;
        for (;
                round < Math.min(FEWEST_ROUNDS, rounds)
                        || round < rounds && System.nanoTime() < end;
                round++) {
            Random random = new Random(seed + round);
            int part = random.nextInt(intact.size());
            List<byte[]> images = new ArrayList<>(intact);
            images.set(part, DamagedImage.of(intact.get(part), random));
            write(vector, images);
            String step = name + ", seed " + (seed + round);
            try {
                refused += use(vector, images, random) ? 0 : 1;
            } catch (Exception | AssertionError e) {
                fail(step, e);
            }
            assertThat(names()).as(step).isEqualTo(names);
            for (int i = 0; i < intact.size(); i++) {
                assertThat(Files.size(vector.parts().get(i)))
                        .as(step)
                        .isEqualTo(intact.get(i).length);
            }
        }
        allRounds += round;
        allRefused += refused;
        if (round >= FEWEST_ROUNDS) {
            assertThat(refused).as("refused of %d, seed %d", round, seed).isBetween(1, round - 1);
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    private static void write(GoldenVectors vector, List<byte[]> images) throws IOException {
        for (int i = 0; i < images.size(); i++) {
            Files.write(vector.parts().get(i), images.get(i));
        }
    }

    /** Whether it opened. */
    private static boolean use(GoldenVectors vector, List<byte[]> images, Random random)
            throws IOException {
        ObjectPool pool;
        try {
            pool = ObjectPool.open(vector.pool(), null);
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA);
            for (int i = 0; i < images.size(); i++) {
                byte[] found = Files.readAllBytes(vector.parts().get(i));
                assertThat(Arrays.mismatch(found, images.get(i)))
                        .as("first change in %s after: %s", vector.parts().get(i), e.getMessage())
                        .isEqualTo(-1);
            }
            return false;
        }
        try (pool) {
            List<Ref> objects = new ArrayList<>();
            attempt(() -> pool.objects().forEach(objects::add));
            attempt(() -> pool.read(pool.root(), bytes -> bytes.readRemaining()));
            for (Ref object : objects) {
                attempt(() -> read(pool, object));
            }
            for (int i = 0; i < 20; i++) {
                long size = 1L << random.nextInt(19);
                attempt(() -> pool.transaction(tx -> allocate(tx, size)));
            }
            for (int i = 0; i < 20 && !objects.isEmpty(); i++) {
                Ref object = objects.get(random.nextInt(objects.size()));
                attempt(() -> pool.transaction(tx -> tx.free(object)));
            }
            attempt(() -> pool.root(random.nextInt(10_000)));
        } catch (FarheapException e) {
            assertThat(e).hasMessageNotContaining("Exception");
        }
        return true;
    }

    private static void read(ObjectPool pool, Ref object) {
        long size = pool.usableSize(object);
        long unused = pool.typeNumber(object);
        if (size >= Long.BYTES) {
            pool.getLong(object, size - Long.BYTES);
            pool.getLong(object, 0);
        }
    }

    private static void allocate(Transaction tx, long size) {
        Ref made = tx.allocateZeroed(size, 1);
        tx.setByte(made, size - 1, (byte) 1);
    }

    /** Refusals are allowed, of whatever category: the pool may be full, an object gone. */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (FarheapException e) {
            assertThat(e).hasMessageNotContaining("Exception");
        }
    }
}
