package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool goes to and fro between this library and libpmemobj, and both see the same in it. */
class NativeInteropTest {
    private static final long POOL_BYTES = 96L << 20;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
        file = directory.resolve("shared.pool");
    }

    @AfterEach
    void removePool() throws IOException {
        Files.deleteIfExists(file);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20_261_121, 77})
    void aPoolMadeHereIsConsistentAndListsTheSameInC(long seed) {
        try (ObjectPool pool = ObjectPool.create(file, "", POOL_BYTES)) {
            pool.root(1000);
            new RandomWorkload(pool, seed).run(150);
        }
        NativeJudge.assertConsistent(file);
        assertSameListing();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {3, 4711})
    void bothContinueEachOthersWork(long seed) {
        ObjectPool.create(file, "", POOL_BYTES).close();
        for (int round = 0; round < 6; round++) {
            NativeJudge.work(file, seed + round, 60);
            try (ObjectPool pool = ObjectPool.open(file, "")) {
                assertEveryObjectIsWhole(pool);
                new RandomWorkload(pool, seed * 31 + round).run(60);
            }
            NativeJudge.assertConsistent(file);
            assertSameListing();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {5, 6, 7, 8, 9, 10})
    void whatCLeftInsideATransactionIsRolledBackHere(long seed) {
        ObjectPool.create(file, "", POOL_BYTES).close();
        NativeJudge.die(file, seed, 50);
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertEveryObjectIsWhole(pool);
            new RandomWorkload(pool, seed).run(30);
        }
        NativeJudge.assertConsistent(file);
        assertSameListing();
    }

    @Test
    void anEmptyPoolIsConsistentInC() {
        ObjectPool.create(file, "empty", 8 << 20).close();
        NativeJudge.assertConsistent(file);
        assertThat(NativeJudge.list(file).objects()).isEmpty();
    }

    private void assertSameListing() {
        NativeJudge.Listing inC = NativeJudge.list(file);
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(pool.rootSize()).isEqualTo(inC.rootSize());
            List<NativeJudge.NativeObject> here = new ArrayList<>();
            for (Ref object : pool.objects()) {
                CRC32 crc = new CRC32();
                crc.update(pool.segment(object).asByteBuffer());
                here.add(
                        new NativeJudge.NativeObject(
                                object.offset(),
                                pool.typeNumber(object),
                                pool.usableSize(object),
                                (int) crc.getValue()));
            }
            assertThat(here).isEqualTo(inC.objects());
        }
    }

    private static void assertEveryObjectIsWhole(ObjectPool pool) {
        for (Ref object : pool.objects()) {
            byte[] bytes = pool.readBytes(object, 0, Math.toIntExact(pool.usableSize(object)));
            assertThat(RandomWorkload.isWhole(bytes)).as("object %s", object).isTrue();
        }
    }
}
