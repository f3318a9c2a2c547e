package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.PoolMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolFilesCreateTest {
    private static final long POOL_SIZE = 8 << 20;
    private static final CreateOptions OPTIONS = CreateOptions.withLayout("test");

    @TempDir Path directory;

    @Test
    void aNewFileIsFullyAllocatedAndReopensWithWhatWasPersisted() throws IOException {
        Path pool = directory.resolve("a pool.with blanks");
        long poolId;
        try (PoolFiles files = create(PoolSource.newFile(pool, POOL_SIZE + 100))) {
            poolId = files.poolId();
            files.memory().persistLong(4_000_000, 42);
        }

        assertThat(Files.size(pool)).isEqualTo(POOL_SIZE + 100);
        assertThat(allocatedBytes(pool)).isGreaterThanOrEqualTo(POOL_SIZE + 100);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pool)))
                .isEqualTo("rw-------");
        try (PoolFiles files = PoolFiles.open(PoolSource.of(pool), "test", ContentCheck.NONE)) {
            assertThat(files.memory().size()).as("whole pages only").isEqualTo(POOL_SIZE);
            assertThat(files.memory().getLong(4_000_000)).isEqualTo(42);
            assertThat(files.poolId()).isEqualTo(poolId);
            assertThat(files.layout()).isEqualTo("test");
            assertThat(new Descriptor(files.memory()).heapSize())
                    .isEqualTo(POOL_SIZE - Descriptor.DEFAULT_HEAP_OFFSET);
        }
    }

    @Test
    void theFileIsClosedToOthersUntilItIsComplete() {
        Path pool = directory.resolve("pool");
        List<String> seen = new ArrayList<>();

        PoolFiles.create(
                        PoolSource.newFile(pool, POOL_SIZE),
                        new CreateOptions("test", 0640),
                        memory -> seen.add(mode(pool)))
                .close();

        assertThat(seen).containsExactly("rw-------");
        assertThat(mode(pool)).isEqualTo("rw-r-----");
    }

    @Test
    void theDescriptorIsNotValidBeforeTheContentIsThere() {
        Path pool = directory.resolve("pool");
        List<Boolean> valid = new ArrayList<>();

        PoolFiles.create(
                        PoolSource.newFile(pool, POOL_SIZE),
                        OPTIONS,
                        memory -> valid.add(new Descriptor(memory).checksumMatches()))
                .close();

        assertThat(valid).containsExactly(false);
    }

    @Test
    void partsAreOneRangeThatObjectsMayCross() throws IOException {
        Path set = poolSet("", "4M @/p0", "5M @/p1", "3145729 @/p2");
        long border = 4 << 20;
        try (PoolFiles files = create(PoolSource.of(set))) {
            assertThat(files.memory().size()).isEqualTo((12 << 20) - 2 * 4096);
            files.memory().putLong(border - 4, 0x1122334455667788L);
            files.memory().persist(border - 4, 8);
        }

        try (PoolFiles files = PoolFiles.open(PoolSource.of(set))) {
            assertThat(files.memory().getLong(border - 4)).isEqualTo(0x1122334455667788L);
        }
        byte[] second = Files.readAllBytes(directory.resolve("p1"));
        assertThat(second[4096]).as("behind the header").isEqualTo((byte) 0x44);
    }

    @Test
    void withOneHeaderLaterPartsAreAllImage() throws IOException {
        Path set = poolSet("OPTION SINGLEHDR", "4M @/p0", "4M @/p1");
        try (PoolFiles files = create(PoolSource.of(set))) {
            assertThat(files.memory().size()).isEqualTo(8 << 20);
            files.memory().putLong(4 << 20, -1);
            files.memory().persist(4 << 20, 8);
        }

        assertThat(Files.readAllBytes(directory.resolve("p1"))[0]).isEqualTo((byte) -1);
        PoolFiles.open(PoolSource.of(set)).close();
    }

    @Test
    void everyLocalReplicaHasWhatWasPersistedAndNothingElse() throws IOException {
        Path set = poolSet("", "8M @/m", "REPLICA", "4M @/r0", "5M @/r1", "REPLICA", "12M @/s");
        Random random = new Random(11);
        PoolFiles files = create(PoolSource.of(set));
        PoolMemory memory = files.memory();
        assertThat(memory.size()).as("the smallest replica").isEqualTo(8 << 20);
        for (int i = 0; i < 500; i++) {
            long offset = Descriptor.END + random.nextInt(8_000_000);
            int length = 1 + random.nextInt(20_000);
            for (int k = 0; k < length; k += 7) {
                memory.putByte(offset + k, (byte) random.nextInt());
            }
            memory.flush(offset, length);
            if (i % 9 == 0) {
                memory.fence();
            }
        }
        memory.fence();
        byte[] master = Files.readAllBytes(directory.resolve("m"));

        files.close();

        assertThat(imageOf("r0", "r1").mismatch(image(master))).isEqualTo(-1);
        assertThat(imageOf("s").mismatch(image(master))).isEqualTo(-1);
    }

    /** The image as far as all replicas hold it, from behind the volatile scratch on. */
    private MemorySegment imageOf(String first, String... others) throws IOException {
        byte[] image = new byte[20 << 20];
        byte[] part = Files.readAllBytes(directory.resolve(first));
        System.arraycopy(part, 0, image, 0, part.length);
        int at = part.length;
        for (String other : others) {
            part = Files.readAllBytes(directory.resolve(other));
            System.arraycopy(part, 4096, image, at, part.length - 4096);
            at += part.length - 4096;
        }
        return image(image);
    }

    private static MemorySegment image(byte[] bytes) {
        byte[] compared = new byte[(int) POOL_SIZE - (int) Descriptor.END];
        System.arraycopy(bytes, (int) Descriptor.END, compared, 0, compared.length);
        return MemorySegment.ofArray(compared);
    }

    @Test
    void aFullDiskIsAnErrorAndLeavesNoFile() throws IOException {
        Path set = poolSet("", "8M @/small", "1P @/large");

        FarheapException e = failure(() -> create(PoolSource.of(set)));

        assertThat(e.category()).isEqualTo(Category.ENVIRONMENT);
        assertThat(e).hasMessageContaining("cannot reserve").hasMessageContaining("large");
        assertThat(filesIn(directory)).containsExactly("pool.set");
    }

    @Test
    void aFailingContentWriterLeavesNoFileAndEmptyFilesEmpty() throws IOException {
        Path set = poolSet("", "8M @/existing", "8M @/new");
        Files.write(directory.resolve("existing"), new byte[8 << 20]);

        assertThatThrownBy(
                        () ->
                                PoolFiles.create(
                                        PoolSource.of(set),
                                        OPTIONS,
                                        memory -> {
                                            throw new FarheapException(Category.ENVIRONMENT, "no");
                                        }))
                .hasMessage("no");

        assertThat(filesIn(directory)).containsExactly("existing", "pool.set");
        byte[] header = new byte[4096];
        assertThat(Files.readAllBytes(directory.resolve("existing"))).startsWith(header);
        create(PoolSource.of(set)).close();
    }

    @Test
    void anExistingFileIsNotTouched() throws IOException {
        Path pool = Files.writeString(directory.resolve("pool"), "my thesis");

        FarheapException e = failure(() -> create(PoolSource.newFile(pool, POOL_SIZE)));

        assertThat(e).hasMessageContaining("file " + pool + " already exists");
        assertThat(pool).hasContent("my thesis");
    }

    @Test
    void aPartThatHoldsSomethingIsNotTouchedAndTheOthersAreRemoved() throws IOException {
        Path set = poolSet("", "8M @/p0", "8M @/p1");
        byte[] content = new byte[8 << 20];
        content[100] = 1;
        Files.write(directory.resolve("p1"), content);

        FarheapException e = failure(() -> create(PoolSource.of(set)));

        assertThat(e).hasMessageContaining("Non-empty file detected").hasMessageContaining("p1");
        assertThat(filesIn(directory)).containsExactly("p1", "pool.set");
        assertThat(Files.readAllBytes(directory.resolve("p1"))).isEqualTo(content);
    }

    @Test
    void anExistingEmptyFileGivesItsSize() throws IOException {
        Path pool = Files.write(directory.resolve("pool"), new byte[9 << 20]);

        try (PoolFiles files = create(PoolSource.of(pool))) {
            assertThat(files.memory().size()).isEqualTo(9 << 20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"size 0", "size 8388607", "8M @/p0\n1M @/p1", "3M @/p0\n3M @/p1"})
    void whatIsTooSmallIsRefusedBeforeAnyFileIsMade(String what) throws IOException {
        PoolSource source =
                what.startsWith("size")
                        ? PoolSource.newFile(
                                directory.resolve("pool"), Long.parseLong(what.substring(5)))
                        : PoolSource.of(poolSet("", what.split("\n")));

        assertThatThrownBy(() -> create(source)).isInstanceOf(FarheapException.class);

        assertThat(filesIn(directory)).doesNotContain("pool", "p0", "p1");
    }

    @Test
    void tooLongALayoutNameIsRefusedBeforeAnyFileIsMade() {
        Path pool = directory.resolve("pool");

        FarheapException e =
                failure(
                        () ->
                                PoolFiles.create(
                                        PoolSource.newFile(pool, POOL_SIZE),
                                        CreateOptions.withLayout("é".repeat(512)),
                                        memory -> {}));

        assertThat(e).hasMessageContaining("1024 bytes").hasMessageContaining("1023");
        assertThat(pool).doesNotExist();
    }

    @Test
    void headersLinkPartsAndReplicasInCircles() throws IOException {
        Path set = poolSet("", "8M @/p0", "8M @/p1", "8M @/p2", "REPLICA", "16M @/r0");
        create(PoolSource.of(set)).close();

        PoolHeader[] parts = {header("p0"), header("p1"), header("p2")};
        PoolHeader replica = header("r0");
        for (int i = 0; i < 3; i++) {
            PoolHeader.Links links = parts[i].links();
            assertThat(links.nextPart()).isEqualTo(parts[(i + 1) % 3].uuid());
            assertThat(links.previousPart()).isEqualTo(parts[(i + 2) % 3].uuid());
            assertThat(links.nextReplica()).isEqualTo(replica.uuid());
            assertThat(links.previousReplica()).isEqualTo(replica.uuid());
            assertThat(parts[i].poolsetUuid()).isEqualTo(replica.poolsetUuid());
        }
        assertThat(replica.links().nextReplica()).isEqualTo(parts[0].uuid());
        assertThat(replica.links().nextPart()).isEqualTo(replica.uuid());
    }

    private PoolHeader header(String part) throws IOException {
        byte[] start = new byte[4096];
        System.arraycopy(Files.readAllBytes(directory.resolve(part)), 0, start, 0, start.length);
        return new PoolHeader(MemorySegment.ofArray(start));
    }

    private PoolFiles create(PoolSource source) {
        return PoolFiles.create(source, OPTIONS, memory -> {});
    }

    private Path poolSet(String option, String... lines) throws IOException {
        String text = "PMEMPOOLSET\n" + option + "\n" + String.join("\n", lines) + "\n";
        return Files.writeString(
                directory.resolve("pool.set"), text.replace("@/", directory + "/"));
    }

    private static String mode(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long allocatedBytes(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return 512 * Long.parseLong(new String(stat.getInputStream().readAllBytes()).trim());
    }

    private static List<String> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static FarheapException failure(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        FarheapException e = catchThrowableOfType(FarheapException.class, call);
        assertThat(e).as("an error").isNotNull();
        return e;
    }
}
