package io.farheap.tools.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.LongWork;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of two backups the one that has the newer commits is the one that began later. */
class BackupStartTest {
    @TempDir private Path dir;

    @Test
    void itBeginsWhenItsImageIsTakenNotWhenItsBaseIsRead() throws Exception {
        Path pool = dir.resolve("bank.pool");
        Path file = dir.resolve("bank.farheap-backup");
        ObjectPool.at(pool).layout("bank").size(16 << 20).create().close();
        LongWork work = LongWork.untold();
        BackupRun slow = BackupRun.of(PoolSource.of(pool), file, null, false, work, said -> {});
        long other = Instant.now().toEpochMilli() + 1;
        await().until(() -> Instant.now().toEpochMilli() > other);

        BackupResult made = slow.run(work, said -> {});

        try (BackupFile backup = BackupFile.open(Path.of(made.file()))) {
            assertThat(backup.header().startedMillis()).isGreaterThan(other);
        }
    }
}
