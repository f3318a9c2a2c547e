package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.engine.TxSettings;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import io.farheap.testing.support.MemoryPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sample of what power losses leave of our operations, judged by libpmemobj: it recovers each
 * image to the same objects with the same content as we do, and calls it consistent.
 */
class CrashStatesNativeTest {
    private static final long SEED = 20261121;
    private static final long POOL_BYTES = 16 << 20;

    /** One flush or fence in so many is a crash to be judged. */
    private static final int STRIDE = 8;

    private int steps;
    private int judged;

    @Test
    void libpmemobjRecoversTheSame(@TempDir Path directory) throws IOException {
        NativeJudge.require();
        Path file = directory.resolve("crashed.pool");
        long poolId;
        try (ObjectPool pool = ObjectPool.at(file).layout("crashed").size(POOL_BYTES).create()) {
            poolId = pool.poolId();
        }
        CrashSimulation machine =
                new CrashSimulation(MemorySegment.ofArray(Files.readAllBytes(file)));
        TxSettings settings = new TxSettings(Duration.ofSeconds(60), Duration.ofSeconds(30), 4);
        try (ObjectPool pool = MemoryPool.open(machine.memory(), settings, poolId)) {
            CountedOperations operations = new CountedOperations(pool);
            operations
                    .all()
                    .forEach(
                            (name, operation) -> {
                                machine.beforeEachStep(() -> crash(machine, file, name));
                                operation.run();
                                machine.beforeEachStep(() -> {});
                            });
        }
        System.out.println(judged + " crash states judged by libpmemobj, seed " + SEED);
        assertThat(judged).isGreaterThan(20);
    }

    private void crash(CrashSimulation machine, Path file, String name) {
        if (++steps % STRIDE != 0) {
            return;
        }
        judged++;
        Loss loss = Loss.values()[judged % Loss.values().length];
        String where = "%s, step %d, loss %s, seed %d".formatted(name, steps, loss, SEED);
        MemorySegment image = machine.crash(loss, new Random(SEED * steps)).memory().image();
        Path ours = file.resolveSibling("ours.pool");
        try {
            byte[] bytes = image.toArray(ValueLayout.JAVA_BYTE);
            Files.write(file, bytes);
            Files.write(ours, bytes);
            Listing here = Listing.here(ours);
            assertThat(NativeJudge.list(file)).as(where).isEqualTo(here);
            NativeJudge.assertConsistent(file);
            assertThat(Listing.here(file)).as("recovered in C, %s", where).isEqualTo(here);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
