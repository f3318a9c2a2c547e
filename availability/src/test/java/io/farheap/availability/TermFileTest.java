package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.base.FarheapException;
import io.farheap.replication.journal.KeptTerm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node keeps beside its copy is there when it is read again. */
class TermFileTest {
    @TempDir private Path directory;

    private TermFile open() {
        return TermFile.beside(directory.resolve("pool.part0"));
    }

    @Test
    void aNodeThatNeverWroteHasNothing() {
        assertThat(open().term()).isZero();
        assertThat(open().nextOf(0)).isZero();
        assertThat(open().newest()).isEmpty();
    }

    @Test
    void eachPartIsKeptByItself() {
        TermFile file = open();
        file.raise(7, 0);
        file.prepare(1230, 1234);
        file.keep(new StoreStamp("here", 55));
        file.raise(6, 0);
        assertThat(open().term()).isEqualTo(7);
        assertThat(open().nextOf(1230)).isEqualTo(1234);
        assertThat(open().newest()).contains(new StoreStamp("here", 55));
    }

    /** A new record begins with term 1, and what this node writes from then on is of that one. */
    @Test
    void aTermOfAnotherRecordTakesThePlaceOfAHigherOne() throws IOException {
        TermFile file = open();
        file.raise(7, 4711);
        file.raise(1, 815);
        file.prepare(1230, 1234);
        file.keep(new StoreStamp("here", 55));
        KeptTerm kept = KeptTerm.read(directory.resolve("pool.part0.term"));
        assertThat(kept.term()).isEqualTo(1);
        assertThat(kept.recordId()).isEqualTo(815);
        open().raise(2, 815);
        assertThat(open().term()).isEqualTo(2);
    }

    /** An earlier release keeps what it does not know, and raises the term in another record. */
    @Test
    void aRecordWhoseTermIsNotTheOneThatIsKeptIsNotKnown() throws IOException {
        open().raise(7, 4711);
        Path file = directory.resolve("pool.part0.term");
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("\"format\":1,\"term\":7", "\"format\":1,\"term\":8"));
        assertThat(KeptTerm.read(file).term()).isEqualTo(8);
        assertThat(KeptTerm.read(file).recordId()).isZero();
    }

    @Test
    void whatALaterReleaseKeepsIsKept() throws IOException {
        open().raise(7, 0);
        Path file = directory.resolve("pool.part0.term");
        String text = Files.readString(file);
        Files.writeString(file, text.replace("}", ",\"more\":[1],\"most\":\"b\"}"));
        TermFile kept = open();
        kept.raise(8, 0);
        kept.prepare(1230, 1234);
        kept.keep(new StoreStamp("here", 55));
        assertThat(file).content().contains("\"term\":8", "\"more\":[1],\"most\":\"b\"}");
        assertThat(open().nextOf(1230)).isEqualTo(1234);
    }

    @Test
    void anotherFormatIsOfALaterRelease() throws IOException {
        open().raise(7, 0);
        Path file = directory.resolve("pool.part0.term");
        Files.writeString(file, Files.readString(file).replace("\"format\":1", "\"format\":2"));
        assertThatThrownBy(this::open)
                .hasMessageContaining("pool.part0.term has format 2")
                .hasMessageContaining("upgrade this node, which does not write until then");
    }

    @Test
    void aNodeThatOnlyWaitsKnowsItsStoreAgain() throws IOException {
        Path part = Files.createFile(directory.resolve("pool.part0"));
        WaitingStamps.of(part).keep(new StoreStamp("here", 55));
        assertThat(WaitingStamps.of(part).newest()).contains(new StoreStamp("here", 55));
        assertThat(open().term()).isZero();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(2);
        }
    }

    @Test
    void whatANodeHasWrittenInIsNotBegunAnew() throws IOException {
        Path part = Files.createFile(directory.resolve("pool.part0"));
        open().raise(7, 0);
        WaitingStamps.of(part).keep(new StoreStamp("here", 55));
        assertThat(open().term()).isEqualTo(7);
    }

    @Test
    void withoutACopyAndForALookNothingIsWritten() throws IOException {
        Path part = directory.resolve("pool.part0");
        WaitingStamps.of(part).keep(new StoreStamp("here", 55));
        Path unused = Files.createFile(part);
        WaitingStamps.ofALook(part).keep(new StoreStamp("here", 55));
        assertThat(open().newest()).isEmpty();
    }

    @Test
    void aFileThatCanNotBeMadeIsNamedAndNothingIsLeft() throws IOException {
        String longest = "p".repeat(250); // with .term it may be, with more it may not
        Path part = Files.createFile(directory.resolve(longest));
        assertThatThrownBy(() -> WaitingStamps.of(part).keep(new StoreStamp("here", 55)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("p.term can't be made");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(part);
        }
    }

    /** What is found at once is told at once: a node that waits says so in its log alone. */
    @Test
    void aNodeDoesNotWaitWithAFileThatCanNotBeRead() throws IOException {
        Path part = Files.createFile(directory.resolve("pool.part0"));
        Path unused = Files.writeString(directory.resolve("pool.part0.term"), "{");
        assertThatThrownBy(() -> WaitingStamps.of(part))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not say what this node has written in");
    }

    /** A process that was stopped in its turn, while another one of its node had one. */
    @Test
    void whatAnotherProcessHasWrittenMeanwhileIsNotReplaced() {
        TermFile stopped = open();
        stopped.raise(7, 0);
        TermFile other = open();
        other.raise(8, 0);
        other.prepare(1230, 1234);
        assertThatThrownBy(() -> stopped.keep(new StoreStamp("here", 55)))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.REPLICA))
                .hasMessageContaining("another process of this node has written")
                .hasMessageContaining("term 8");
        assertThatThrownBy(() -> stopped.prepare(1230, 1236)).hasMessageContaining("term 8");
        assertThatThrownBy(() -> stopped.raise(9, 0)).hasMessageContaining("term 8");
        assertThat(open().term()).isEqualTo(8);
        assertThat(open().nextOf(1230)).isEqualTo(1234);
    }

    /** By it alone nothing was written in: a node's first turn goes on from there. */
    @Test
    void whatAProcessThatOnlyWaitsHasBegunMeanwhileIsTaken() throws IOException {
        Path part = Files.createFile(directory.resolve("pool.part0"));
        TermFile first = open();
        WaitingStamps.of(part).keep(new StoreStamp("here", 55));
        first.prepare(1230, 1234);
        assertThat(open().nextOf(1230)).isEqualTo(1234);
        assertThat(open().newest()).contains(new StoreStamp("here", 55));
    }

    @Test
    void aFileThatWasTakenAwayIsWrittenAgain() throws IOException {
        TermFile file = open();
        file.raise(7, 0);
        Files.delete(directory.resolve("pool.part0.term"));
        file.prepare(1230, 1234);
        assertThat(open().term()).isEqualTo(7);
    }

    private Path link() throws IOException {
        Path part = Files.createFile(directory.resolve("pool.part0"));
        return Files.createSymbolicLink(
                Files.createDirectory(directory.resolve("links")).resolve("part"), part);
    }

    /** Two terms of one copy, and a writer whose turn is over would copy over it. */
    @Test
    void whateverNameTheCopyIsKnownByItsTermIsOne() throws IOException {
        Path link = link();
        TermFile.beside(link).raise(7, 4711);
        assertThat(open().term()).isEqualTo(7);
        TermFile byLink = TermFile.beside(link);
        open().raise(8, 4711);
        assertThat(TermFile.beside(link).term()).isEqualTo(8);
        assertThatThrownBy(() -> byLink.raise(9, 4711)).hasMessageContaining("term 8");
    }

    /** As on a full disk for a while: the turn is not over by that. */
    @Test
    void aSideThatCouldNotBeWrittenIsWrittenWithTheNextChange() throws IOException {
        Path link = link();
        TermFile byLink = TermFile.beside(link);
        byLink.raise(7, 4711);
        Path obstacle = Files.createDirectory(link.resolveSibling("part.term.new"));
        assertThatThrownBy(() -> byLink.prepare(1230, 1234))
                .hasMessageContaining("can't be written");
        Files.delete(obstacle);
        byLink.prepare(1230, 1235);
        assertThat(KeptTerm.read(link.resolveSibling("part.term")))
                .isEqualTo(KeptTerm.beside(link));
        assertThat(TermFile.beside(link).nextOf(1230)).isEqualTo(1235);
    }

    /** A crash there leaves one that is of one record. */
    @Test
    void anotherRecordsTermIsNeverBesideAnEarlierOnes() throws IOException {
        Path link = link();
        TermFile byLink = TermFile.beside(link);
        byLink.raise(7, 4711);
        Path obstacle = Files.createDirectory(link.resolveSibling("part.term.new"));
        assertThatThrownBy(() -> byLink.raise(1, 815)).hasMessageContaining("can't be written");
        assertThat(KeptTerm.beside(link).recordId()).isEqualTo(815);
        Files.delete(obstacle);
        TermFile.beside(link).raise(2, 815);
        assertThat(KeptTerm.read(link.resolveSibling("part.term")).term()).isEqualTo(2);
    }

    /** It is what an earlier build looks at, and what stays where the link is replaced. */
    @Test
    void whatStandsBesideALinkCountsAndIsKeptUpToDate() throws IOException {
        Path link = link();
        Path besideLink = link.resolveSibling("part.term");
        Files.write(besideLink, new KeptTerm(7, 1230, 1234, "here", 55).encode());
        assertThat(TermFile.beside(link).nextOf(1230)).isEqualTo(1234);
        WaitingStamps.of(link).keep(new StoreStamp("here", 56));
        assertThat(open().term()).as("only a turn writes").isZero();

        TermFile.beside(link).raise(8, 4711);

        assertThat(KeptTerm.read(besideLink)).isEqualTo(KeptTerm.beside(link));
        assertThat(open().term()).isEqualTo(8);
        assertThat(open().nextOf(1230)).isEqualTo(1234);
    }

    @Test
    void ofTwoRecordsNobodyKnowsWhichCounts() throws IOException {
        Path link = link();
        open().raise(7, 4711);
        KeptTerm other = KeptTerm.NONE.raised(9, 815);
        Files.write(link.resolveSibling("part.term"), other.encode());
        assertThat(open().term()).isEqualTo(7);
        assertThatThrownBy(() -> TermFile.beside(link))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA))
                .hasMessageContaining("another record")
                .hasMessageContaining("move the one to another directory");
    }

    /** The files of another time may be in place of the copy. */
    @Test
    void whatWasPreparedCountsForThatCopyOnly() {
        open().prepare(1230, 1234);
        assertThat(open().nextOf(1228)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{\"term\":1,\"current\":0,\"next\":0}", "{}"})
    void whatCanNotBeReadIsNotTakenForNothing(String text) throws IOException {
        Path unused = Files.writeString(directory.resolve("pool.part0.term"), text);
        assertThatThrownBy(this::open)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not say what this node has written in");
    }
}
