package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools whose part files are made in directories, as they are needed. */
class DirectoryPoolTest {
    private static final long M = 1 << 20;
    private static final long FIRST = 8 * M;
    private static final long STEP = 2 * M;
    private static final long TYPE = 3;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    @TempDir Path dir;
    @TempDir Path copies;

    /** Two directories of 10 MiB, and a replica with one of 21 MiB. */
    private Path mirroredSet() throws IOException {
        return set("10M @/a", "10M @/b", "REPLICA", "21M @/r");
    }

    private Path set(String... lines) throws IOException {
        for (String line : lines) {
            if (line.contains("@/")) {
                Files.createDirectories(dir.resolve(line.substring(line.indexOf("@/") + 2)));
            }
        }
        String text = "PMEMPOOLSET\nOPTION SINGLEHDR\n" + String.join("\n", lines) + "\n";
        return Files.writeString(dir.resolve("pool.set"), text.replace("@", dir.toString()));
    }

    /** Every file in the directories with its size. */
    private TreeMap<String, Long> files() throws IOException {
        TreeMap<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path path : all.filter(Files::isRegularFile).toList()) {
                if (!path.endsWith("pool.set") && !path.toString().endsWith(".portable-lock")) {
                    sizes.put(dir.relativize(path).toString(), Files.size(path));
                }
            }
        }
        return sizes;
    }

    private static void fill(ObjectPool pool) {
        assertThatThrownBy(
                        () -> {
                            while (true) {
                                pool.transaction(tx -> tx.setLong(tx.allocate(M, TYPE), 0, 77));
                            }
                        })
                .hasMessageContaining("no room");
    }

    private static int count(ObjectPool pool) {
        int count = 0;
        for (Ref object : pool.objects(TYPE)) {
            assertThat(pool.getLong(object, 0)).isEqualTo(77);
            count++;
        }
        return count;
    }

    @Test
    void growsWhenItIsFullInAllReplicasUpToTheSizesInTheSetFile() throws IOException {
        Path set = mirroredSet();
        int objects;
        try (ObjectPool pool = ObjectPool.create(set, "grow")) {
            assertThat(files())
                    .containsOnly(
                            Map.entry("a/000000.pmem", FIRST), Map.entry("r/000000.pmem", FIRST));
            assertThat(pool.heap().granularity()).isEqualTo(128 * M);
            pool.heap().setGranularity(STEP);
            fill(pool);
            objects = count(pool);
            assertThat(objects).isGreaterThan(10);
            assertThat(pool.heap().size()).isEqualTo(20 * M - Descriptor.DEFAULT_HEAP_OFFSET);
        }
        TreeMap<String, Long> grown = files();
        assertThat(grown.keySet())
                .containsExactly(
                        "a/000000.pmem",
                        "a/000002.pmem",
                        "a/000004.pmem",
                        "a/000006.pmem",
                        "b/000001.pmem",
                        "b/000003.pmem",
                        "b/000005.pmem",
                        "r/000000.pmem",
                        "r/000001.pmem",
                        "r/000002.pmem",
                        "r/000003.pmem",
                        "r/000004.pmem",
                        "r/000005.pmem",
                        "r/000006.pmem");
        assertThat(Files.getPosixFilePermissions(dir.resolve("b/000001.pmem")))
                .hasToString("[OWNER_READ, OWNER_WRITE]");
        try (ObjectPool pool = ObjectPool.openOrCreate(set, "grow")) {
            assertThat(count(pool)).isEqualTo(objects);
        }
        assertReplicasAreEqual(set);
        assertThat(files()).isEqualTo(grown);
    }

    private static void assertReplicasAreEqual(Path set) {
        try (PoolFiles files = PoolFiles.openPrivate(PoolSource.of(set), null)) {
            MemorySegment master = files.localImages().get(0);
            MemorySegment other = files.localImages().get(1);
            long from = Descriptor.OFFSET;
            long end = Descriptor.SCRATCH;
            assertThat(MemorySegment.mismatch(master, from, end, other, from, end)).isEqualTo(-1);
            assertThat(objects(other)).isNotEmpty().isEqualTo(objects(master));
        }
    }

    private static List<HeapWalk.HeapObject> objects(MemorySegment image) {
        List<HeapWalk.HeapObject> objects = new ArrayList<>();
        HeapWalk.walk(
                image,
                Descriptor.DEFAULT_HEAP_OFFSET,
                image.get(LONG, Descriptor.HEAP_SIZE),
                new HeapWalk.Visitor() {
                    @Override
                    public void object(HeapWalk.HeapObject object) {
                        objects.add(object);
                    }

                    @Override
                    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                        throw new AssertionError(inconsistency.message());
                    }
                });
        return objects;
    }

    @Test
    void extendsWhenAsked() throws IOException {
        Path set = set("64M @/a");
        try (ObjectPool pool = ObjectPool.create(set, "grow")) {
            pool.heap().extend(16 * M);
            assertThat(pool.heap().size()).isEqualTo(24 * M - Descriptor.DEFAULT_HEAP_OFFSET);
            pool.transaction(tx -> tx.setLong(tx.allocate(18 * M, TYPE), 17 * M, 5));
            pool.heap().extend(1000 * M);
            assertThat(pool.heap().size()).isEqualTo(64 * M - Descriptor.DEFAULT_HEAP_OFFSET);
            assertThatThrownBy(() -> pool.heap().extend(STEP))
                    .hasMessageContaining("exceeded reservation size");
        }
        assertThat(files().values()).containsExactly(FIRST, 16 * M, 40 * M);
    }

    @Test
    void aStepThatCannotBeMadeLeavesNoFile() throws IOException {
        Path set = mirroredSet();
        try (ObjectPool pool = ObjectPool.create(set, "grow")) {
            Path inTheWay = Files.writeString(dir.resolve("r/000001.pmem"), "mine");
            assertThatThrownBy(() -> pool.heap().extend(STEP))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining(inTheWay + " is in the way");
            assertThat(files()).containsOnlyKeys("a/000000.pmem", "r/000000.pmem", "r/000001.pmem");
            assertThat(Files.readString(inTheWay)).isEqualTo("mine");
            Files.delete(inTheWay);
            pool.heap().extend(STEP);
        }
        assertThat(files()).hasSize(4);
    }

    /** What each instant of a growth leaves, put together from before and after. */
    @Test
    void aCrashInTheMiddleOfGrowthIsPutRightByTheNextOpening() throws IOException {
        Path set = mirroredSet();
        try (ObjectPool pool = ObjectPool.create(set, "grow")) {
            pool.transaction(tx -> tx.setLong(tx.allocate(M, TYPE), 0, 77));
        }
        Path before = copy("before");
        try (ObjectPool pool = ObjectPool.open(set, "grow")) {
            pool.heap().extend(STEP);
        }
        Path after = copy("after");

        restore(before);
        Files.write(dir.resolve("b/.000001.pmem.unfinished"), new byte[100]);
        growsOn(set, "a part file that has no name yet");

        restore(before);
        Files.copy(after.resolve("b/000001.pmem"), dir.resolve("b/000001.pmem"));
        try (ObjectPool pool = ObjectPool.open(set, "grow")) {
            assertThat(count(pool)).isEqualTo(1);
            assertThat(files()).as("the part that not all have").hasSize(2);
        }
        growsOn(set, "a part file in the master only");

        restore(before);
        Files.copy(after.resolve("b/000001.pmem"), dir.resolve("b/000001.pmem"));
        Files.copy(after.resolve("r/000001.pmem"), dir.resolve("r/000001.pmem"));
        growsOn(set, "a part file everywhere, not in the heap");

        for (List<String> written : List.of(List.of("a"), List.of("r"), List.of("a", "r"))) {
            restore(before);
            Files.copy(after.resolve("b/000001.pmem"), dir.resolve("b/000001.pmem"));
            Files.copy(after.resolve("r/000001.pmem"), dir.resolve("r/000001.pmem"));
            for (String replica : written) {
                setHeapSize(dir.resolve(replica).resolve("000000.pmem"), FIRST + STEP);
            }
            growsOn(set, "the heap's size in " + written);
        }
    }

    private void growsOn(Path set, String after) throws IOException {
        try (ObjectPool pool = ObjectPool.open(set, "grow")) {
            assertThat(count(pool)).as(after).isEqualTo(1);
            pool.heap().setGranularity(STEP);
            fill(pool);
            assertThat(pool.heap().size())
                    .as(after)
                    .isEqualTo(20 * M - Descriptor.DEFAULT_HEAP_OFFSET);
        }
        assertThat(files()).as(after).hasSize(14);
        assertReplicasAreEqual(set);
    }

    private static void setHeapSize(Path part, long imageSize) throws IOException {
        try (FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE)) {
            ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            word.putLong(0, imageSize - Descriptor.DEFAULT_HEAP_OFFSET);
            file.write(word, Descriptor.HEAP_SIZE);
        }
    }

    private Path copy(String name) throws IOException {
        Path target = Files.createDirectory(copies.resolve(name));
        for (String file : files().keySet()) {
            Files.createDirectories(target.resolve(file).getParent());
            Files.copy(dir.resolve(file), target.resolve(file));
        }
        return target;
    }

    private void restore(Path copy) throws IOException {
        for (String file : files().keySet()) {
            Files.delete(dir.resolve(file));
        }
        try (Stream<Path> all = Files.walk(copy)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Files.copy(
                        file,
                        dir.resolve(copy.relativize(file)),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private FarheapException refusal(Path set) {
        Throwable thrown = catchThrowable(() -> ObjectPool.open(set, "grow").close());
        assertThat(thrown).isInstanceOf(FarheapException.class);
        return (FarheapException) thrown;
    }

    @Test
    void partsThatAreGoneOrTwiceThereAreNamed() throws IOException {
        Path set = mirroredSet();
        assertThat(refusal(set))
                .returns(Category.ENVIRONMENT, FarheapException::category)
                .hasMessageContaining("backup", "create the pool if there was none");
        try (ObjectPool pool = ObjectPool.create(set, "grow")) {
            pool.heap().extend(STEP);
            pool.heap().extend(STEP);
        }
        Path part = dir.resolve("r/000001.pmem");
        Path aside = dir.resolve("aside");
        Files.move(part, aside);
        assertThat(refusal(set)).as("a replica's part").hasMessageContaining(part.toString());

        Path masters = dir.resolve("b/000001.pmem");
        Files.move(masters, dir.resolve("aside2"));
        assertThat(refusal(set)).hasMessageContaining("000001.pmem is missing in all");
        Files.move(dir.resolve("aside2"), masters);
        Files.move(aside, part);

        Path twice = Files.copy(masters, dir.resolve("a/000001.pmem"));
        assertThat(refusal(set))
                .returns(Category.BAD_DATA, FarheapException::category)
                .hasMessageContaining(twice.toString())
                .hasMessageContaining("both part 1");
        Files.delete(twice);

        Files.writeString(dir.resolve("a/notes.txt"), "no part");
        try (ObjectPool pool = ObjectPool.open(set, "grow")) {
            assertThat(pool.heap().size()).isGreaterThan(FIRST);
        }
    }

    @Test
    void directoriesNeedOneHeaderPerReplica() throws IOException {
        Path set = mirroredSet();
        Files.writeString(set, Files.readString(set).replace("OPTION SINGLEHDR\n", ""));
        assertThatThrownBy(() -> ObjectPool.create(set, "grow"))
                .hasMessageContaining("without SINGLEHDR option");
        assertThat(files()).isEmpty();
    }
}
