package io.farheap.tools.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** No backup is called complete that can't be restored, because another one removed its base. */
@Timeout(120)
class LostBaseTest {
    private static final int DONE = 0;
    private static final int BAD_DATA = 1;

    @TempDir private Path dir;
    private final LongWork work = LongWork.untold();
    private Path pool;
    private Path copy;
    private Path kept;
    private Path full;

    /** Another machine's, say, that has the same pool's backups in its care. */
    @BeforeEach
    void aPoolAndItsBackup() throws Exception {
        pool = dir.resolve("bank.pool");
        kept = Files.createDirectory(dir.resolve("kept"));
        ObjectPool.at(pool).layout("bank").size(16 << 20).create().close();
        copy = Files.copy(pool, dir.resolve("copy.pool"));
        full = Path.of(run(false).run(work, said -> {}).file());
    }

    private BackupRun run(boolean incremental) {
        return BackupRun.of(PoolSource.of(pool), kept, null, incremental, work, said -> {});
    }

    private static int backup(StringWriter out, Object... words) {
        String[] args = Stream.of(words).map(Object::toString).toArray(String[]::new);
        return new CommandLine(new BackupCommand()).setOut(new PrintWriter(out)).execute(args);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(kept)) {
            return all.toList();
        }
    }

    private void assertNoBackup(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                .hasMessageContaining(full + ", on which this backup builds, was removed")
                .hasMessageContaining("no backup was made")
                .hasMessageContaining("farheap backup " + pool + " " + kept);
    }

    @Test
    void whoseBaseAnothersKeepRemovesIsNoBackup() throws Exception {
        StringWriter said = new StringWriter();
        BackupRun slow = run(true);

        assertThatThrownBy(
                        () ->
                                slow.run(
                                        work,
                                        step -> {
                                            if (step.startsWith("now: writing")) {
                                                int other = backup(said, "--keep=1", copy, kept);
                                                assertThat(other).as(said.toString()).isZero();
                                            }
                                        }))
                .satisfies(this::assertNoBackup);

        assertThat(said.toString()).contains("removed " + full);
        assertThat(files()).as("the other's").hasSize(1).doesNotContain(full);
    }

    @Test
    void whoseBaseAnotherFileReplacesIsNoBackup() throws Exception {
        BackupRun slow = run(true);
        Path another = Path.of(run(false).run(work, said -> {}).file());

        assertThatThrownBy(
                        () ->
                                slow.run(
                                        work,
                                        step -> {
                                            if (step.startsWith("now: writing")) {
                                                assertThat(another.toFile().renameTo(full.toFile()))
                                                        .isTrue();
                                            }
                                        }))
                .satisfies(this::assertNoBackup)
                .hasMessageContaining("another backup has its name");

        assertThat(files()).containsExactly(full);
    }

    /** What is removed under the lock is missed; what is looked at under it stays. */
    @Test
    void whatABackupBuildsOnIsLookedAtUnderTheLockOfWhoRemoves() throws Exception {
        BackupRun slow = run(true);
        FutureTask<BackupResult> made = new FutureTask<>(() -> slow.run(work, said -> {}));
        Thread thread = Thread.ofPlatform().daemon().unstarted(made);
        try (BackupsLock removing = BackupsLock.take(kept)) {
            thread.start();
            await().until(
                            () ->
                                    made.isDone()
                                            || slow.place().unfinished().toFile().length() > 0
                                                    && thread.getState()
                                                            == Thread.State.TIMED_WAITING);
            assertThat(slow.place().file()).doesNotExist();
            Files.delete(full);
        }

        assertThatThrownBy(made::get).cause().satisfies(this::assertNoBackup);
        assertThat(files()).isEmpty();
    }

    @Test
    void whatOneThatIsUnderWayBuildsOnIsNotRemoved() throws Exception {
        Path increment = Path.of(run(true).run(work, said -> {}).file());
        Path unfinished = increment.resolveSibling(increment.getFileName() + ".farheap-unfinished");
        Files.move(increment, unfinished);
        StringWriter said = new StringWriter();

        try (NativeFile underWay = NativeFile.open(unfinished)) {
            underWay.lock();
            assertThat(backup(said, "--keep=1", copy, kept)).isEqualTo(DONE);
        }

        assertThat(said.toString()).doesNotContain("removed");
        Files.move(unfinished, increment);
        try (BackupChain whole = BackupChain.open(increment)) {
            assertThat(whole.files()).hasSize(2);
        }
        Files.delete(increment);
        assertThat(backup(said, "--keep=1", copy, kept)).isEqualTo(DONE);
        assertThat(full).as("nobody needs it now").doesNotExist();
    }

    @Test
    void nothingIsRemovedWhileAnotherOnePutsABackupInPlace() throws Exception {
        StringWriter said = new StringWriter();
        FutureTask<Integer> other = new FutureTask<>(() -> backup(said, "--keep=1", copy, kept));
        Thread thread = Thread.ofPlatform().daemon().unstarted(other);
        Path away = dir.resolve("away");
        Path increment = Path.of(run(true).run(work, step -> {}).file());
        Files.move(increment, away);
        try (BackupsLock puttingInPlace = BackupsLock.take(kept)) {
            thread.start();
            await().until(
                            () ->
                                    other.isDone()
                                            || said.toString().contains("complete")
                                                    && thread.getState()
                                                            == Thread.State.TIMED_WAITING);
            assertThat(full).exists();
            Files.move(away, increment);
        }

        assertThat(other.get()).as(said.toString()).isEqualTo(DONE);
        assertThat(said.toString()).contains("removed " + increment, "removed " + full);
    }

    @Test
    void aLockThatNobodyHasIsInNobodysWay() throws Exception {
        Path lock = Files.createFile(kept.resolve(BackupsLock.NAME));
        try (BackupsLock first = BackupsLock.take(kept)) {
            assertThatThrownBy(() -> BackupsLock.take(kept, Duration.ZERO))
                    .hasMessageContaining(lock + " has been locked")
                    .hasMessageContaining("another backup to that directory");
        }
        assertThat(lock).doesNotExist();
        BackupsLock.take(kept, Duration.ZERO).close();
        assertThat(files()).containsExactly(full);
    }

    @Test
    void theLockIsForAllUsers() throws Exception {
        Path lock = kept.resolve(BackupsLock.NAME);
        try (BackupsLock first = BackupsLock.take(kept)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)))
                    .isEqualTo("rw-rw-rw-");
        }
        Path link = Files.createSymbolicLink(lock, dir.resolve("nowhere"));

        assertThatThrownBy(() -> BackupsLock.take(kept, Duration.ZERO))
                .hasMessageContaining(link.toString())
                .hasMessageContaining("remove that file if no backup to that directory is running");
    }

    @Test
    void aLockThatCannotBeOpenedYetIsWaitedFor() throws Exception {
        Path link = Files.createSymbolicLink(kept.resolve(BackupsLock.NAME), dir.resolve("none"));
        FutureTask<Void> taken =
                new FutureTask<>(
                        () -> {
                            BackupsLock.take(kept).close();
                            return null;
                        });
        Thread thread = Thread.ofPlatform().daemon().unstarted(taken);
        thread.start();
        await().until(() -> taken.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        Files.delete(link);

        assertThat(taken.get()).isNull();
        assertThat(files()).containsExactly(full);
    }

    /** Who lists a directory does so without the lock. */
    @Test
    void whatIsRemovedAfterItWasListedIsNotDamaged() throws Exception {
        Path increment = Path.of(run(true).run(work, said -> {}).file());
        Path other = Path.of(run(false).run(work, said -> {}).file());
        List<Path> listed = List.of(full, increment, other);

        Files.delete(full);
        assertThat(StoredBackups.of(listed, List.of()).others())
                .singleElement()
                .asString()
                .contains(increment + " builds on another backup");
        Files.delete(increment);
        StoredBackups left = StoredBackups.of(listed, List.of());

        assertThat(left.others()).isEmpty();
        assertThat(left.complete())
                .singleElement()
                .satisfies(one -> assertThat(one.path()).isEqualTo(other));
    }

    /** Somebody who knows nothing of the lock has removed its base. */
    @Test
    void whoKeepsNoneThatCanBeRestoredSaysSo() throws Exception {
        Path older = Path.of(run(false).run(work, said -> {}).file());
        BackupRun run = run(true);
        assertThat(run.base().path()).isEqualTo(older);
        Path made = Path.of(run.run(work, said -> {}).file());
        Files.delete(older);
        StringWriter said = new StringWriter();
        CommandLine keeps = new CommandLine(new Keeping(run, work));

        assertThat(keeps.setOut(new PrintWriter(said)).execute()).isEqualTo(BAD_DATA);

        assertThat(said.toString())
                .contains("nothing was removed: the one that was just made can't be restored")
                .contains(made + " builds on another backup");
        assertThat(files()).containsExactlyInAnyOrder(made, full);
    }

    /** Two at once: the other one has counted it among the old ones before this one went on. */
    @Test
    void whoseBackupAnothersKeepHasRemovedSaysSoAndRemovesNothing() throws Exception {
        BackupRun run = run(false);
        Path made = Path.of(run.run(work, said -> {}).file());
        Files.delete(made);
        StringWriter said = new StringWriter();
        CommandLine keeps = new CommandLine(new Keeping(run, work));

        assertThat(keeps.setOut(new PrintWriter(said)).execute()).isEqualTo(BAD_DATA);

        assertThat(said.toString())
                .contains("nothing was removed: " + made + ", which was just made, is gone")
                .contains("another --keep has removed it already");
        assertThat(files()).containsExactly(full);
    }

    @CommandLine.Command
    private static final class Keeping implements Callable<Integer> {
        @CommandLine.Mixin private Output output;
        private final BackupRun run;
        private final LongWork work;

        private Keeping(BackupRun run, LongWork work) {
            this.run = run;
            this.work = work;
        }

        @Override
        public Integer call() throws InterruptedException {
            Expiry expiry = new Expiry(run, 1, output, work);
            assertThat(expiry.run()).isEmpty();
            return expiry.obstacle() == null ? DONE : BAD_DATA;
        }
    }

    @Test
    void whatAnotherOneMakesUnderTheSameNameStays() throws Exception {
        Path named = dir.resolve("bank.farheap-backup");
        BackupRun late = BackupRun.of(PoolSource.of(pool), named, null, false, work, said -> {});
        Path others = late.place().unfinished();

        assertThatThrownBy(
                        () ->
                                late.run(
                                        work,
                                        step -> {
                                            if (step.startsWith("now: writing")) {
                                                write(others);
                                            }
                                        }))
                .hasMessageContaining(others + " already exists");

        assertThat(others).hasContent("of another one");
        assertThat(named).doesNotExist();
    }

    private static void write(Path file) {
        try (NativeFile made = NativeFile.create(file)) {
            byte[] content = "of another one".getBytes(StandardCharsets.UTF_8);
            made.write(MemorySegment.ofArray(content), 0);
        }
    }
}
