package io.farheap.it.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.it.support.SmallDisk;
import io.farheap.it.support.SystemFaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups of a pool with a replica, and what the system or the place refuses them. */
@Tag("deep")
@Timeout(300)
class BackupFailuresTest {
    private static final int WRONG_USE = 2;
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;
    private static final int NOISE = 11 << 20;
    private static final int MOST_CALLS = 200;

    private final Site site = Site.make();
    private SmallDisk disk;

    @AfterEach
    void close() {
        if (disk != null) {
            disk.close();
        }
        site.close();
    }

    private Path noise() {
        Path pool = site.here("noise.pool");
        byte[] bytes = new byte[NOISE];
        new Random(1).nextBytes(bytes);
        try (ObjectPool made = ObjectPool.at(pool).layout("noise").size(24 << 20).create()) {
            Ref root = made.root(64);
            made.transaction(
                    tx -> {
                        Ref object = tx.allocate(NOISE, 1);
                        tx.writeBytes(object, 0, bytes);
                        tx.setRef(root, 0, object);
                    });
        }
        return pool;
    }

    private List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aRestoredPoolIsAnotherHistoryToItsReplica() throws IOException {
        String set = site.set().toString();
        String file = site.here("all.farheap-backup").toString();
        site.farheap("create", set).succeeded();
        site.farheap("backup", set, file).succeeded();

        Site.Run restored = site.farheap("restore", "-f", "--yes", file, set);

        restored.succeeded();
        assertThat(restored.out()).contains("its remote replicas hold another history");
        assertThat(site.farheap("status", set).out()).contains("not comparable");
        site.farheap("sync", set).failedWith(REPLICA, "--overwrite", "--from");
        Site.Run over = site.farheap("sync", "--yes", "--overwrite", "there copy.set", set);
        assertThat(over.out() + over.err()).contains("--discard=").contains("there copy.set");
    }

    @Test
    void aReplicaIsNotBackedUpWhereItIs() throws IOException {
        site.farheap("create", site.set().toString()).succeeded();
        String copy = site.there("copy.set").toString();

        site.farheap("backup", copy, site.here("f").toString())
                .failedWith(WRONG_USE, "is a replica of a pool on another machine");

        assertThat(site.here("f")).doesNotExist();
    }

    @Test
    void aFullDiskLeavesNoBackup() throws Exception {
        SmallDisk.require();
        Path pool = noise();
        disk = SmallDisk.mount(site.machines().here(), 9);

        site.within(disk.entering(), "backup", pool.toString(), site.here("small").toString())
                .failedWith(ENVIRONMENT, "No space left on device");

        assertThat(disk.names()).isEmpty();
    }

    @Test
    void aFullDiskLeavesNoPool() throws Exception {
        SmallDisk.require();
        String file = site.here("noise.farheap-backup").toString();
        site.farheap("backup", noise().toString(), file).succeeded();
        disk = SmallDisk.mount(site.machines().here(), 9);

        site.within(disk.entering(), "restore", file, site.here("small/new").toString())
                .failedWith(ENVIRONMENT, "No space left on device");

        assertThat(disk.names()).isEmpty();
    }

    /** Each call of a kind fails once: nothing lies under the final name, nor beside it. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"pwrite64", "fsync", "rename"})
    void aCallThatFailsLeavesNoBackup(String call) throws IOException {
        Path kept = Files.createDirectory(site.here("kept"));
        Path pool = noise();
        int failed = eachFailing(call, "backup", kept, pool.toString(), kept.toString());

        assertThat(failed).isPositive();
        site.farheap("backup", "--verify", kept.toString()).succeeded();
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"fallocate", "fsync", "rename"})
    void norAPool(String call) throws IOException {
        Path made = Files.createDirectory(site.here("made"));
        Path file = site.here("noise.farheap-backup");
        site.farheap("backup", noise().toString(), file.toString()).succeeded();

        int failed =
                eachFailing(call, "restore", made, file.toString(), made.resolve("new").toString());

        assertThat(failed).isPositive();
        site.farheap("check", made.resolve("new").toString()).succeeded();
    }

    /** How many runs failed before one in which there was no such call any more. */
    private int eachFailing(String call, String command, Path directory, String... words)
            throws IOException {
        Assumptions.assumeTrue(SystemFaults.canFailWrites());
        for (int nth = 1; nth < MOST_CALLS; nth++) {
            String[] strace = {
                "strace",
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                "trace=" + call,
                "-e",
                "inject=" + call + ":error=EIO:when=" + nth
            };
            Site.Run run = site.within(strace, all(command, words));
            if (run.exitCode() == 0) {
                return nth - 1;
            }
            run.failedWith(ENVIRONMENT, "Input/output error");
            boolean named = call.equals("fsync") && !names(directory).isEmpty();
            if (named) {
                // It has its name, and only the directory's entry may be lost with the power.
                assertThat(names(directory))
                        .hasSize(1)
                        .noneMatch(name -> name.contains("farheap-unf"));
                Files.delete(directory.resolve(names(directory).get(0)));
            }
            assertThat(names(directory)).as("%s %s", call, nth).isEmpty();
        }
        throw new AssertionError("no end of " + call);
    }

    private static String[] all(String first, String... words) {
        return Stream.concat(Stream.of(first), Stream.of(words)).toArray(String[]::new);
    }
}
