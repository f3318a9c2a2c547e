package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How large a disk journal is, and the memory that a pool with one takes, as a program says. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PrivateMemoryPoolTest {
    private static final long MIB = 1 << 20;
    private static final long OBJECT = 48 * MIB;

    private static final int COMMITS = Boolean.getBoolean("test.deep") ? 600 : 150;

    @TempDir private Path directory;

    private static PoolOptionsBuilder journal() {
        return PoolOptions.builder().persistence(PersistenceDomain.JOURNAL);
    }

    private ObjectPool created(long bytes, PoolOptionsBuilder options) {
        return ObjectPool.at(directory.resolve("a.pool"))
                .layout("")
                .size(bytes)
                .options(options.build())
                .create();
    }

    private ObjectPool opened(PoolOptionsBuilder options) {
        return ObjectPool.at(directory.resolve("a.pool"))
                .layout("")
                .options(options.build())
                .open();
    }

    /** What the kernel has copied of the pool file for this process. */
    private long privateBytes() throws IOException {
        long kib = 0;
        boolean ours = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = line.endsWith(directory.resolve("a.pool").toString());
            } else if (ours && line.startsWith("Anonymous:")) {
                kib += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return kib << 10;
    }

    @Test
    @LinuxCalls("Java gives no page of a mapping back")
    @Tag("sliced")
    void memoryStaysBoundedWhateverIsWritten() throws IOException {
        Random random = new Random(1);
        long[] expected = new long[(int) (OBJECT / 4096)];
        Ref[] object = new Ref[1];
        try (ObjectPool pool = created(64 * MIB, journal().journalMemoryBytes(4 * MIB))) {
            object[0] = pool.compute(tx -> tx.allocate(OBJECT, 1));
            long most = 0;
            for (int round = 0; round < COMMITS; round++) {
                pool.transaction(
                        tx -> {
                            for (int i = 0; i < 100; i++) {
                                int page = random.nextInt(expected.length);
                                expected[page] = random.nextLong();
                                tx.setLong(object[0], page * 4096L, expected[page]);
                            }
                        });
                if (round % 10 == 9) { // the kernel takes long to count
                    most = Math.max(most, privateBytes());
                }
            }
            System.out.println("private at most: " + most + " of " + OBJECT + " bytes");
            while (privateBytes() > 5 * MIB) { // all of it, as commits go on
                pool.transaction(tx -> tx.setLong(object[0], 0, expected[0]));
            }
            for (int page = 0; page < expected.length; page++) {
                assertThat(pool.getLong(object[0], page * 4096L)).isEqualTo(expected[page]);
            }
        }
        try (ObjectPool pool = opened(journal())) {
            for (int page = 0; page < expected.length; page++) {
                assertThat(pool.getLong(object[0], page * 4096L)).isEqualTo(expected[page]);
            }
        }
    }

    /** In transactions, and in objects that are reserved, which no transaction knows. */
    @Test
    @LinuxCalls("Java gives no page of a mapping back")
    void noStoreIsLostWhileMemoryIsGivenBack() {
        try (ObjectPool pool = created(64 * MIB, journal().journalMemoryBytes(MIB))) {
            Ref counters = pool.compute(tx -> tx.allocateZeroed(16 * MIB, 1));
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                int thread = t;
                threads.add(new Thread(() -> work(pool, counters, thread)));
            }
            threads.forEach(t -> t.setUncaughtExceptionHandler((own, e) -> failure.set(e)));
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            assertThat(failure.get()).isNull();
            assertThat(pool.counters().checkpoints()).isGreaterThan(5);
            assertThat(pool.check().inconsistencies()).isEmpty();
        }
    }

    private static void work(ObjectPool pool, Ref counters, int thread) {
        Random random = new Random(thread);
        long[] expected = new long[4096];
        for (int round = 0; round < 1500; round++) {
            int page = random.nextInt(expected.length);
            long at = page * 4096L + thread * 8L;
            assertThat(pool.getLong(counters, at)).isEqualTo(expected[page]);
            expected[page]++;
            pool.transaction(tx -> tx.setLong(counters, at, expected[page]));
            if (round % 10 == 0) {
                reserve(pool, random);
            }
        }
        for (int page = 0; page < expected.length; page++) {
            assertThat(pool.getLong(counters, page * 4096L + thread * 8L))
                    .isEqualTo(expected[page]);
        }
    }

    private static void reserve(ObjectPool pool, Random random) {
        long size = 4096L * (1 + random.nextInt(8));
        try (Actions actions = pool.actions()) {
            NewObject object = actions.reserve(size, 7);
            for (long at = 0; at < size; at += 8) {
                object.setLong(at, at);
            }
            Ref made = object.ref();
            actions.publish();
            for (long at = 0; at < size; at += 8) {
                assertThat(pool.getLong(made, at)).isEqualTo(at);
            }
            pool.transaction(tx -> tx.free(made));
        }
    }

    @Test
    void theJournalHasTheSizeThatWasSaidAndKeepsIt() {
        long usual = 8192 + 2 * MIB;
        try (ObjectPool pool = created(8 * MIB, journal())) {
            DiskJournalFacts facts = pool.diskJournals().get(0);
            assertThat(facts.file()).hasFileName("a.pool.disk-journal").hasSize(usual);
            assertThat(facts.bytes()).isEqualTo(usual);
        }
        try (ObjectPool pool = opened(journal().journalBytes(33 * MIB + 5))) {
            assertThat(pool.diskJournals().get(0).bytes()).isEqualTo(8192 + 33 * MIB);
        }
        try (ObjectPool pool = opened(journal())) {
            assertThat(pool.diskJournals().get(0).bytes()).isEqualTo(8192 + 33 * MIB);
        }
        try (ObjectPool pool = opened(PoolOptions.builder())) {
            assertThat(pool.diskJournals()).isEmpty();
        }
    }

    @Test
    void sizesThatNoJournalHasAreRefused() {
        assertThatThrownBy(() -> journal().journalBytes(MIB))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("2 MiB to 16 GiB");
        assertThatThrownBy(() -> journal().journalMemoryBytes(1))
                .hasMessageContaining("at least 1 MiB");
    }
}
