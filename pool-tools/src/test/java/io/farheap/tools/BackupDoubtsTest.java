package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which backup is the newest, is right, and may go: where that is in doubt nothing is lost. */
@Timeout(120)
class BackupDoubtsTest {
    private static final int BAD_DATA = 1;
    private static final int WRONG_USE = 2;
    private static final int ENVIRONMENT = 3;
    private static final long NOISE = 1 << 17;
    private static final long FRAME = 20_000;
    private static final Pattern COMPLETE = Pattern.compile("(?m)^(\\S+): complete, (full|builds)");

    @TempDir private Path dir;
    private Path pool;
    private Path kept;

    @BeforeEach
    void pool() throws IOException {
        pool = dir.resolve("bank.pool");
        kept = Files.createDirectory(dir.resolve("kept"));
        try (ObjectPool made = ObjectPool.at(pool).layout("bank").size(16 << 20).create()) {
            Ref root = made.root(64);
            Random noise = new Random(1); // which can't be packed: frames are long
            made.transaction(
                    tx -> {
                        Ref large = tx.allocate(NOISE, 7);
                        for (long at = 0; at < NOISE; at += Long.BYTES) {
                            tx.setLong(large, at, noise.nextLong());
                        }
                        tx.setRef(root, 0, large);
                    });
        }
    }

    private static void commit(Path of, long value) {
        try (ObjectPool opened = ObjectPool.open(of, "bank")) {
            commit(opened, value);
        }
    }

    private static void commit(ObjectPool opened, long value) {
        Ref root = opened.root(64);
        opened.transaction(tx -> tx.setLong(root, 16, value));
    }

    private static long value(Path path) {
        try (ObjectPool opened = ObjectPool.open(path, "bank")) {
            return opened.getLong(opened.root(64), 16);
        }
    }

    private Path backup(Object... words) {
        return file(Run.farheap(backupWords(words)).succeeded());
    }

    private static Object[] backupWords(Object... words) {
        return Stream.concat(Stream.of("backup"), Stream.of(words)).toArray();
    }

    private static Path file(Run run) {
        Matcher found = COMPLETE.matcher(run.out());
        assertThat(found.find()).as(run.out() + run.err()).isTrue();
        return Path.of(found.group(1));
    }

    private static void assertFull(Run run) {
        Matcher found = COMPLETE.matcher(run.out());
        assertThat(found.find()).as(run.out()).isTrue();
        assertThat(found.group(2)).isEqualTo("full");
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(kept)) {
            return all.sorted().toList();
        }
    }

    private static void damage(Path backup) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(backup.toFile(), "rw")) {
            bytes.seek(FRAME);
            bytes.write("XXXX".getBytes(StandardCharsets.US_ASCII));
        }
    }

    // ---- which is the newest ----

    /** A copy that a test opened more often than production has larger numbers. */
    @Test
    void whereNumbersAndTimesDisagreeNothingIsTakenOrBuiltOn() throws IOException {
        Path copy = Files.copy(pool, dir.resolve("copy.pool"));
        for (int i = 1; i < 4; i++) {
            commit(copy, 100 + i);
        }
        Path ofCopy = backup(copy, kept);
        commit(pool, 1);
        Path newest = backup(pool, kept);

        Run.farheap("restore", kept, dir.resolve("made"))
                .failedWith(
                        WRONG_USE,
                        ofCopy + " (all of run ",
                        "counts as newer by its number, and " + newest,
                        "farheap restore " + ofCopy + " " + dir.resolve("made"),
                        "farheap restore " + newest + " " + dir.resolve("made"));
        commit(pool, 2);
        Run next = Run.farheap("backup", "-i", "--keep=1", pool, kept).succeeded();

        assertFull(next);
        assertThat(next.out()).contains("this one is full: of its backups", "removed " + newest);
        assertThat(files()).as("the newest of each").containsExactlyInAnyOrder(ofCopy, file(next));
        Files.delete(ofCopy);
        assertThat(dir.resolve("made")).doesNotExist();
        Run.farheap("restore", kept, dir.resolve("made")).succeeded();
        assertThat(value(dir.resolve("made"))).isEqualTo(2);
    }

    /** The copy's next backup is newer by number and time, and has none of the pool's commits. */
    @Test
    void theBackupsOfACopyRemoveNoneOfThePools() throws IOException {
        Path copy = Files.copy(pool, dir.resolve("copy.pool"));
        for (int i = 1; i < 4; i++) {
            commit(copy, 100 + i);
        }
        Path ofCopy = backup(copy, kept);
        commit(pool, 1);
        Path pools = backup(pool, kept);
        commit(copy, 104);

        Run next = Run.farheap("backup", "--keep=2", copy, kept);

        assertThat(next.exitCode()).as("something is to be looked at").isEqualTo(BAD_DATA);
        assertThat(next.out()).contains("nothing was removed", pools.toString());
        assertThat(files()).contains(ofCopy, pools, file(next));

        commit(copy, 105);
        Run last = Run.farheap("backup", "--keep=1", copy, kept);
        assertThat(last.exitCode()).as("now the copy's first would go too").isEqualTo(BAD_DATA);
        assertThat(last.out())
                .contains("nothing was removed: of its backups " + ofCopy, "and " + pools);
        assertThat(files()).contains(ofCopy, pools, file(next), file(last));
    }

    /** The newest of all goes on from one of two histories, and lacks what the other has. */
    @Test
    void whereTheHistoriesPartedTheNewestIsNotTakenEither() throws IOException {
        Path copy = Files.copy(pool, dir.resolve("copy.pool"));
        for (int i = 1; i < 4; i++) {
            commit(copy, 100 + i);
        }
        Path ofCopy = backup(copy, kept);
        commit(pool, 1);
        Path pools = backup(pool, kept);
        commit(copy, 104);
        Path newest = backup(copy, kept);
        Path made = dir.resolve("made");

        Run.farheap("restore", kept, made)
                .failedWith(
                        WRONG_USE,
                        ofCopy + " (all of run ",
                        "counts as newer by its number, and " + pools,
                        "the newest by number and time is " + newest,
                        "farheap restore " + ofCopy + " " + made,
                        "farheap restore " + pools + " " + made,
                        "farheap restore " + newest + " " + made);
        Run next = Run.farheap("backup", "-i", copy, kept).succeeded();

        assertThat(made).doesNotExist();
        assertFull(next);
        assertThat(next.out()).contains("this one is full: of its backups " + ofCopy);
        Files.delete(pools);
        Run.farheap("restore", kept, made).succeeded();
        assertThat(value(made)).isEqualTo(104);
    }

    /**
     * Its place among the commits of its run is unknown, and no run after it is in doubt for it.
     */
    @Test
    void whatACrashLeftInAnEarlierRunPartsNoHistories() throws IOException {
        Path crashed = dir.resolve("crashed.pool");
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            commit(opened, 1);
            Files.copy(pool, crashed);
            Path unused = backup(crashed, kept);
            commit(opened, 2);
            unused = backup(pool, kept);
        }
        commit(pool, 3);
        Path newest = backup(pool, kept);

        assertThat(Run.farheap("restore", kept, dir.resolve("made")).succeeded().out())
                .contains("the newest is " + newest);
    }

    @Test
    void whatWasMadeLaterThanAllOfLargerNumbersStays() throws IOException {
        Path copy = Files.copy(pool, dir.resolve("copy.pool"));
        commit(copy, 1);
        Path other = Files.copy(copy, dir.resolve("other.pool"));
        commit(other, 2);
        Path largest = backup(other, kept);
        Path later = backup(copy, kept);

        Run next = Run.farheap("backup", "--keep=1", pool, kept);

        assertThat(next.exitCode()).as("something is to be looked at").isEqualTo(BAD_DATA);
        assertThat(next.out()).contains("nothing was removed: of its backups " + largest);
        assertThat(files()).containsExactlyInAnyOrder(largest, later, file(next));
    }

    /** Else a crash would have it that nothing goes for as many nights as backups are kept. */
    @Test
    void oneOfACrashedPoolAmongThoseThatStayKeepsNoOlderOnes() throws IOException {
        Path crashed = dir.resolve("crashed.pool");
        Path first;
        Path second;
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            commit(opened, 1);
            first = backup(pool, kept);
            commit(opened, 2);
            second = backup(pool, kept);
            Files.copy(pool, crashed);
        }
        Path notClosed = backup(crashed, kept);
        Path third;
        Run last;
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            commit(opened, 3);
            third = backup(pool, kept);
            commit(opened, 4);
            last = Run.farheap("backup", "--keep=3", pool, kept).succeeded();
        }

        assertThat(last.out()).contains("removed " + first, "removed " + second);
        assertThat(files()).containsExactlyInAnyOrder(notClosed, third, file(last));
    }

    /** What was not closed does not tell how many commits of its run it has. */
    @Test
    void whatWasNotClosedIsNotTakenForNewerThanWhatWasOpen() throws IOException {
        Path copy = dir.resolve("copy.pool");
        Path open;
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            commit(opened, 1);
            Files.copy(pool, copy);
            commit(opened, 2);
            open = backup(pool, kept);
        }
        Path notClosed = backup(copy, kept);

        Run.farheap("restore", kept, dir.resolve("made"))
                .failedWith(WRONG_USE, "nothing tells whether " + notClosed, open.toString());
        Run next = Run.farheap("backup", "-i", "--keep=1", copy, kept);

        assertThat(next.exitCode()).as("something is to be looked at").isEqualTo(BAD_DATA);
        assertFull(next);
        assertThat(next.out()).contains("nothing was removed");
        assertThat(files()).containsExactlyInAnyOrder(open, notClosed, file(next));
    }

    @Test
    void ofADirectoryTheBackupOfACommitIsTaken() throws IOException {
        Path made = dir.resolve("made");
        Path first;
        Path second;
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            commit(opened, 11);
            commit(opened, 12);
            first = backup(pool, kept);
            commit(opened, 13);
            commit(opened, 14);
            second = backup("-i", pool, kept);
        }
        long at = number(first);

        Run.farheap("restore", "--commit=" + (at + 1), kept, made)
                .failedWith(
                        WRONG_USE,
                        "no backup that was made at commit " + (at + 1),
                        "the last one before it: " + first + " (commit " + at,
                        "the first one after it: " + second);
        Run.farheap("restore", "--commit=" + (at + 3), kept, made)
                .failedWith(WRONG_USE, "the last one before it: " + second, "none after it");
        Run.farheap("restore", "--commit=" + at, first, made)
                .failedWith(WRONG_USE, "--commit picks a backup of a directory");
        assertThat(made).doesNotExist();
        Run.farheap("restore", "--commit=" + at, kept, made).succeeded();
        assertThat(value(made)).isEqualTo(12);

        Files.copy(first, kept.resolve("twice.farheap-backup"));
        Run.farheap("restore", "--commit=" + at, kept, dir.resolve("other"))
                .failedWith(WRONG_USE, "has 2 backups", "farheap restore " + first);
    }

    /** It may have that number in another run, or be nearer. */
    @Test
    void byItsCommitNoneIsTakenBesideOneThatIsDamaged() throws IOException {
        Path made = dir.resolve("made");
        Path first;
        Path second;
        try (ObjectPool opened = ObjectPool.open(pool, "bank")) {
            commit(opened, 11);
            first = backup(pool, kept);
            commit(opened, 12);
            second = backup(pool, kept);
        }
        long at = number(first);
        cut(second);

        Run.farheap("restore", "--commit=" + at, kept, made)
                .failedWith(
                        BAD_DATA,
                        "1 of its files can't be restored",
                        "farheap restore " + first + " " + made,
                        second + " is damaged");
        Run.farheap("restore", "--commit=" + (at + 1), kept, made)
                .failedWith(
                        BAD_DATA,
                        "the last one before it: " + first,
                        "may be of that commit or nearer: " + second + " is damaged");

        assertThat(made).doesNotExist();
    }

    private static void cut(Path backup) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(backup.toFile(), "rw")) {
            file.setLength(file.length() - 1);
        }
    }

    private static long number(Path backup) {
        Matcher found =
                Pattern.compile("commit (\\d+) of run")
                        .matcher(Run.farheap("backup", "--list", backup).succeeded().out());
        assertThat(found.find()).isTrue();
        return Long.parseLong(found.group(1));
    }

    // ---- which is right ----

    @Test
    void onADamagedOneNothingIsBuiltAndNothingIsRemovedForIt() throws IOException {
        Path first = backup(pool, kept);
        commit(pool, 1);
        Path second = backup(pool, kept);
        damage(second);
        commit(pool, 2);

        Run run = Run.farheap("backup", "-i", "--keep=1", pool, kept);

        assertThat(run.exitCode()).isEqualTo(BAD_DATA);
        assertFull(run);
        assertThat(run.out()).contains(second + " is damaged", "nothing was removed");
        assertThat(files()).containsExactlyInAnyOrder(first, second, file(run));
        Run.farheap("restore", file(run), dir.resolve("made")).succeeded();
        assertThat(value(dir.resolve("made"))).isEqualTo(2);
        Path third = file(run);
        damage(third);
        assertThat(Run.farheap("backup", "-i", pool, kept).exitCode()).isEqualTo(BAD_DATA);
        assertThat(Run.farheap("backup", "--json", "--keep=3", pool, kept).out())
                .contains("are to stay", "is damaged");
        Run.farheap("backup", "--since=" + second, pool, kept)
                .failedWith(BAD_DATA, second + " is damaged");
    }

    /** Whether its end is damaged, or its beginning, too, which says of which pool it is. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsBuiltOnAnOlderOneThanOneThatIsDamaged(boolean unknown) throws IOException {
        Path first = backup(pool, kept);
        commit(pool, 1);
        Path second = backup(pool, kept);
        cut(second);
        if (unknown) {
            Files.write(second, new byte[100]);
        }
        commit(pool, 2);

        Run run = Run.farheap("backup", "-i", "--keep=1", pool, kept);

        assertThat(run.exitCode()).isEqualTo(BAD_DATA);
        assertFull(run);
        assertThat(run.out())
                .contains("this one is full", kept + " that can't be restored", second.toString())
                .contains("nothing was removed");
        assertThat(files()).containsExactlyInAnyOrder(first, second, file(run));
        commit(pool, 3);
        Run next = Run.farheap("backup", "-i", pool, kept).succeeded();
        assertThat(next.out()).as("the full one is newer").contains("builds on " + file(run));
    }

    /** Nothing tells how long it would be newer than all that is made. */
    @Test
    void whatHasNoHeaderAndATimeToComeIsToBeMovedAway() throws IOException {
        Path first = backup(pool, kept);
        Path strange = Files.write(kept.resolve("strange.farheap-backup"), new byte[100]);
        Files.setLastModifiedTime(
                strange, FileTime.from(Instant.now().plus(Duration.ofDays(1000))));

        Run run = Run.farheap("backup", "-i", "--keep=1", pool, kept);
        Run again = Run.farheap("backup", "-i", pool, kept);

        assertThat(run.exitCode()).isEqualTo(BAD_DATA);
        assertFull(run);
        assertThat(run.out())
                .contains(
                        "nothing was removed: nothing tells whether", "newest backup is " + strange)
                .contains("move that file away")
                .doesNotContain("--verify");
        assertThat(again.exitCode()).isEqualTo(BAD_DATA);
        assertThat(again.out()).contains("of which pool it is: move it to another directory");
        Files.move(strange, dir.resolve("strange"));
        Run next = Run.farheap("backup", "-i", "--keep=1", pool, kept).succeeded();
        assertThat(next.out()).contains("builds on " + file(again), "removed " + first);
    }

    /** As one to a disk that is not mounted. */
    @ParameterizedTest
    @ValueSource(strings = {"missing", "latest.farheap-backup"})
    void aLinkThatLeadsNowhereIsToldOfAndIsNoObstacle(String target) throws IOException {
        Path first = backup(pool, kept);
        Path link =
                Files.createSymbolicLink(
                        kept.resolve("latest.farheap-backup"), kept.resolve(target));

        Run run = Run.farheap("backup", "-i", "--keep=1", pool, kept).succeeded();
        Run full = Run.farheap("backup", "--keep=1", pool, kept).succeeded();

        assertThat(run.out())
                .contains("left out: " + link, "builds on " + first, "left as it is: " + link);
        assertThat(full.out()).contains("removed " + first);
        assertThat(files()).containsExactlyInAnyOrder(link, file(full));
    }

    /** A backup is its owner's alone; superusers read all. */
    @Test
    void whatIsAnotherUsersIsToldOfAndIsNoObstacle() throws IOException {
        Path first = backup(pool, kept);
        Path others = Files.write(kept.resolve("others.farheap-backup"), new byte[100]);
        Files.setPosixFilePermissions(others, Set.of());
        assumeThat(Files.isReadable(others)).as("a superuser runs this").isFalse();

        Run run = Run.farheap("backup", "-i", "--keep=1", pool, kept).succeeded();

        assertThat(run.out()).contains("left out: cannot open " + others, "builds on " + first);
    }

    @Test
    void theDamagedOneOfAnotherPoolIsNoObstacle() throws IOException {
        Path other = dir.resolve("other.pool");
        Run.farheap("create", "-s", "8M", other).succeeded();
        Path first = backup(pool, kept);
        cut(backup(other, kept));

        assertThat(Run.farheap("backup", "-i", pool, kept).succeeded().out())
                .contains("builds on " + first);
    }

    @Test
    void nothingGoesWhileWhatStaysIsDamaged() throws IOException {
        Path first = backup(pool, kept);
        Path second = backup(pool, kept);
        Path above = backup("--since=" + second, pool, kept);
        damage(second);

        Run run = Run.farheap("backup", "--keep=2", pool, kept);

        assertThat(run.exitCode()).isEqualTo(BAD_DATA);
        assertThat(run.out()).contains("nothing was removed", "are to stay " + second);
        assertThat(files()).containsExactlyInAnyOrder(first, second, above, file(run));
        Run told = Run.farheap("backup", "--json", "--keep=2", pool, kept);
        assertThat(told.exitCode()).as(told.out()).isZero(); // two that are right are there now
        assertThat(first).doesNotExist();
    }

    // ---- where it goes, and what is there ----

    @Test
    void aSlashAtTheEndMeansADirectory() {
        Path missing = dir.resolve("missing");

        Run.farheap("backup", dir.resolve("none"), missing + "/").failedWith(ENVIRONMENT, "none");
        assertThat(missing).doesNotExist();
        Run run = Run.farheap("backup", "-i", pool, missing + "/").succeeded();
        assertThat(run.out()).contains("made the directory " + missing);
        assertThat(file(run).getParent()).isEqualTo(missing);

        Path named = dir.resolve("named");
        assertThat(Run.farheap("backup", pool, named).succeeded().out())
                .contains(named + " is not there, and becomes a file");
        assertThat(named).isRegularFile();
    }

    @Test
    void aPoolsetFileThatIsLostIsNotTakenForAPoolsName() {
        Path lost = dir.resolve("lost.set");

        Run.farheap("restore", backup(pool, kept), lost)
                .failedWith(ENVIRONMENT, "there is no poolset file " + lost, "put it back");

        assertThat(lost).doesNotExist();
    }

    @Test
    void whereALinkLeadsToNothingNothingIsMade() throws IOException {
        Path backup = backup(pool, kept);
        Path set = new PoolSets(dir).write("new.set", "16M @p0\n");
        Path disk = dir.resolve("disk");
        Path link = Files.createSymbolicLink(dir.resolve("p0"), disk.resolve("p0"));

        Run.farheap("restore", backup, set)
                .failedWith(ENVIRONMENT, link + " is a symbolic link", "is its disk mounted?");
        assertThat(link).isSymbolicLink();

        Files.createDirectory(disk);
        Files.move(pool, disk.resolve("p0"));
        Run run = Run.agreeing("restore", "-f", backup, set).succeeded();
        assertThat(run.out())
                .contains(
                        link + " is a symbolic link, which a new file replaces: what it leads to");
        assertThat(link).isRegularFile();
        assertThat(value(disk.resolve("p0"))).isZero();
    }
}
