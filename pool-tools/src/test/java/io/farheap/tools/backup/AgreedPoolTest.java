package io.farheap.tools.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.LongWork;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is overwritten is what somebody was shown and agreed to. */
class AgreedPoolTest {
    @TempDir private Path dir;

    @Test
    void commitsThatCameAfterTheQuestionAreNotOverwritten() throws Exception {
        Path pool = dir.resolve("bank.pool");
        Path file = dir.resolve("bank.farheap-backup");
        ObjectPool.at(pool).layout("bank").size(16 << 20).create().close();
        LongWork work = LongWork.untold();
        BackupRun.of(PoolSource.of(pool), file, null, false, work, said -> {})
                .run(work, said -> {});
        PoolInspection agreed = PoolInspection.of(PoolSource.of(pool).existing());
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            Ref root = opened.root(64);
            opened.transaction(tx -> tx.setLong(root, 0, 7));
        }
        byte[] newer = Files.readAllBytes(pool);

        try (BackupChain chain = BackupChain.open(file)) {
            assertThatThrownBy(() -> new PoolFromBackup(agreed, chain, work).run())
                    .hasMessageContaining(pool + " was written, removed or replaced since")
                    .hasMessageContaining("nothing was changed");
        }

        assertThat(Files.readAllBytes(pool)).isEqualTo(newer);
        try (var left = Files.list(dir)) {
            assertThat(left).containsExactlyInAnyOrder(pool, file);
        }
    }
}
