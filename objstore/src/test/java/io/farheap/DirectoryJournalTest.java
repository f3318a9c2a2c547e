package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools that grow, of two local replicas, with disk journals. */
class DirectoryJournalTest {
    private static final long M = 1 << 20;
    private static final long STEP = 2 * M;
    private static final long TYPE = 3;
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

    @TempDir private Path home;

    private static Path setIn(Path directory) {
        try {
            for (String part : List.of("a", "b", "r")) {
                Files.createDirectories(directory.resolve(part));
            }
            return Files.writeString(
                    directory.resolve("pool.set"),
                    "PMEMPOOLSET\nOPTION SINGLEHDR\n10M %1$s/a\n10M %1$s/b\nREPLICA\n21M %1$s/r\n"
                            .formatted(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ObjectPool created() {
        ObjectPool pool = ObjectPool.at(setIn(home)).layout("grow").options(JOURNAL).create();
        pool.heap().setGranularity(STEP);
        return pool;
    }

    private static ObjectPool opened(Path directory, PoolOptions options) {
        return ObjectPool.at(directory.resolve("pool.set")).layout("grow").options(options).open();
    }

    /**
     * All files as the page cache has them, in another place. The journals are copied first: a
     * checkpoint may be under way, and the files that it writes need them.
     */
    private Path killed() throws IOException {
        Path copy = Files.createTempDirectory(home, "killed");
        Path unused = setIn(copy);
        copyFiles(copy, file -> file.toString().endsWith(".disk-journal"));
        copyFiles(copy, file -> !file.toString().endsWith(".disk-journal"));
        return copy;
    }

    private void copyFiles(Path copy, Predicate<Path> which) throws IOException {
        for (String part : List.of("a", "b", "r")) {
            try (Stream<Path> files = Files.list(home.resolve(part))) {
                for (Path file : files.filter(which).toList()) {
                    Files.copy(file, copy.resolve(part).resolve(file.getFileName()));
                }
            }
        }
    }

    private static TreeMap<String, Long> parts(Path directory) throws IOException {
        TreeMap<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory, 2)) {
            for (Path file : all.filter(path -> path.toString().endsWith(".pmem")).toList()) {
                sizes.put(directory.relativize(file).toString(), Files.size(file));
            }
        }
        return sizes;
    }

    private static void allocate(ObjectPool pool) {
        pool.transaction(tx -> tx.setLong(tx.allocate(M, TYPE), 0, 77));
    }

    private static int count(ObjectPool pool) {
        int count = 0;
        for (Ref object : pool.objects(TYPE)) {
            assertThat(pool.getLong(object, 0)).isEqualTo(77);
            count++;
        }
        assertThat(pool.check().inconsistencies()).isEmpty();
        return count;
    }

    private static void makePart(Path file) throws IOException {
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(STEP);
        }
    }

    @Test
    void itGrowsInAllReplicasAndEachKillLeavesAllThatWasCommitted() throws IOException {
        int objects = 0;
        TreeMap<Integer, Path> copies = new TreeMap<>();
        try (ObjectPool pool = created()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            int known = 2;
            while (objects < 11) {
                allocate(pool);
                objects++;
                if (parts(home).size() > known) {
                    known = parts(home).size();
                    copies.put(objects, killed());
                }
            }
            assertThat(known).as("part files").isGreaterThan(8);
        }
        for (Map.Entry<Integer, Path> copy : copies.entrySet()) {
            PoolOptions options = copy.getKey() % 2 == 0 ? JOURNAL : PAGES;
            try (ObjectPool second = opened(copy.getValue(), options)) {
                assertThat(count(second)).isEqualTo(copy.getKey());
                allocate(second);
            }
        }
        TreeMap<String, Long> grown = parts(home);
        try (ObjectPool pool = opened(home, PAGES)) {
            assertThat(count(pool)).isEqualTo(objects);
        }
        try (ObjectPool pool = opened(home, JOURNAL)) {
            assertThat(count(pool)).isEqualTo(objects);
            allocate(pool);
        }
        assertThat(parts(home)).containsAllEntriesOf(grown);
    }

    /** Growth was cut before any header, journal or heap knew of it. */
    @Test
    void aPartThatGrowthMadeInOneReplicaAloneIsRemoved() throws IOException {
        Path copy;
        try (ObjectPool pool = created()) {
            allocate(pool);
            copy = killed();
        }
        makePart(copy.resolve("b/000001.pmem"));
        try (ObjectPool pool = opened(copy, JOURNAL)) {
            assertThat(parts(copy)).hasSize(2);
            assertThat(count(pool)).isEqualTo(1);
        }
    }

    @Test
    void oneThatItMadeInBothIsUsedByTheNext() throws IOException {
        Path copy;
        try (ObjectPool pool = created()) {
            allocate(pool);
            copy = killed();
        }
        makePart(copy.resolve("b/000001.pmem"));
        makePart(copy.resolve("r/000001.pmem"));
        try (ObjectPool pool = opened(copy, JOURNAL)) {
            assertThat(count(pool)).isEqualTo(1);
            for (int i = 0; i < 3; i++) {
                allocate(pool);
            }
            assertThat(parts(copy)).containsKeys("b/000001.pmem", "r/000001.pmem");
            assertThat(pool.heap().size())
                    .isGreaterThanOrEqualTo(10 * M - Descriptor.DEFAULT_HEAP_OFFSET);
        }
        try (ObjectPool pool = opened(copy, PAGES)) {
            assertThat(count(pool)).isEqualTo(4);
        }
    }

    /** The journal alone knows that the heap has it: the descriptor in the file does not as yet. */
    @Test
    void aPartThatTheHeapUsesIsNeverTakenForOneThatGrowthDidNotFinish() throws IOException {
        Path copy;
        try (ObjectPool pool = created()) {
            while (parts(home).size() == 2) {
                allocate(pool);
            }
            copy = killed();
        }
        TreeMap<String, Long> before = parts(copy);
        Path lost = copy.resolve("r/000001.pmem");
        Files.move(lost, copy.resolve("elsewhere"));
        for (PoolOptions options : List.of(JOURNAL, PAGES)) {
            assertThatThrownBy(() -> opened(copy, options)).isInstanceOf(FarheapException.class);
        }
        Files.move(copy.resolve("elsewhere"), lost);
        assertThat(parts(copy)).isEqualTo(before);
        try (ObjectPool pool = opened(copy, PAGES)) {
            assertThat(count(pool)).isPositive();
        }
    }
}
