package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolHeader.Links;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a copy of a pool that lives on another machine. */
class TargetFilesTest {
    private static final long SIZE = 8 << 20;

    @TempDir Path directory;

    private PoolFiles original;

    @BeforeEach
    void makeOriginal() {
        Path pool = directory.resolve("original");
        original =
                PoolFiles.create(
                        PoolSource.newFile(pool, SIZE),
                        CreateOptions.withLayout("bank"),
                        memory -> {});
        original.close();
        original = PoolFiles.openPrivate(PoolSource.of(pool), null);
    }

    @Test
    void isOfTheSamePoolAndHasUuidsOfItsOwn() throws IOException {
        PoolSet set = set("", "5M @/p0", "5M @/p1");

        try (PoolFiles replica =
                TargetFiles.createReplica(set, original.headerTemplate(), SIZE, 0600)) {
            assertThat(replica.poolsetUuid()).isEqualTo(original.poolsetUuid());
            assertThat(
                            replica.memory()
                                    .image()
                                    .asSlice(4096, 1000)
                                    .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                    .containsOnly(0);
        }

        PoolHeader first = header("p0");
        PoolHeader second = header("p1");
        assertThat(first.uuid()).isNotEqualTo(second.uuid()).isNotEqualTo(PoolUuid.ZERO);
        assertThat(first.links().nextPart()).isEqualTo(second.uuid());
        assertThat(second.links().nextReplica()).isEqualTo(first.uuid());
        assertThat(first.features())
                .isEqualTo(new PoolHeader(original.headerTemplate()).features());
    }

    @Test
    void keepsWhatIsWrittenAndOpensAsThePoolOnceItIsComplete() throws IOException {
        PoolSet set = set("", "5M @/p0", "5M @/p1");
        Path file = directory.resolve("pool.set");
        TargetFiles.createReplica(set, original.headerTemplate(), SIZE, 0600).close();

        assertThat(refusal(() -> PoolFiles.open(PoolSource.of(file))))
                .as("not complete")
                .hasMessageContaining("p0: lanes or heap lie outside the pool");

        try (PoolFiles replica = TargetFiles.openReplica(set)) {
            replica.memory().copyIn(4096, original.memory().image(), 4096, SIZE - 4096);
            replica.memory().persist(4096, SIZE - 4096);
        }
        try (PoolFiles replica = PoolFiles.open(PoolSource.of(file), "bank", ContentCheck.NONE)) {
            assertThat(replica.poolId()).isEqualTo(original.poolId());
        }
    }

    @Test
    void neighboursThatAreElsewhereAreNotAskedFor() throws IOException {
        PoolSet set = set("", "5M @/p0", "5M @/p1");
        TargetFiles.createReplica(set, original.headerTemplate(), SIZE, 0600).close();
        PoolUuid elsewhere = PoolUuid.random();
        link("p0", elsewhere);
        link("p1", elsewhere);

        TargetFiles.openReplica(set).close();

        link("p1", PoolUuid.random());
        assertThat(refusal(() -> TargetFiles.openReplica(set)))
                .hasMessageContaining("p1: wrong previous replica UUID in part 1");
    }

    @Test
    void whatDoesNotFitIsRefusedAndNoFileIsMade() throws IOException {
        MemorySegment template = original.headerTemplate();
        PoolSet set = set("", "5M @/p0", "5M @/p1");

        assertThat(refusal(() -> TargetFiles.createReplica(set, template, 20 << 20, 0600)))
                .hasMessageContaining("has room for 10481664 bytes, the pool has 20971520");
        PoolSet single = set("OPTION SINGLEHDR", "5M @/p0", "5M @/p1");
        assertThat(refusal(() -> TargetFiles.createReplica(single, template, SIZE, 0600)))
                .hasMessageContaining("incompat feature flags and remote poolset options");
        PoolSet bare = set("OPTION NOHDRS", "5M @/p0", "5M @/p1");
        assertThat(refusal(() -> TargetFiles.createReplica(bare, template, SIZE, 0600)))
                .hasMessageContaining("incompat feature flags and remote poolset options");
        template.asSlice(24, 16).fill((byte) 1);
        assertThat(refusal(() -> TargetFiles.createReplica(set, template, SIZE, 0600)))
                .hasMessageContaining("invalid checksum of pool header");

        assertThat(filesIn()).containsExactly("original", "pool.set");
    }

    @Test
    void anExistingPoolIsNotOverwritten() throws IOException {
        PoolSet set = set("", "5M @/p0", "5M @/p1");
        TargetFiles.createReplica(set, original.headerTemplate(), SIZE, 0600).close();
        byte[] before = Files.readAllBytes(directory.resolve("p0"));

        assertThat(
                        refusal(
                                () ->
                                        TargetFiles.createReplica(
                                                set, original.headerTemplate(), SIZE, 0600)))
                .hasMessageContaining("Non-empty file detected");

        assertThat(Files.readAllBytes(directory.resolve("p0"))).isEqualTo(before);
    }

    private void link(String part, PoolUuid replica) throws IOException {
        Path path = directory.resolve(part);
        byte[] bytes = Files.readAllBytes(path);
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(bytes).asSlice(0, 4096));
        Links links = header.links();
        header.link(new Links(links.previousPart(), links.nextPart(), replica, replica));
        Files.write(path, bytes);
    }

    private PoolHeader header(String part) throws IOException {
        byte[] bytes = Files.readAllBytes(directory.resolve(part));
        return new PoolHeader(MemorySegment.ofArray(Arrays.copyOf(bytes, 4096)));
    }

    private PoolSet set(String option, String... lines) throws IOException {
        String text = "PMEMPOOLSET\n" + option + "\n" + String.join("\n", lines) + "\n";
        Path file = directory.resolve("pool.set");
        Files.writeString(file, text.replace("@/", directory + "/"));
        return io.farheap.poolset.PoolSetParser.parse(file);
    }

    private java.util.List<String> filesIn() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".portable-lock"))
                    .sorted()
                    .toList();
        }
    }

    private static FarheapException refusal(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        FarheapException e = catchThrowableOfType(FarheapException.class, call);
        assertThat(e).as("a refusal").isNotNull();
        return e;
    }
}
