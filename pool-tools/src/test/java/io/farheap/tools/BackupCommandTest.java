package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.tools.survey.NumberedPool;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap backup} and {@code farheap restore} of pools that nobody has open. */
class BackupCommandTest {
    private static final int BAD_DATA = 1;
    private static final int WRONG_USE = 2;
    private static final int ENVIRONMENT = 3;
    private static final long LARGE = 3 << 20;

    @TempDir private Path dir;
    private Path pool;
    private Path kept;

    @BeforeEach
    void pool() throws IOException {
        pool = dir.resolve("bank.pool");
        kept = Files.createDirectory(dir.resolve("kept"));
        try (ObjectPool made = ObjectPool.at(pool).layout("bank").size(16 << 20).create()) {
            Ref root = made.root(64);
            made.transaction(
                    tx -> {
                        Ref large = tx.allocate(LARGE, 7);
                        tx.fill(large, 0, LARGE, (byte) 'x');
                        tx.setRef(root, 0, large);
                    });
        }
    }

    /** One more commit, in the middle of the large object. */
    private void commit(long value) {
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            Ref root = opened.root(64);
            opened.transaction(
                    tx -> {
                        tx.setLong(root, 16, value);
                        tx.setLong(tx.getRef(root, 0), LARGE / 2, value);
                    });
        }
    }

    private static long value(Path path) {
        try (ObjectPool opened = ObjectPool.open(path, "bank")) {
            Ref root = opened.root(64);
            long value = opened.getLong(root, 16);
            assertThat(opened.getLong(opened.getRef(root, 0), LARGE / 2))
                    .isEqualTo(value == 0 ? 0x7878787878787878L : value);
            return value;
        }
    }

    /** All that restoring has to bring back: the first page and the number are a pool's own. */
    private static byte[] content(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, 0, (int) PoolHeader.SIZE, (byte) 0);
        Arrays.fill(bytes, (int) Descriptor.RUN_ID, (int) Descriptor.RUN_ID + 8, (byte) 0);
        return bytes;
    }

    private static long runId(Path file) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(Descriptor.RUN_ID);
            return Long.reverseBytes(bytes.readLong());
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(kept)) {
            return all.sorted().toList();
        }
    }

    private Path backup(Object... more) throws IOException {
        Object[] words = new Object[more.length + 4];
        words[0] = "backup";
        words[1] = "--json";
        System.arraycopy(more, 0, words, 2, more.length);
        words[words.length - 2] = pool;
        words[words.length - 1] = kept;
        JsonNode made = new ObjectMapper().readTree(Run.farheap(words).succeeded().out());
        return Path.of(made.get("file").asText());
    }

    @Test
    void ofAPoolThatLostItsFirstPartTheOtherCopyIsNamedAndNothingIsMade() throws IOException {
        Path set = new PoolSets(dir).create("two.set", "8M @a0\nREPLICA\n8M @b0\n", made -> {});
        Path backups = Files.createDirectory(dir.resolve("there"));
        Files.delete(dir.resolve("a0"));
        String remedy = "farheap sync";
        Run.farheap("backup", "-i", set, backups).failedWith(ExitCode.ENVIRONMENT, remedy);
        Run.farheap("backup", set, backups).failedWith(ExitCode.ENVIRONMENT, remedy);
        Run made = Run.farheap("backup", set, dir + "/new/");
        made.failedWith(ExitCode.ENVIRONMENT, remedy);
        assertThat(dir.resolve("new")).doesNotExist();

        Run.farheap("sync", set).succeeded();
        Run.farheap("backup", "--since=nix", set, backups)
                .failedWith(ExitCode.ENVIRONMENT, "nix: No such file or directory");
        Run.farheap("restore", "--commit=-1", backups, dir.resolve("back"))
                .failedWith(ExitCode.WRONG_USE, "--commit begins at 0, not -1");
    }

    private Path restored(Path backup) {
        Path made = dir.resolve("restored" + System.nanoTime());
        Run.farheap("restore", backup, made).succeeded();
        return made;
    }

    /** Whose replicas make numbers grow in large steps: the lost end is far ahead of the backup. */
    @Test
    void whoGoesOnFromAnOlderBackupHasTheNewestOnesFromThenOn() throws IOException {
        commit(1);
        Path older = backup();
        long lost = 1L << 48;
        var unused = NumberedPool.run(pool, lost);
        Path end = backup();
        Files.delete(pool);
        Run.farheap("restore", older, pool).succeeded();
        commit(2);

        Path newest = backup("-i", "--keep=2");
        assertThat(runId(pool)).isGreaterThan(lost);
        assertThat(files()).as("two are kept").contains(newest, end);
        commit(3);
        Path next = backup("--keep=2");
        assertThat(files()).as("those that go are the lost end's").contains(newest, next);
        assertThat(value(restored(kept))).isEqualTo(3);
    }

    /** Its last commits may be there only, so it stays; and it is in the new pool's way. */
    @Test
    void theJournalOfAPoolThatWasNotClosedIsNamedWhenTheBackupIsBack() throws IOException {
        Path file = dir.resolve("bank.farheap-backup");
        Run.farheap("backup", pool, file).succeeded();
        Path journal = Path.of(pool + ".disk-journal");
        Path crashed = dir.resolve("crashed");
        PoolOptions disk = PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        try (ObjectPool opened = ObjectPool.at(pool).layout("bank").options(disk).open()) {
            opened.transaction(tx -> tx.setLong(opened.root(64), 16, 5));
            Files.copy(journal, crashed);
        }
        Files.delete(pool);
        Files.move(crashed, journal, StandardCopyOption.REPLACE_EXISTING);

        Run restored = Run.farheap("restore", file, pool).succeeded();
        assertThat(restored.out())
                .contains(journal + " is the disk journal of the pool that was lost")
                .contains("mv " + journal + " " + journal + ".old");
        Files.move(journal, Path.of(journal + ".old"));
        Files.delete(pool);
        assertThat(Run.farheap("restore", file, pool).succeeded().out())
                .doesNotContain("disk journal");
    }

    @Test
    void aClosedPoolComesBackByteForByteWithANumberOfItsOwn() throws IOException {
        commit(42);
        byte[] before = Files.readAllBytes(pool);
        Path file = dir.resolve("bank.farheap-backup");

        Run made = Run.farheap("backup", pool, file).succeeded();
        Path back = restored(file);

        assertThat(made.out()).contains(file + ": complete, full, all of run " + runId(pool));
        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
        assertThat(content(back)).isEqualTo(content(pool));
        assertThat(runId(back)).isGreaterThan(runId(pool) + (1 << 20)).isEven();
        Run.farheap("check", back).succeeded();
        assertThat(value(back)).isEqualTo(42);
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    }

    @Test
    void twoRestorationsAreTwoHistories() throws IOException {
        Path file = backup();

        assertThat(runId(restored(file))).isNotEqualTo(runId(restored(file)));
    }

    @Test
    void anIncrementHasWhatChangedAndNeedsWhatItBuildsOn() throws IOException {
        Path full = backup();
        commit(1);
        Path first = backup("-i");
        commit(2);
        Path second = backup("--since=" + first);

        assertThat(Files.size(second)).isLessThan(Files.size(full) / 4);
        assertThat(value(restored(full))).isZero();
        assertThat(value(restored(first))).isEqualTo(1);
        Path newest = restored(second);
        assertThat(content(newest)).isEqualTo(content(pool));
        assertThat(value(newest)).isEqualTo(2);

        Path away = Files.move(first, dir.resolve("away"));
        Run.farheap("restore", second, dir.resolve("none"))
                .failedWith(ENVIRONMENT, second + " builds on another backup", first.toString());
        Files.copy(full, first);
        Run.farheap("restore", second, dir.resolve("none"))
                .failedWith(BAD_DATA, first + " is not the backup that " + second + " builds on");
        Files.delete(first);
        Files.move(away, first);
        assertThat(dir.resolve("none")).doesNotExist();
        Run.farheap("backup", "--verify", kept).succeeded();
    }

    @Test
    void whatReturnsToWhatItWasIsInTheIncrement() throws IOException {
        Path full = backup();
        commit(1);
        Path first = backup("-i");
        commit(0x7878787878787878L);
        Path second = backup("-i");

        assertThat(content(restored(second))).isEqualTo(content(pool));
        assertThat(content(restored(first))).isNotEqualTo(content(restored(full)));
    }

    @Test
    void retentionKeepsWhatIsNeeded() throws IOException {
        Path first = backup();
        commit(1);
        Path second = backup("-i");
        commit(2);
        Path third = backup("-i", "--keep=1");
        assertThat(files()).containsExactlyInAnyOrder(first, second, third);

        commit(3);
        Path full = backup("--keep=2");
        assertThat(files()).containsExactlyInAnyOrder(first, second, third, full);

        commit(4);
        Path last = backup("-i", "--keep=2");

        assertThat(files()).containsExactlyInAnyOrder(full, last);
        assertThat(value(restored(last))).isEqualTo(4);
    }

    @Test
    void retentionLeavesOtherPoolsAndWhatIsDamaged() throws IOException {
        Path first = backup();
        Path damaged = backup();
        try (RandomAccessFile file = new RandomAccessFile(damaged.toFile(), "rw")) {
            file.setLength(file.length() - 1);
        }
        Path other = dir.resolve("other.pool");
        Run.farheap("create", "-s", "8M", other).succeeded();
        Run.farheap("backup", other, kept).succeeded();
        commit(1);

        Run run = Run.farheap("backup", "--keep=1", pool, kept).succeeded();

        assertThat(run.out()).contains("removed " + first, "left as it is: " + damaged);
        assertThat(files()).doesNotContain(first).contains(damaged).hasSize(3);
    }

    @Test
    void nothingIsReplaced() throws IOException {
        Path file = Files.writeString(dir.resolve("letter"), "Dear Ada");

        Run.farheap("backup", pool, file).failedWith(WRONG_USE, "already exists");

        assertThat(file).hasContent("Dear Ada");
    }

    @Test
    void whatACutBackupLeftIsRemovedByTheNext() throws IOException {
        Path file = dir.resolve("bank.farheap-backup");
        Path left = Files.writeString(dir.resolve(file.getFileName() + ".farheap-unfinished"), "x");
        Path other = Files.writeString(kept.resolve("a.farheap-backup.farheap-unfinished"), "x");

        assertThat(Run.farheap("backup", pool, file).succeeded().out()).contains("removed " + left);
        assertThat(Run.farheap("backup", pool, kept).succeeded().out())
                .contains("removed " + other);

        assertThat(left).doesNotExist();
        assertThat(files()).hasSize(1);
    }

    @Test
    void aPoolThatIsThereIsNotOverwrittenUnasked() throws IOException {
        Path file = backup();
        commit(5);
        byte[] before = Files.readAllBytes(pool);

        Run.farheap("restore", file, pool).failedWith(WRONG_USE, "is there, or a part of it");
        Run refused = Run.farheap("restore", "-f", file, pool);

        refused.failedWith(WRONG_USE, "nothing was changed", "--yes --discard=");
        assertThat(Files.readAllBytes(pool)).isEqualTo(before);
        Run agreed = Run.agreeing("restore", "-f", file, pool).succeeded();
        assertThat(agreed.out()).contains("is overwritten, and its commits are lost");
        assertThat(value(pool)).isZero();
    }

    @Test
    void norIsAPartThatIsLeft() throws IOException {
        Path file = backup();
        Path set = new PoolSets(dir).write("new.set", "12M @p0\n12M @p1\n");
        Path part = Files.writeString(dir.resolve("p1"), "what is left of something");

        Run.farheap("restore", file, set).failedWith(WRONG_USE, "is there, or a part of it");

        assertThat(part).hasContent("what is left of something");
        assertThat(dir.resolve("p0")).doesNotExist();
    }

    @Test
    void thePartsMayBeOthers() throws IOException {
        commit(6);
        Path file = backup();
        Path set = new PoolSets(dir).write("new.set", "12M @p0\n12M @p1\nREPLICA\n32M @q0\n");

        Run.farheap("restore", file, set).succeeded();

        Run.farheap("check", set).succeeded();
        Run.farheap("verify", set).succeeded();
        assertThat(value(set)).isEqualTo(6);
    }

    @Test
    void thereMustBeRoom() throws IOException {
        Path file = backup();
        Path set = new PoolSets(dir).write("new.set", "8M @p0\n");

        Run.farheap("restore", file, set).failedWith(WRONG_USE, "the pool has 16777216 bytes");

        assertThat(dir.resolve("p0")).doesNotExist();
    }

    @Test
    void ofADirectoryTheNewestIsTaken() throws IOException {
        Path first = backup();
        commit(7);
        Path newest = backup("-i");
        Path made = dir.resolve("made");

        assertThat(Run.farheap("restore", kept, made).succeeded().out())
                .contains("the newest is " + newest);

        assertThat(value(made)).isEqualTo(7);
        assertThat(first).exists();
    }

    /** At 3 a.m. nobody reads that the newest was passed over. */
    @Test
    void ofADirectoryNothingIsTakenWhereADamagedOneMayBeNewer() throws IOException {
        Path first = backup();
        commit(7);
        Path newest = backup("-i");
        flip(newest, 16);
        Path made = dir.resolve("made");

        Run.farheap("restore", kept, made)
                .failedWith(
                        BAD_DATA,
                        "1 of its files can't be restored",
                        "farheap restore " + first + " " + made,
                        newest.toString());

        assertThat(made).doesNotExist();
        Run.farheap("restore", first, made).succeeded();
        assertThat(value(made)).isNotEqualTo(7);
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            int old = bytes.read();
            bytes.seek(at);
            bytes.write(old ^ 1);
        }
    }

    @Test
    void aDamagedOneIsNamedAndNothingIsMadeOfIt() throws IOException {
        Path file = backup();
        flip(file, 8192 + 100);
        Path made = dir.resolve("made");

        Run.farheap("backup", "--verify", file).failedWith(BAD_DATA, file + " is damaged");
        Run whole = Run.farheap("backup", "--verify", kept);
        Run.farheap("restore", file, made).failedWith(BAD_DATA, file + " is damaged");

        assertThat(whole.exitCode()).isEqualTo(BAD_DATA);
        assertThat(whole.out()).contains("wrong: " + file);
        try (Stream<Path> left = Files.list(dir)) {
            assertThat(left.map(Path::getFileName).map(Path::toString))
                    .noneMatch(name -> name.startsWith("made"));
        }
    }

    @Test
    void whatIsNoBackupIsRefused() throws IOException {
        Run.farheap("restore", pool, dir.resolve("made"))
                .failedWith(BAD_DATA, "is no backup that farheap made");
        Run.farheap("restore", dir.resolve("none"), dir.resolve("made"))
                .failedWith(ENVIRONMENT, "No such file or directory");
        Run.farheap("restore", kept, dir.resolve("made"))
                .failedWith(BAD_DATA, "has no backup that is complete");
        Run.farheap("backup", "--verify", "/dev/zero").failedWith(BAD_DATA, "no regular file");
    }

    @Test
    void wordsThatDoNotGoTogether() throws IOException {
        Path file = backup();
        Path other = dir.resolve("other.pool");
        Run.farheap("create", "-s", "8M", other).succeeded();

        Run.farheap("backup", pool).failedWith(WRONG_USE, "name the pool, and a directory");
        Run.farheap("backup", "-i", pool, dir.resolve("f")).failedWith(WRONG_USE, "--since");
        Run.farheap("backup", "--keep=0", pool, kept).failedWith(WRONG_USE, "1 at least");
        Run.farheap("backup", "--since=" + file, pool, dir.resolve("f"))
                .failedWith(WRONG_USE, "in another directory");
        Run.farheap("backup", "--since=" + file, other, kept)
                .failedWith(
                        WRONG_USE,
                        "farheap: " + file + " is a backup of another pool than " + other);
        Run.farheap("backup", "--list", "--verify", kept).failedWith(WRONG_USE, "nothing else");
        Run.farheap("backup", "--list", dir).failedWith(WRONG_USE, "has no backup");

        assertThat(files()).containsExactly(file);
        assertThat(dir.resolve("f")).doesNotExist();
    }

    @Test
    void theListSaysWhatIsThere() throws IOException {
        Path first = backup();
        commit(8);
        Path second = backup("-i");

        assertThat(Run.farheap("backup", "--list", kept).succeeded().out().lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith(first + ": complete, full, all of run"))
                .anyMatch(line -> line.startsWith(second + ": complete, builds on 1 others"));
        JsonNode json =
                new ObjectMapper()
                        .readTree(
                                Run.farheap("backup", "--list", "--json", kept).succeeded().out());
        assertThat(json.get("backups")).hasSize(2);
        assertThat(json.get("damages")).isEmpty();
    }

    @Test
    void aCopyByCpOfAnOpenPoolIsNeverCalledClosed() throws IOException {
        Path copy = dir.resolve("copy.pool");
        try (ObjectPool open = ObjectPool.at(pool).layout("bank").open()) {
            Files.copy(pool, copy);
            assertThat(open.poolId()).isNotZero();
        }

        Run run = Run.farheap("backup", copy, kept);

        if (run.exitCode() == 0) {
            assertThat(run.out())
                    .contains("which was not closed", "nothing tells whether they fit together")
                    .doesNotContain("which was closed");
        } else {
            run.failedWith(BAD_DATA, "was not closed"); // the part without its disk journal
        }
    }
}
