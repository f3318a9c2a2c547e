package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.DiskDirectory;
import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pools on an ordinary disk, whose programs say nothing of journals, beside libpmemobj. */
class OrdinaryDiskNativeTest {
    private static final long SEED = 20_261_126;
    private static final int HEADER = 4096;

    private DiskDirectory disk;
    private Path file;

    @BeforeEach
    void onADisk() {
        NativeJudge.require();
        disk = DiskDirectory.create();
        file = disk.path().resolve("a.pool");
    }

    @AfterEach
    void remove() {
        if (disk != null) {
            disk.close();
        }
    }

    private static void work(Path pool, PoolOptions options, PersistenceDomain domain, long seed) {
        try (ObjectPool opened = ObjectPool.at(pool).options(options).open()) {
            assertThat(opened.persistenceDomain()).isEqualTo(domain);
            new RandomWorkload(opened, seed).run(100);
        }
    }

    private static void workHere(Path pool, long seed) {
        work(pool, PoolOptions.defaults(), PersistenceDomain.JOURNAL, seed);
    }

    @Test
    void aNewPoolIsTheLibrarysOnceItIsClosed() {
        ObjectPool.at(file).layout("").size(64 << 20).create().close();
        NativeJudge.assertConsistent(file);
        workHere(file, SEED);
        NativeJudge.assertConsistent(file);
        Listing theirs = NativeJudge.list(file);
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(Listing.of(pool)).isEqualTo(theirs);
        }
    }

    @Test
    void aPoolOfTheLibraryStaysOne() throws IOException {
        NativeJudge.create(file, 64);
        byte[] header = Arrays.copyOf(Files.readAllBytes(file), HEADER);
        for (int round = 0; round < 3; round++) {
            NativeJudge.work(file, SEED + round, 60);
            workHere(file, SEED * 31 + round);
            NativeJudge.assertConsistent(file);
        }
        assertThat(Arrays.copyOf(Files.readAllBytes(file), 4024))
                .as("its header, but for the shutdown state")
                .isEqualTo(Arrays.copyOf(header, 4024));
    }

    /** The journal changes how bytes reach the files, and no byte. */
    @Test
    void theFilesHaveWhatTheyWouldHaveWithoutAJournal() throws IOException {
        NativeJudge.create(file, 64);
        NativeJudge.work(file, SEED, 60);
        Path other = Files.copy(file, disk.path().resolve("b.pool"));
        PoolOptions pages = PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

        workHere(file, SEED);
        work(other, pages, PersistenceDomain.PAGE_CACHE, SEED);

        assertThat(Files.mismatch(file, other)).isEqualTo(-1);
    }

    @Test
    void itsCrashIsRecoveredHere() {
        NativeJudge.create(file, 64);
        NativeJudge.die(file, SEED, 60);
        workHere(file, SEED);
        NativeJudge.assertConsistent(file);
    }
}
