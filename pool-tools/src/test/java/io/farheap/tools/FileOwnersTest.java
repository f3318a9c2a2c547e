package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import io.farheap.pool.Ownership;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What root repairs stays the property of the program that uses it. */
class FileOwnersTest {
    private static final int USER = 12_345;
    private static final int GROUP = 54_321;
    private static final int MODE = 0640;

    @TempDir private Path dir;

    @BeforeEach
    void onlyRootMayGiveFilesAway() {
        assumeTrue(Ownership.ofThisProcess().user() == 0, "only root can give files away");
    }

    private Path set(String name, String lines) throws IOException {
        return new PoolSets(dir).write(name, lines);
    }

    /** A pool of two replicas, that of another user. */
    private Path pool() throws IOException {
        Path set = set("pool.set", "8M @a0\n8M @a1\nREPLICA\n8M @b0\n8M @b1\n");
        ObjectPool.create(set, "bank").close();
        for (String part : List.of("a0", "a1", "b0", "b1")) {
            give(part);
        }
        return set;
    }

    private void give(String name) throws IOException {
        Path file = dir.resolve(name);
        Files.setAttribute(file, "unix:uid", USER);
        Files.setAttribute(file, "unix:gid", GROUP);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    }

    private void assertOwned(String... names) {
        for (String name : names) {
            assertThat(Ownership.of(dir.resolve(name)))
                    .as(name)
                    .isEqualTo(new Ownership(USER, GROUP, MODE));
        }
    }

    @Test
    void syncOfAReplicaGivesItTheOwnerOfTheOther() throws IOException {
        Path set = pool();
        Files.delete(dir.resolve("b0"));
        Files.delete(dir.resolve("b1"));

        Run.farheap("sync", set).succeeded();

        assertOwned("a0", "a1", "b0", "b1");
    }

    @Test
    void syncOfAPartGivesItTheOwnerOfTheOthers() throws IOException {
        Path set = pool();
        Files.delete(dir.resolve("a1"));

        Run.farheap("sync", set).succeeded();

        assertOwned("a0", "a1", "b0", "b1");
    }

    @Test
    void transformGivesNewReplicasTheOwnerOfTheirSource() throws IOException {
        Path set = pool();
        Path other =
                set("other.set", "8M @a0\n8M @a1\nREPLICA\n8M @b0\n8M @b1\nREPLICA\n20M @c0\n");

        Run.farheap("transform", set, other).succeeded();

        assertOwned("a0", "a1", "b0", "b1", "c0");
    }

    @Test
    void aBackupIsOwnedAsThePoolIs() throws IOException {
        Path pool = dir.resolve("plain.pool");
        ObjectPool.at(pool).layout("bank").size(8 << 20).create().close();
        give("plain.pool");
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            file.seek(Descriptor.DEFAULT_HEAP_OFFSET);
            file.write(new byte[16]);
        }

        Run run = Run.farheap("check", "-r", "-y", "-b", dir.resolve("backup"), pool);

        assertThat(run.exitCode()).isZero();

        assertOwned("plain.pool", "backup");
    }
}
