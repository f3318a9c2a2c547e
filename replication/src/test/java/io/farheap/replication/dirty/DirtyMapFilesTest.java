package io.farheap.replication.dirty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
    void aMapThatRootMakesIsThePoolOwners() throws Exception {
        assumeTrue(Ownership.ofThisProcess().user() == 0, "only root can give files away");
        Path part = Files.write(dir.resolve("part"), new byte[1]);
        Files.setAttribute(part, "unix:uid", USER);
        Files.setAttribute(part, "unix:gid", GROUP);
        RemoteReplica replica =
                PoolSetParser.parse("set", "PMEMPOOLSET\n8M /none\nREPLICA far copy.set\n")
                        .remoteReplicas()
                        .get(0);

        try (DirtyMapFiles maps = new DirtyMapFiles(part, new byte[16], () -> IMAGE)) {
            DirtyMap made = maps.create(replica, Bases.of(2), 4, false);

            assertThat(made).isNotNull();
            assertThat(Ownership.of(maps.path(replica)))
                    .isEqualTo(new Ownership(USER, GROUP, 0600));
        }
    }
}
