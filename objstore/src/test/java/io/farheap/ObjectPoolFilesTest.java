package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectPoolFilesTest {
    private static final long SIZE = 8 << 20;

    @TempDir Path dir;

    private Path poolSet(String... lines) throws IOException {
        Path set = dir.resolve("bank.set");
        return Files.writeString(set, "PMEMPOOLSET\n" + String.join("\n", lines) + "\n");
    }

    private String part(String name, String size) {
        return size + " " + dir.resolve(name);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aPoolInOneFile() {
        Path file = dir.resolve("bank.pool");
        try (ObjectPool pool = ObjectPool.at(file).layout("bank").size(SIZE).create()) {
            pool.setLong(pool.root(64), 0, 42);
            assertThat(pool.layout()).isEqualTo("bank");
        }
        try (ObjectPool pool = ObjectPool.open(file, "bank")) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
            assertThat(pool.persistenceDomain()).isNotNull();
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("bank").size(SIZE).openOrCreate()) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
    }

    @Test
    void aPoolOfSeveralPartsAndALocalReplica() throws IOException {
        Path set =
                poolSet(
                        part("a0", "8M"),
                        part("a1", "8M"),
                        "REPLICA",
                        part("b0", "9M"),
                        part("b1", "9M"));
        try (ObjectPool pool = ObjectPool.openOrCreate(set, "bank")) {
            pool.transaction(
                    tx -> {
                        Ref large = tx.allocateZeroed(9 << 20, 1);
                        tx.setLong(large, (9 << 20) - 8, 7);
                        tx.setRef(pool.root(64), 0, large);
                    });
        }
        try (ObjectPool pool = ObjectPool.openOrCreate(set, "bank")) {
            Ref large = pool.getRef(pool.root(), 0);
            assertThat(pool.getLong(large, (9 << 20) - 8)).isEqualTo(7);
        }
        Path replicaAlone =
                Files.writeString(
                        dir.resolve("replica.set"),
                        "PMEMPOOLSET\n" + part("b0", "9M") + "\n" + part("b1", "9M") + "\n");
        Throwable thrown = catchThrowable(() -> ObjectPool.open(replicaAlone, "bank"));
        assertThat(thrown)
                .as("a replica is no pool of its own: its headers name the master")
                .isInstanceOf(FarheapException.class);
    }

    @Test
    void itsIdIsTheSameInEveryRun() {
        Path file = dir.resolve("bank.pool");
        long id;
        Ref root;
        try (ObjectPool pool = ObjectPool.at(file).layout("bank").size(SIZE).create()) {
            id = pool.poolId();
            root = pool.root(64);
        }
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            assertThat(pool.poolId()).isEqualTo(id);
            assertThat(pool.root()).isEqualTo(root);
        }
    }

    @Test
    void aPoolInUseIsRefusedAndTheHolderNamed() {
        Path file = dir.resolve("bank.pool");
        try (ObjectPool pool = ObjectPool.at(file).layout("bank").size(SIZE).create()) {
            Throwable thrown = catchThrowable(() -> ObjectPool.open(file, "bank"));
            assertThat(thrown).isInstanceOf(FarheapException.class);
            assertThat(((FarheapException) thrown).category()).isEqualTo(Category.ENVIRONMENT);
            assertThat(thrown).hasMessageContaining(file.toString());
            assertThat(pool.root()).isEqualTo(Ref.NULL);
        }
    }

    @Test
    void anotherLayoutIsRefused() {
        Path file = dir.resolve("bank.pool");
        ObjectPool.at(file).layout("bank").size(SIZE).create().close();

        assertThatThrownBy(() -> ObjectPool.open(file, "shop"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("shop")
                .hasMessageContaining("bank");
    }

    @Test
    void whatIsNoPoolIsRefusedAndUnchanged() throws IOException {
        Path file = dir.resolve("text");
        byte[] content = new byte[(int) SIZE];
        content[100] = 1;
        Files.write(file, content);

        assertThatThrownBy(() -> ObjectPool.open(file, null)).isInstanceOf(FarheapException.class);
        assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }

    @Test
    void aFailedCreationLeavesNothingBehind() throws IOException {
        Path set = poolSet(part("a0", "8M"), "REPLICA", "/nowhere/at/all 8M");
        List<String> before = files();

        assertThatThrownBy(() -> ObjectPool.create(set, "bank"))
                .isInstanceOf(FarheapException.class);
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aRemoteReplicaWithoutTheReplicationModuleNamesTheArtifact() throws IOException {
        Path set = poolSet(part("a0", "8M"), "REPLICA somebody@somewhere bank.set");
        List<String> before = files();

        assertThatThrownBy(() -> ObjectPool.create(set, "bank"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("io.farheap:replication")
                .hasMessageContaining("somewhere");
        assertThat(files()).as("nothing is left behind").isEqualTo(before);
    }

    @Test
    void aLeakedPoolLosesNothing() {
        Path file = dir.resolve("bank.pool");
        ObjectPool leaked = ObjectPool.at(file).layout("bank").size(SIZE).create();
        leaked.setLong(leaked.root(64), 0, 42);

        assertThatThrownBy(() -> ObjectPool.open(file, "bank"))
                .isInstanceOf(FarheapException.class);
        assertThat(leaked.getLong(leaked.root(), 0)).isEqualTo(42);
        leaked.close();
    }
}
