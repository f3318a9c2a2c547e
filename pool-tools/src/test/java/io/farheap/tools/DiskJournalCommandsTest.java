package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each command does with a pool that was not closed, whose newest commits, all of them here,
 * are in its disk journal alone: who looks sees them, and who would change the files without them
 * is refused.
 */
class DiskJournalCommandsTest {
    private static final PoolOptions JOURNAL =
            PoolOptions.builder()
                    .persistence(PersistenceDomain.JOURNAL)
                    .journalBytes(16 << 20) // no checkpoint comes while files are copied
                    .build();
    private static final int TYPE = 7;

    @TempDir private Path directory;
    private Path set;
    private Path first;
    private Path journal;

    @BeforeEach
    void aPoolThatWasNotClosed() throws IOException {
        Path open = Files.createDirectory(directory.resolve("open"));
        Path killed = Files.createDirectory(directory.resolve("killed"));
        Path source = setIn(open);
        set = setIn(killed);
        first = killed.resolve("part0");
        journal = killed.resolve("part0.disk-journal");
        try (ObjectPool pool = ObjectPool.at(source).layout("").options(JOURNAL).create()) {
            Ref root = pool.root(64);
            pool.transaction(
                    tx -> {
                        tx.setLong(root, 0, 42);
                        Ref unused = tx.allocate(1000, TYPE);
                    });
            for (String name : List.of("part0", "part1", "part0.disk-journal")) {
                Files.copy(open.resolve(name), killed.resolve(name));
            }
        }
    }

    private static Path setIn(Path in) throws IOException {
        return Files.writeString(
                in.resolve("a.set"),
                "PMEMPOOLSET\n9M %s\n9M %s\n".formatted(in.resolve("part0"), in.resolve("part1")));
    }

    /** Everything that lies there, by its checksum. */
    private Map<String, Long> files() {
        try (Stream<Path> all = Files.list(first.getParent())) {
            Map<String, Long> files = new TreeMap<>();
            for (Path file : all.toList()) {
                CRC32C sum = new CRC32C();
                sum.update(Files.readAllBytes(file));
                files.put(file.getFileName().toString(), sum.getValue());
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertRecovered() {
        Run.farheap("recover", set).succeeded();
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(42);
        }
    }

    /** One byte of both superblocks, which are valid after it. */
    private static void change(Path journal, int at) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(journal.toFile(), "rw")) {
            byte[] block = new byte[4096];
            for (long start = 0; start < 2 * block.length; start += block.length) {
                out.seek(start);
                out.readFully(block);
                block[at] ^= 1;
                CRC32C sum = new CRC32C();
                sum.update(block, 0, 4092);
                out.seek(start);
                out.write(block);
                out.seek(start + 4092);
                out.writeInt(Integer.reverseBytes((int) sum.getValue()));
            }
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.seek(at);
            int was = out.read();
            out.seek(at);
            out.write(was ^ 1);
        }
    }

    // ---- other names ----

    /** The same parts by other names, in a directory of their own. */
    private Path named(Links kind) throws IOException {
        Path names = Files.createDirectory(directory.resolve("names"));
        for (String part : List.of("part0", "part1")) {
            kind.make(names.resolve(part), first.resolveSibling(part));
        }
        return setIn(names);
    }

    private enum Links {
        SYMBOLIC,
        HARD;

        void make(Path link, Path file) throws IOException {
            Path unused =
                    this == SYMBOLIC
                            ? Files.createSymbolicLink(link, file)
                            : Files.createLink(link, file);
        }
    }

    /** As builds had it that put the journal beside the link by which a pool was opened. */
    @ParameterizedTest
    @EnumSource(Links.class)
    void rmByAnotherNameTakesNoJournalFromAPoolThatStays(Links kind) throws IOException {
        Path other = named(kind);
        Path besideLink = other.resolveSibling("part0.disk-journal");
        Files.move(journal, besideLink);

        Run.agreeing("rm", "-f", other)
                .failedWith(
                        ExitCode.BAD_DATA,
                        other.resolveSibling("part0") + " is one name of a file that stays",
                        "farheap recover " + other,
                        "nothing was removed");
        Run.farheap("recover", set)
                .failedWith(ExitCode.BAD_DATA, "which is missing: put that file back", "a link");

        Run.farheap("recover", other).succeeded();
        assertThat(besideLink).exists();
        Run.agreeing("rm", other).succeeded();
        assertThat(other.getParent()).isDirectoryNotContaining("glob:**part*");
        assertRecovered();
    }

    @Test
    void aPoolThatIsOpenedByALinkIsFoundByEachNameAfterACrash() throws IOException {
        Path other = named(Links.SYMBOLIC);

        Run.farheap("check", other).succeeded();
        Run.agreeing("rm", other).failedWith(ExitCode.BAD_DATA, "is one name of a file");
        Run.farheap("recover", other).succeeded();
        assertThat(other.resolveSibling("part0.disk-journal")).doesNotExist();
        Files.delete(journal);
        try (ObjectPool pool = ObjectPool.at(other).layout("").options(JOURNAL).open()) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(42);
            assertThat(pool.diskJournals()).extracting("file").containsExactly(journal);
        }
        Run.agreeing("rm", other).succeeded();
        assertThat(journal).exists();
    }

    /** The link led to the killed pool when a build opened it that put its journal beside that. */
    @Test
    void rmOfALinkThatWasTurnedLeavesTheJournalOfThePoolThatItLedToBefore() throws IOException {
        Path link = directory.resolve("current");
        Path besideLink = directory.resolve("current.disk-journal");
        Files.move(journal, besideLink);
        Path next = directory.resolve("next.pool");
        ObjectPool.at(next).layout("").size(8 << 20).create().close();
        Files.createSymbolicLink(link, next);

        Run run = Run.agreeing("rm", link).succeeded();

        assertThat(run.out()).contains("left '" + besideLink + "': ");
        assertThat(next).exists();
        Files.move(besideLink, journal);
        assertRecovered();
    }

    @Test
    void rmOfLinksTakesTheJournalBesideThemThatNoPoolNeeds() throws IOException {
        Path other = named(Links.SYMBOLIC);
        Path besideLink = other.resolveSibling("part0.disk-journal");
        assertRecovered();
        Files.copy(journal, besideLink);

        assertThat(Run.farheap("rm", "-y", other).succeeded().out())
                .as("nothing is lost, and nobody is asked to discard it")
                .contains("stays: only a link to it goes")
                .doesNotContain("commits are lost");

        assertThat(besideLink).doesNotExist();
        assertThat(journal).exists();
        assertRecovered();
    }

    @Test
    void whatAnotherPoolHasLeftBesideALinkDoesNotHideThatTheRightJournalIsMissing()
            throws IOException {
        Path other = named(Links.SYMBOLIC);
        Path next = directory.resolve("next.pool");
        ObjectPool.at(next).layout("").size(8 << 20).options(JOURNAL).create().close();
        Files.move(
                directory.resolve("next.pool.disk-journal"),
                other.resolveSibling("part0.disk-journal"));
        Path away = Files.move(journal, directory.resolve("away"));

        for (String command : List.of("check", "recover")) {
            Run.farheap(command, other)
                    .failedWith(ExitCode.BAD_DATA, journal + ", which is missing", "put that file");
        }

        Files.move(away, journal);
        Run.farheap("recover", other).succeeded();
        assertRecovered();
    }

    @Test
    void whereNoJournalCanBeMadeBesideWhatALinkLeadsToTheErrorSaysWhyItIsThere()
            throws IOException {
        Path other = named(Links.SYMBOLIC);
        assertRecovered();
        Files.delete(journal);
        Path inTheWay =
                Files.createDirectory(journal.resolveSibling(".part0.disk-journal.unfinished"));
        Files.createFile(inTheWay.resolve("file"));

        assertThatThrownBy(() -> ObjectPool.at(other).layout("").options(JOURNAL).open())
                .hasMessageContaining("the disk journal is made in " + first.getParent())
                .hasMessageContaining(
                        "because " + other.resolveSibling("part0") + " is a link to a file there")
                .hasMessageContaining("FARHEAP_DURABILITY=pages");
        assertThatThrownBy(() -> ObjectPool.at(set).layout("").options(JOURNAL).open())
                .hasMessageNotContaining("a link");
    }

    @Test
    void theRightJournalBesideALinkIsTakenAndNotAnotherOneBesideTheFile() throws IOException {
        Path other = named(Links.SYMBOLIC);
        Files.copy(journal, other.resolveSibling("part0.disk-journal"));
        change(journal, 56); // its id

        Run.farheap("recover", set)
                .failedWith(ExitCode.BAD_DATA, "is another journal", "put that one back", "a link");
        Run.farheap("recover", other).succeeded();
        assertRecovered();
    }

    // ---- who looks ----

    @Test
    void checkLooksThroughTheJournal() {
        Map<String, Long> before = files();
        assertThat(Run.farheap("check", set).succeeded().out()).contains("a.set: consistent");
        assertThat(Run.farheap("check", "-r", "-y", set).succeeded().out())
                .contains("a.set: consistent");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void infoShowsTheObjectsThatAreInTheJournalAndSaysSo() {
        Map<String, Long> before = files();
        String out = Run.farheap("info", "-O", "-t", TYPE, set).succeeded().out();
        assertThat(out)
                .contains(journal.toString(), "not closed", "farheap recover")
                .contains("Run id                   : 2")
                .containsPattern("Type number *: 7");
        assertThat(out).doesNotContain("wrong!");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void statusSaysThatItWasNotClosedAndWhatBringsItToItsFiles() {
        Map<String, Long> before = files();
        assertThat(Run.farheap("status", set).succeeded().out())
                .contains("current: it has the pool's number; the pool was not closed")
                .contains("farheap recover " + set);
        assertThat(files()).isEqualTo(before);
        assertRecovered();
        assertThat(Run.farheap("status", set).succeeded().out()).doesNotContain("not closed");
    }

    @Test
    void whileAProgramHasItOpenNobodyIsToldToRecoverIt() {
        assertRecovered();
        try (ObjectPool pool = ObjectPool.at(set).layout("").options(JOURNAL).open()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            assertThat(Run.farheap("status", set).succeeded().out())
                    .contains("current: it has the pool's number")
                    .doesNotContain("recover");
            for (String command : List.of("sync", "recover", "info", "check")) {
                Run.farheap(command, set).failedWith(ExitCode.ENVIRONMENT, "in use");
            }
        }
    }

    @Test
    void verifyFeatureAndCreateLookAtItToo() {
        Map<String, Long> before = files();
        assertThat(Run.farheap("verify", set).succeeded().out()).contains("only one copy");
        assertThat(Run.farheap("feature", "-q", "SHUTDOWN_STATE", set).succeeded().out())
                .isEqualTo("1\n");
        Path other = directory.resolve("other.pool");
        Run.farheap("create", "-i", set, other).succeeded();
        assertThat(other).hasSize((18 << 20) - 4096);
        assertThat(files()).isEqualTo(before);
    }

    // ---- who would change the files ----

    @ParameterizedTest
    @ValueSource(strings = {"feature -d SHUTDOWN_STATE SET", "sync SET", "sync -d SET"})
    void whoWouldChangeItsFilesIsToldToRecoverItFirst(String words) {
        Map<String, Long> before = files();
        Object[] all = words.replace("SET", set.toString()).split(" ");
        Run.farheap(all).failedWith(ExitCode.BAD_DATA, "farheap recover " + set, "nothing was");
        assertThat(files()).isEqualTo(before);
        assertRecovered();
        Run.farheap(all).succeeded();
    }

    @Test
    void soIsATransformation() throws IOException {
        Path wider =
                Files.writeString(
                        first.resolveSibling("b.set"),
                        Files.readString(set) + "REPLICA\n18M " + directory.resolve("copy") + "\n");
        Map<String, Long> before = files();
        Run.farheap("transform", set, wider)
                .failedWith(ExitCode.BAD_DATA, "farheap recover " + set);
        assertThat(files()).isEqualTo(before);
        assertThat(directory.resolve("copy")).doesNotExist();
        assertRecovered();
        Run.farheap("transform", set, wider).succeeded();
    }

    @Test
    void anInconsistentOneIsRecoveredAndThenRepaired() throws IOException {
        long heapHeader = 4096 + 4096 + 3L * 1024 * 1024;
        flip(first, heapHeader + 8);
        Map<String, Long> before = files();
        for (String[] words : new String[][] {{"check"}, {"check", "-r", "-y"}}) {
            Object[] all = Stream.concat(Stream.of(words), Stream.of(set)).toArray();
            Run run = Run.farheap(all);
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
            assertThat(run.out()).contains("next step: farheap recover " + set);
        }
        assertThat(files()).isEqualTo(before);

        Run.farheap("recover", set)
                .failedWith(ExitCode.BAD_DATA, "is needed no more", "farheap check -r " + set);
        Run.farheap("check", "-r", "-y", set);
        assertRecovered();
    }

    // ---- two local replicas, each with its journal ----

    private static Path replica(Path in, String first, String second) throws IOException {
        return Files.writeString(
                in.resolve("two.set"),
                "PMEMPOOLSET\n9M %s\n9M %s\nREPLICA\n18M %s\n"
                        .formatted(in.resolve(first), in.resolve(second), in.resolve("copy")));
    }

    /** Open, then killed: the files are in the place of the pool that the other tests have. */
    private Path twoReplicas() throws IOException {
        Path open = Files.createDirectory(directory.resolve("two"));
        Path source = replica(open, "part0", "part1");
        Path killed = Files.createDirectory(directory.resolve("killed.two"));
        try (ObjectPool pool = ObjectPool.at(source).layout("").options(JOURNAL).create()) {
            Ref root = pool.root(64);
            pool.transaction(tx -> tx.setLong(root, 0, 42));
            try (Stream<Path> all = Files.list(open)) {
                for (Path file : all.toList()) {
                    Files.copy(file, killed.resolve(file.getFileName()));
                }
            }
        }
        first = killed.resolve("part0");
        journal = killed.resolve("part0.disk-journal");
        set = replica(killed, "part0", "part1");
        return killed.resolve("copy");
    }

    @Test
    void whoLooksAtTwoReplicasNeedsOneOfTheirJournals() throws IOException {
        Path copy = twoReplicas();
        Map<String, Long> before = files();
        assertThat(Run.farheap("check", set).succeeded().out()).contains("two.set: consistent");
        assertThat(Run.farheap("verify", set).succeeded().out()).contains("all 2 copies are equal");
        assertThat(files()).isEqualTo(before);

        Files.delete(journal);
        assertThat(Run.farheap("check", set).succeeded().out()).contains("two.set: consistent");
        assertThat(Run.farheap("status", set).succeeded().out())
                .contains("copies      : 2, 2 without a fault");
        assertThat(Run.farheap("info", set).succeeded().out())
                .contains(copy + ".disk-journal", "not closed");
        Files.delete(copy.resolveSibling("copy.disk-journal"));
        Run.farheap("check", set).failedWith(ExitCode.BAD_DATA, "is missing: put that file back");
    }

    /** Both are damaged so that neither has what the other lacks; then one is as it was. */
    @Test
    void aDamagedJournalIsMadeWholeByTheOtherReplicas() throws IOException {
        Path copy = twoReplicas();
        Path other = copy.resolveSibling("copy.disk-journal");
        byte[] whole = Files.readAllBytes(other);
        flip(journal, 8192 + 70);
        flip(other, 8192 + 70);
        Run.farheap("check", set).failedWith(ExitCode.BAD_DATA, "is damaged: the batch at byte");
        Run.farheap("recover", set).failedWith(ExitCode.BAD_DATA, "is damaged: the batch at byte");

        Files.write(other, whole);
        Map<String, Long> before = files();
        assertThat(Run.farheap("check", set).succeeded().out()).contains("two.set: consistent");
        assertThat(Run.farheap("verify", set).succeeded().out()).contains("all 2 copies are equal");
        assertThat(Run.farheap("status", set).succeeded().out())
                .contains("copies      : 2, 2 without a fault");
        assertThat(files()).isEqualTo(before);
        assertRecovered();
    }

    @Test
    void aReplicaThatIsLostIsMadeAnewOnceTheOtherIsRecovered() throws IOException {
        Path copy = twoReplicas();
        Files.delete(copy);
        String both = "farheap recover " + set + ", then farheap sync " + set;
        assertThat(Run.farheap("status", set).out()).contains("next step   : " + both);
        assertThat(Run.farheap("verify", set).out()).contains("next step: " + both);
        Run.farheap("types", set).failedWith(ExitCode.ENVIRONMENT, both);
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, "farheap recover " + set);
        Run.farheap("recover", set)
                .failedWith(ExitCode.ENVIRONMENT, "is needed no more", "farheap sync " + set);
        Run.farheap("sync", set).succeeded();
        assertRecovered();
    }

    /** All that are files, or one in three. */
    static Stream<Journal> wrongJournals() {
        return EnumSet.complementOf(EnumSet.of(Journal.MISSING, Journal.A_DIRECTORY)).stream()
                .filter(wrong -> Boolean.getBoolean("test.deep") || wrong.ordinal() % 3 == 0);
    }

    /**
     * Its parts are whole: nobody takes it for lost, and writes over what may be another pool's.
     */
    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("wrongJournals")
    void aReplicaWhoseJournalIsWrongIsRecoveredWithoutItOnceThatIsMovedAway(Journal wrong)
            throws IOException {
        Path copy = twoReplicas();
        wrong.put(journal);
        Map<String, Long> before = files();
        Run.farheap("recover", set)
                .failedWith(
                        ExitCode.BAD_DATA,
                        journal.toString(),
                        "nothing was changed",
                        "move that file away: all of its commits are in " + copy + ".disk-journal");
        assertThat(files()).isEqualTo(before);
        Path unused = Files.move(journal, directory.resolve("away"));
        Run.farheap("recover", set).succeeded();
        assertRecovered();
    }

    @Test
    void whatIsLeftOfSuchAReplicaIsNotMixedWithTheOther() throws IOException {
        Path copy = twoReplicas();
        Files.delete(first);
        Run.farheap("recover", set).failedWith(ExitCode.ENVIRONMENT, "is needed no more");
        Map<String, Long> before = files();
        Path part1 = first.resolveSibling("part1");
        Run.farheap("sync", set)
                .failedWith(ExitCode.BAD_DATA, "move what is left of this one away (" + part1);
        assertThat(files()).isEqualTo(before);
        Files.delete(part1);
        Run.farheap("sync", set).succeeded();
        assertThat(copy).exists();
        assertRecovered();
    }

    // ---- rm ----

    @Test
    void rmAsksForCommitsThatAreInTheJournalAlone() {
        Map<String, Long> before = files();
        Run.farheap("rm", "-y", set)
                .failedWith(ExitCode.WRONG_USE, "number 2", "--discard=", "nothing was changed");
        assertThat(files()).isEqualTo(before);
        Run.agreeing("rm", set).succeeded();
        assertThat(files()).containsOnlyKeys("a.set");
    }

    @Test
    void rmTakesTheJournalOfAPartThatIsMissingAlong() throws IOException {
        Files.delete(first);
        Run.agreeing("rm", "-f", set).succeeded();
        assertThat(files()).containsOnlyKeys("a.set");
    }

    @Test
    void aJournalWithoutAnyPartIsLeft() throws IOException {
        Files.delete(first);
        Files.delete(first.resolveSibling("part1"));
        Run.farheap("rm", "-y", "-f", set).succeeded();
        assertThat(journal).exists();
    }

    @Test
    void aPoolIsNotMadeOverOneThatWasNotClosed() {
        Map<String, Long> before = files();
        Run.farheap("create", "-f", "-y", set)
                .failedWith(ExitCode.WRONG_USE, "number 2", "--discard=");
        Run.farheap("create", set).failedWith(ExitCode.WRONG_USE, "open the pool that is there");
        assertThat(files()).isEqualTo(before);
    }

    // ---- the journal is not there, or not right ----

    private enum Journal {
        MISSING("is missing: put that file back"),
        A_DIRECTORY("is no regular file: put the right one back"),
        EMPTY("is damaged or no disk journal: put the right file back"),
        CUT("is of another size than it was: put the whole file back"),
        FLIPPED("is damaged or no disk journal: put the right file back"),
        ANOTHER_POOLS("is the disk journal of another pool, or of another part"),
        ANOTHER_ONE("is another journal (");

        private final String sentence;

        Journal(String sentence) {
            this.sentence = sentence;
        }

        void put(Path journal) throws IOException {
            switch (this) {
                case MISSING -> Files.delete(journal);
                case A_DIRECTORY -> {
                    Files.delete(journal);
                    Files.createDirectory(journal);
                }
                case EMPTY -> Files.write(journal, new byte[0]);
                case CUT -> {
                    try (RandomAccessFile out = new RandomAccessFile(journal.toFile(), "rw")) {
                        out.setLength(out.length() - 4096);
                    }
                }
                case FLIPPED -> {
                    flip(journal, 70);
                    flip(journal, 4096 + 70);
                }
                case ANOTHER_POOLS -> change(journal, 30);
                case ANOTHER_ONE -> change(journal, 60);
            }
        }
    }

    @Test
    void withoutTheRightJournalEachCommandSaysWhereTheCommitsAreAndChangesNothing()
            throws IOException {
        byte[] whole = Files.readAllBytes(journal);
        byte[] part = Files.readAllBytes(first);
        for (Journal wrong : Journal.values()) {
            wrong.put(journal);
            for (String words :
                    List.of(
                            "check SET",
                            "check -r -y SET",
                            "verify SET",
                            "sync SET",
                            "recover SET")) {
                Object[] all = words.replace("SET", set.toString()).split(" ");
                Run run = Run.farheap(all);
                assertThat(run.exitCode()).as("%s: %s", wrong, run).isEqualTo(ExitCode.BAD_DATA);
                assertThat(run.err()).as("%s: %s", wrong, words).contains(journal.toString());
                assertThat(run.err()).hasLineCount(1);
            }
            Run info = Run.farheap("info", set);
            assertThat(info.err()).contains(journal + ", which " + wrong.sentence);
            assertThat(info.exitCode()).isEqualTo(ExitCode.BAD_DATA);
            assertThat(Run.farheap("status", set).out())
                    .contains("which " + wrong.sentence, "farheap recover " + set);
            Run.farheap("rm", "-y", set).failedWith(ExitCode.WRONG_USE, "--discard=");
            Run.farheap("feature", "-d", "SHUTDOWN_STATE", set)
                    .failedWith(ExitCode.BAD_DATA, "farheap recover " + set);
            assertThat(Run.farheap("create", set).err())
                    .contains("no pool is created over")
                    .doesNotContain("nobody committed");
            assertThat(Files.readAllBytes(first)).isEqualTo(part);
            Files.deleteIfExists(journal);
            Files.write(journal, whole);
        }
        assertRecovered();
    }
}
