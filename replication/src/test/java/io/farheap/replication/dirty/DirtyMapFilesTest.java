package io.farheap.replication.dirty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.base.FarheapException;
import io.farheap.pool.Ownership;
import io.farheap.poolset.PoolSetParser;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirtyMapFilesTest {
    private static final int USER = 12_345;
    private static final int GROUP = 54_321;
    private static final long IMAGE = 8 << 20;

    @TempDir private Path dir;

    @Test
    void aMapOfAnotherReleaseIsNamedAndStaysAsItIs() throws Exception {
        Path part = Files.write(dir.resolve("part"), new byte[1]);
        RemoteReplica replica = farReplica();
        try (DirtyMapFiles maps = new DirtyMapFiles(part, new byte[16], () -> IMAGE)) {
            DirtyMap made = maps.create(replica, Bases.of(2), 4, false);
            assertThat(made).isNotNull();
            assertThat(maps.find(replica, 4)).isNotNull();
            Path file = maps.path(replica);
            byte[] bytes = Files.readAllBytes(file);
            bytes[4096 + 7] = '6';
            Files.write(file, bytes);

            assertThatThrownBy(() -> maps.find(replica, 4))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining(file + " is of another release of Farheap")
                    .hasMessageContaining("what far copy.set lacks")
                    .hasMessageContaining("farheap sync --overwrite");
            assertThat(file).hasBinaryContent(bytes);
        }
    }

    private static RemoteReplica farReplica() {
        return PoolSetParser.parse("set", "PMEMPOOLSET\n8M /none\nREPLICA far copy.set\n")
                .remoteReplicas()
                .get(0);
    }

    @Test
    void aMapThatRootMakesIsThePoolOwners() throws Exception {
        assumeTrue(Ownership.ofThisProcess().user() == 0, "only root can give files away");
        Path part = Files.write(dir.resolve("part"), new byte[1]);
        Files.setAttribute(part, "unix:uid", USER);
        Files.setAttribute(part, "unix:gid", GROUP);
        RemoteReplica replica = farReplica();

        try (DirtyMapFiles maps = new DirtyMapFiles(part, new byte[16], () -> IMAGE)) {
            DirtyMap made = maps.create(replica, Bases.of(2), 4, false);

            assertThat(made).isNotNull();
            assertThat(Ownership.of(maps.path(replica)))
                    .isEqualTo(new Ownership(USER, GROUP, 0600));
        }
    }
}
