package io.farheap.agent.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.agent.Promotion;
import io.farheap.agent.config.ScriptedTerms;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.CrashSimulation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One control connection after another, on real files: what an initiator may do, and may not. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class SessionTest {
    private static final long RECORD = 4711;
    private static final long OTHER_RECORD = 815;
    private static final long L = 444;
    private static final long N = 5000;

    private Path directory;
    private final List<TestInitiator> initiators = new ArrayList<>();

    @BeforeEach
    void writePoolset() throws IOException {
        directory = Files.createTempDirectory("farheap");
        Files.writeString(directory.resolve("bank.set"), poolset("10M"));
    }

    @AfterEach
    void clear() throws Exception {
        for (TestInitiator initiator : initiators) {
            initiator.close();
            boolean unused = initiator.awaitEnd();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private String poolset(String size) {
        return "PMEMPOOLSET\n" + size + " " + directory.resolve("part0") + "\n";
    }

    private TestInitiator connect(String... settings) throws IOException {
        TestInitiator initiator = TestInitiator.connect(directory, settings);
        initiators.add(initiator);
        return initiator;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void assertRefused(Reply reply, Code code, String sentence) {
        assertThat(reply).isInstanceOf(Reply.Refused.class);
        Reply.Refused refused = (Reply.Refused) reply;
        assertThat(refused.message()).contains(sentence);
        assertThat(refused.code()).isEqualTo(code);
    }

    private static Reply.Verdict verdict(Reply reply) {
        assertThat(reply).isInstanceOf(Reply.Verdict.class);
        return (Reply.Verdict) reply;
    }

    private static void assertDone(Reply reply) {
        assertThat(reply).isInstanceOf(Reply.Done.class);
    }

    private static Connection connectData(Reply.Verdict verdict) {
        DataEndpoint data = verdict.data();
        return new TcpFabric(WaitStrategy.BLOCKING)
                .connect(
                        new InetSocketAddress(data.host(), data.port()),
                        data.secret().toByteArray(),
                        Arena.ofAuto().allocate(data.ringBytes(), 64),
                        Duration.ofSeconds(10));
    }

    /** A complete image of an empty pool goes to the replica, which becomes a member of N. */
    private TestInitiator join() throws IOException {
        TestInitiator initiator = connect();
        Reply.Verdict verdict = verdict(initiator.ask(TestInitiator.attach("bank.set", L, N)));
        assertThat(verdict.kind()).isEqualTo(AttachDecision.NEW);
        try (Connection data = connectData(verdict)) {
            assertDone(initiator.ask(new Request.StartSync()));
            MemorySegment descriptor = descriptor();
            MemorySegment message = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
            int length =
                    JournalMessages.putImage(
                            message, Descriptor.OFFSET, descriptor, 0, (int) descriptor.byteSize());
            data.send(message, 0, length);
            data.post();
            assertThat(data.await((memory, at, bytes) -> {}, 10_000_000_000L)).isEqualTo(1);
            assertDone(initiator.ask(new Request.SyncComplete(N)));
            assertDone(initiator.ask(new Request.Confirm(N)));
        }
        return initiator;
    }

    /** Of a member of N, a writer of that term: what an agent says that has just started. */
    private Reply comeBack(Purpose purpose, long term) throws Exception {
        TestInitiator initiator = connect();
        long next = purpose == Purpose.ATTACH ? 2 * N : 0;
        Request.Hello hello = TestInitiator.hello(purpose, "bank.set", N, next, 1000, false);
        Reply reply = initiator.ask(TestInitiator.withTerm(hello, term));
        initiator.close();
        boolean unused = initiator.awaitEnd();
        return reply;
    }

    @Test
    void aWriterOfALowerTermIsRefusedAlsoByAnAgentThatStartedAgain() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        assertThat(verdict(comeBack(Purpose.RESUME, 8)).kind()).isEqualTo(AttachDecision.CURRENT);

        for (Purpose purpose : List.of(Purpose.ATTACH, Purpose.RESUME)) {
            assertRefused(
                    comeBack(purpose, 7),
                    Code.TERM_OVER,
                    "The term 7 of this writer is over: the replica has heard a writer of term 8.");
            assertRefused(comeBack(purpose, 0), Code.TERM_OVER, "The term 0");
        }
        Reply.Verdict same = verdict(comeBack(Purpose.RESUME, 8));
        assertThat(same.kind()).isEqualTo(AttachDecision.CURRENT);
        assertThat(same.slot().next()).as("a refused hello changed nothing").isZero();
        assertThat(verdict(comeBack(Purpose.ATTACH, 9)).kind()).isEqualTo(AttachDecision.CURRENT);
        assertRefused(comeBack(Purpose.ATTACH, 8), Code.TERM_OVER, "of term 9");
    }

    /** It may end whoever has the replica, but not the writer whose turn it is. */
    @Test
    void aWriterWhoseTermIsOverEndsNobody() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false);
        assertThat(verdict(writer.ask(TestInitiator.withTerm(hello, 8))).kind())
                .isEqualTo(AttachDecision.CURRENT);

        TestInitiator woken = connect();
        Request.Hello late = TestInitiator.hello(Purpose.ATTACH, "bank.set", N, 2 * N, 1000, true);
        assertRefused(woken.ask(TestInitiator.withTerm(late, 7)), Code.TERM_OVER, "of term 8");
        assertThat(Promotion.of(directory.resolve("bank.set")).look().holder()).isNotEmpty();
        assertDone(writer.ask(new Request.Bye()));
        boolean unusedEnd = writer.awaitEnd();
    }

    /** Else it would take another pool's higher term for its own end. */
    @Test
    void theWriterOfAnotherPoolEndsNobodyAndHearsThatItIsAnotherPool() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false);
        assertThat(verdict(writer.ask(TestInitiator.withTerm(hello, 8))).kind())
                .isEqualTo(AttachDecision.CURRENT);

        Request.Hello another =
                TestInitiator.ofPool(
                        TestInitiator.hello(Purpose.ATTACH, "bank.set", N, 2 * N, 1000, true),
                        PoolUuid.random());
        for (long term : new long[] {7, 9}) {
            assertRefused(
                    connect().ask(TestInitiator.withTerm(another, term)), Code.BUSY, "attached to");
        }
        assertDone(writer.ask(new Request.Bye()));
        boolean unusedEnd = writer.awaitEnd();
        assertRefused(
                connect().ask(TestInitiator.withTerm(another, 7)), Code.WRONG_POOL, "another pool");
    }

    /** Its term is that of long ago; and who has one that the store does not know writes now. */
    @Test
    void anOlderCopyThatWasPutHereHearsFromTheStoreInWhichTermItIsWritten() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();

        assertRefused(asking("8", 7), Code.TERM_OVER, "the replica has heard a writer of term 8");
        assertRefused(comeBack(Purpose.RESUME, 7), Code.TERM_OVER, "of term 8");
        assertThat(verdict(asking("8", 8)).kind()).isEqualTo(AttachDecision.CURRENT);
        assertThat(verdict(asking("8", 9)).kind()).isEqualTo(AttachDecision.CURRENT);
        assertRefused(asking("8", 8), Code.TERM_OVER, "of term 9");
    }

    @Test
    void whileTheStoreDoesNotTellNobodyIsListenedTo() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();

        assertRefused(asking(ScriptedTerms.DOWN, 9), Code.BUSY, "did not tell");
        assertThat(verdict(comeBack(Purpose.INSPECT, 0)).slot().term()).isZero();
        assertThat(verdict(comeBack(Purpose.RESUME, 7)).kind()).isEqualTo(AttachDecision.CURRENT);
    }

    /** Two names of one file are one replica. */
    @Test
    void theStoreIsAskedByWhateverNameTheReplicaIsCalled() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();

        assertRefused(asking("./bank.set", "8", 7), Code.TERM_OVER, "a writer of term 8");
    }

    private Reply asking(String pool, long term) throws Exception {
        return asking("bank.set", pool, term);
    }

    private Reply asking(String name, String pool, long term) throws Exception {
        TestInitiator writer = connect("ask", "bank.set etcd:http://e:2379 " + pool);
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, name, N, 0, 1000, false);
        Reply reply = writer.ask(TestInitiator.withTerm(hello, term));
        writer.close();
        boolean unused = writer.awaitEnd();
        return reply;
    }

    /** Who only looks has no term, and is told the highest. */
    @Test
    void whoWritesNothingNeedsNoTerm() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        Reply unusedReply = comeBack(Purpose.RESUME, 8);

        assertThat(verdict(comeBack(Purpose.INSPECT, 0)).slot().term()).isEqualTo(8);
    }

    /** The next writer would copy over what such a pool commits: a person has to know of it. */
    @Test
    void aMemberOfARecordedSetBecomesNoPoolOfItsOwnByTheWay() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        Reply unusedReply = comeBack(Purpose.RESUME, 8);
        Promotion here = Promotion.of(directory.resolve("bank.set"));

        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false);
        assertThat(verdict(writer.ask(TestInitiator.withTerm(hello, 8))).kind())
                .isEqualTo(AttachDecision.CURRENT);
        TestInitiator person = connect();
        Request.Hello order = TestInitiator.hello(Purpose.RESTORE, "bank.set", 0, 0, 1000, true);
        assertRefused(person.ask(order), Code.TERM_OVER, "a writer of term 8: the record");
        assertThat(here.look().holder()).as("nobody's right was ended for it").isNotEmpty();
        assertDone(writer.ask(new Request.Bye()));
        boolean unusedEnd = writer.awaitEnd();

        assertRefused(comeBack(Purpose.RESTORE, 7), Code.TERM_OVER, "a writer of term 8");
        assertThatThrownBy(() -> here.run("me", true, 7)).hasMessageContaining("ha switchover");
        assertThat(here.look().slot().state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(here.look().slot().cur()).isEqualTo(N);

        assertThat(comeBack(Purpose.RESTORE, 8)).isInstanceOf(Reply.Verdict.class);
        Reply.Promoted promoted = here.run("me", false, 8);
        assertThat(here.look().slot().cur()).isEqualTo(promoted.runId()).isNotEqualTo(N);
        assertThat(here.look().slot().term()).as("it has left the record").isZero();
    }

    /** It stood still for long: another node has the pool, and this one may have its turn again. */
    @Test
    void whoTakesOverTooLateEndsNobodysRight() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false);
        Reply unusedReply = writer.ask(TestInitiator.withTerm(hello, 9));

        Promotion here = Promotion.of(directory.resolve("bank.set"));
        assertThatThrownBy(() -> here.takeOver("me", 8, 0, N))
                .hasMessageContaining("a writer of term 9")
                .extracting(e -> ((FarheapException) e).category())
                .isEqualTo(FarheapException.Category.REPLICA);
        assertThat(here.look().holder()).isNotEmpty();
        assertDone(writer.ask(new Request.Bye()));
        boolean unusedEnd = writer.awaitEnd();
    }

    /** Its commits may be nowhere else; and a term that was left here would hide that. */
    @Test
    void whatIsNoCopyOfTheRecordIsNeitherOverwrittenNorGivenATerm() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();

        Request.Hello other = TestInitiator.attach("bank.set", 7 * N, 8 * N);
        for (int i = 0; i < 2; i++) {
            Request.Hello hello = TestInitiator.withTerm(other, 8);
            assertRefused(
                    connect().ask(i == 0 ? hello : TestInitiator.overwriting(hello)),
                    Code.OUTSIDE_RECORD,
                    "a history that can't be compared");
            assertThat(Promotion.of(directory.resolve("bank.set")).look().slot().term()).isZero();
        }
        Request.Hello writer = TestInitiator.overwriting(TestInitiator.withTerm(other, 8));
        leaveTermFile(7, 0);
        assertRefused(
                connect().ask(writer.ofRecord(RECORD)), Code.OUTSIDE_RECORD, "can't be compared");
        leaveTermFile(7, RECORD);
        assertRefused(connect().ask(writer), Code.OUTSIDE_RECORD, "can't be compared");
        assertThat(verdict(connect().ask(writer.ofRecord(RECORD))).kind())
                .isEqualTo(AttachDecision.NOT_COMPARABLE);
    }

    /** What the node of this copy keeps, which has written in that term of a record. */
    private void leaveTermFile(long term, long recordId) throws IOException {
        KeptTerm kept = KeptTerm.NONE.raised(term, recordId);
        Files.write(directory.resolve("part0.term"), kept.encode());
    }

    /** A member of N has heard a writer of that term of a record. */
    private void hear(long term, long recordId) throws Exception {
        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false);
        Reply reply = writer.ask(TestInitiator.withTerm(hello, term).ofRecord(recordId));
        assertThat(verdict(reply).kind()).isEqualTo(AttachDecision.CURRENT);
        assertDone(writer.ask(new Request.Bye()));
        boolean unused = writer.awaitEnd();
    }

    private SlotReport slot() {
        return Promotion.of(directory.resolve("bank.set")).look().slot();
    }

    /** Of a writer whose record does not name the copy, and whose pool's history is another one. */
    private static Request.Hello overwriting(long term, long recordId) {
        Request.Hello hello = TestInitiator.attach("bank.set", 7 * N, 8 * N);
        return TestInitiator.overwriting(TestInitiator.withTerm(hello, term)).ofRecord(recordId);
    }

    private void leaveAMember() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
    }

    /** Each record begins with term 1: a term alone says nothing of what another record's has. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aCopyOfAnotherRecordIsNotOverwrittenWhateverItsTerm(long term) throws Exception {
        leaveAMember();
        hear(2, RECORD);
        SlotReport before = slot();

        assertRefused(
                connect().ask(overwriting(term, OTHER_RECORD)),
                Code.OUTSIDE_RECORD,
                "another record (%016x)".formatted(RECORD));
        assertThat(slot()).isEqualTo(before);
    }

    /** Who is refused for that ends nobody's session before. */
    @Test
    void aWriterOfAnotherRecordEndsNobody() throws Exception {
        leaveAMember();
        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false);
        Reply reply = writer.ask(TestInitiator.withTerm(hello, 2).ofRecord(RECORD));
        assertThat(verdict(reply).kind()).isEqualTo(AttachDecision.CURRENT);

        Request.Hello other = TestInitiator.hello(Purpose.ATTACH, "bank.set", N, 2 * N, 1000, true);
        assertRefused(
                connect().ask(TestInitiator.withTerm(other, 5).ofRecord(OTHER_RECORD)),
                Code.OUTSIDE_RECORD,
                "may have commits that are nowhere else");
        assertThat(Promotion.of(directory.resolve("bank.set")).look().holder()).isNotEmpty();
        assertDone(writer.ask(new Request.Bye()));
        boolean unused = writer.awaitEnd();
    }

    @Test
    void aCopyThatTheRecordItselfHasLeftOutIsOverwrittenByItsWriter() throws Exception {
        leaveAMember();
        hear(2, RECORD);

        TestInitiator writer = connect();
        assertThat(verdict(writer.ask(overwriting(3, RECORD))).kind())
                .isEqualTo(AttachDecision.NOT_COMPARABLE);
        assertDone(writer.ask(new Request.StartSync()));
        assertThat(slot().state()).isEqualTo(ReplicaState.SYNCING);
    }

    /** An earlier release says of no term whose it is: what the numbers prove is done, no more. */
    @Test
    void whereEitherSideDoesNotKnowOfWhichRecordATermIsNumbersDecideAlone() throws Exception {
        leaveAMember();
        hear(2, 0);
        for (long recordId : new long[] {0, RECORD}) {
            assertRefused(
                    connect().ask(overwriting(2, recordId)),
                    Code.OUTSIDE_RECORD,
                    "does not say of which record");
        }
        hear(3, RECORD);
        assertThat(slot().recordId()).isEqualTo(RECORD);
        hear(4, 0);
        assertThat(slot().recordId()).as("an earlier release's program").isEqualTo(RECORD);
        assertRefused(connect().ask(overwriting(4, 0)), Code.OUTSIDE_RECORD, "be compared");
        assertThat(slot().cur()).isEqualTo(N);
    }

    /** Its record may name it: then it may take over as it is. */
    @Test
    void aCompleteCopyOfAnotherRecordIsNoInterruptedOne() throws Exception {
        leaveAMember();
        hear(2, RECORD);
        TestInitiator writer = connect();
        Reply.Verdict verdict = verdict(writer.ask(overwriting(3, RECORD)));
        try (Connection data = connectData(verdict)) {
            assertDone(writer.ask(new Request.StartSync()));
            MemorySegment descriptor = descriptor();
            MemorySegment message = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
            int length =
                    JournalMessages.putImage(
                            message, Descriptor.OFFSET, descriptor, 0, (int) descriptor.byteSize());
            data.send(message, 0, length);
            data.post();
            assertThat(data.await((memory, at, bytes) -> {}, 10_000_000_000L)).isEqualTo(1);
            assertDone(writer.ask(new Request.SyncComplete(8 * N)));
        }
        assertDone(writer.ask(new Request.Bye()));
        boolean unused = writer.awaitEnd();
        SlotReport before = slot();
        assertThat(before.state()).isEqualTo(ReplicaState.SYNCING);

        Request.Hello other = TestInitiator.attach("bank.set", L, 10 * N);
        for (long recordId : new long[] {0, OTHER_RECORD}) {
            Request.Hello hello = TestInitiator.withTerm(other, 5).ofRecord(recordId);
            assertRefused(connect().ask(hello), Code.OUTSIDE_RECORD, "may");
        }
        assertThat(slot()).isEqualTo(before);
        Request.Hello own = TestInitiator.withTerm(other, 5).ofRecord(RECORD);
        assertThat(verdict(connect().ask(own)).kind()).isEqualTo(AttachDecision.SYNC_INTERRUPTED);
    }

    /** The creator's copy: it was never a replica, and has a term file alone. */
    @Test
    void aPoolThatItsNodeHasWrittenUnderAnotherRecordIsNotReplaced() throws Exception {
        leaveAMember();
        Files.delete(directory.resolve("part0.journal"));
        byte[] before = Files.readAllBytes(directory.resolve("part0"));

        Request.Hello writer =
                TestInitiator.withTerm(TestInitiator.attach("bank.set", L, 2 * N), 8);
        writer = TestInitiator.overwriting(writer).ofRecord(RECORD);
        leaveTermFile(7, OTHER_RECORD);
        assertRefused(connect().ask(writer), Code.OUTSIDE_RECORD, "may be nowhere else");
        leaveTermFile(9, RECORD);
        assertRefused(connect().ask(writer), Code.TERM_OVER, "written in term 9");
        Files.writeString(directory.resolve("part0.term"), "{");
        assertRefused(connect().ask(writer), Code.OUTSIDE_RECORD, "term file that can't be read");
        assertThat(Files.readAllBytes(directory.resolve("part0"))).isEqualTo(before);

        leaveTermFile(7, RECORD);
        assertThat(verdict(connect().ask(writer)).created()).isTrue();
    }

    /** Part files alone are a pool, unless a writer of the record has left its term there. */
    @Test
    void aPoolWithoutAJournalIsNotReplacedByTheRecordsWriter() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        Files.delete(directory.resolve("part0.journal"));
        byte[] before = Files.readAllBytes(directory.resolve("part0"));

        Request.Hello hello =
                TestInitiator.overwriting(
                        TestInitiator.withTerm(TestInitiator.attach("bank.set", L, 2 * N), 8));
        assertRefused(connect().ask(hello), Code.OUTSIDE_RECORD, "a replica whose journal is gone");
        assertRefused(
                connect().ask(TestInitiator.ofPool(hello, PoolUuid.random())),
                Code.OUTSIDE_RECORD,
                "no writer of the record");
        for (long next : new long[] {0, N}) { // of a node that waits; of one that was cut
            Files.writeString(
                    directory.resolve("part0.term"),
                    "{\"format\":1,\"term\":0,\"current\":5,\"next\":"
                            + next
                            + ",\"store\":\"s\",\"revision\":5}");
            assertRefused(connect().ask(hello), Code.OUTSIDE_RECORD, "no writer of the record");
        }
        assertThat(Files.readAllBytes(directory.resolve("part0"))).isEqualTo(before);
    }

    /** Else its next writer here would have none: the old one is of parts that are gone. */
    @Test
    void aFormerWritersDiskJournalGoesWithItsFiles() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        Files.delete(directory.resolve("part0.journal"));
        Files.createFile(directory.resolve("part0.disk-journal"));
        leaveTermFile(7, RECORD);

        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.attach("bank.set", L, 2 * N);
        Request.Hello turn = TestInitiator.overwriting(TestInitiator.withTerm(hello, 8));
        Reply reply = writer.ask(turn.ofRecord(RECORD));
        assertThat(verdict(reply).created()).isTrue();
        assertThat(files()).contains("part0.journal", "part0.term");
        assertThat(files()).doesNotContain("part0.disk-journal");
    }

    /** Its newest commits may be in that alone, and whoever asks has a line that leads astray. */
    @Test
    void anotherPoolsDiskJournalIsLeftAsItIs() throws Exception {
        TestInitiator first = join();
        first.close();
        boolean unused = first.awaitEnd();
        Path part = directory.resolve("part0");
        byte[] page = new byte[4096];
        try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
            file.readFully(page);
            new PoolHeader(MemorySegment.ofArray(page)).mark(11);
            file.seek(0);
            file.write(page);
        }

        TestInitiator writer = connect();
        Request.Hello hello = TestInitiator.attach("bank.set", L, 2 * N);
        Request.Hello other = TestInitiator.ofPool(hello, PoolUuid.of(new byte[16]));
        Reply reply = writer.ask(TestInitiator.overwriting(TestInitiator.withTerm(other, 8)));
        assertRefused(reply, Code.EXISTS, "farheap recover puts them where they belong");
    }

    /** It may have become a member again since it was looked at: that is not to be promoted. */
    @Test
    void whoAsksForWhatATakeOverReplayedChangesNothingOfAMember() throws Exception {
        TestInitiator writer = join();
        Promotion here = Promotion.of(directory.resolve("bank.set"));
        assertThatThrownBy(() -> here.replayedTail("me")).hasMessageContaining("attached to");
        assertDone(writer.ask(new Request.Bye()));
        boolean unused = writer.awaitEnd();

        assertThat(here.replayedTail("me").isEmpty()).isTrue();
        assertThat(here.look().slot().state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(here.look().slot().cur()).isEqualTo(N);
    }

    public static MemorySegment descriptor() {
        CrashSimulation pool = new CrashSimulation(TestInitiator.IMAGE_BYTES);
        Descriptor descriptor = new Descriptor(pool.memory());
        descriptor.format(SimulatedReplica.LAYOUT);
        descriptor.seal();
        return pool.memory().image().asSlice(Descriptor.OFFSET, Descriptor.END - Descriptor.OFFSET);
    }

    @Test
    void aMembersFilesInMemoryHaveAllTheirSpace() throws Exception {
        Path memory = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(memory));
        Files.delete(directory.resolve("bank.set"));
        Files.delete(directory);
        directory = Files.createTempDirectory(memory, "farheap");
        Files.writeString(directory.resolve("bank.set"), poolset("10M"));
        TestInitiator unused = join();
        Path part = directory.resolve("part0");
        Process stat =
                new ProcessBuilder("stat", "-c", "%b", part.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String blocks = new String(stat.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(Long.parseLong(blocks) * 512).isGreaterThanOrEqualTo(Files.size(part));
    }

    @Test
    void attachMakesAReplicaAndTheNextOneRecognisesIt() throws Exception {
        TestInitiator first = join();
        assertDone(first.ask(new Request.Bye()));
        assertThat(first.awaitEnd()).isTrue();
        assertThat(files())
                .containsExactly(
                        "bank.set",
                        "part0",
                        "part0.journal",
                        "part0.journal.lock",
                        "part0.readers");

        TestInitiator second = connect();
        Reply.Verdict verdict = verdict(second.ask(TestInitiator.attach("bank.set", N, 2 * N)));
        assertThat(verdict.kind()).isEqualTo(AttachDecision.CURRENT);
        assertThat(verdict.slot().cur()).isEqualTo(N);
        assertDone(second.ask(new Request.Prepare()));
        assertRefused(
                second.ask(new Request.Confirm(N + 2)), Code.WRONG_NUMBER, "not the one announced");
        assertDone(second.ask(new Request.Confirm(2 * N)));
    }

    @Nested
    class Order {
        @Test
        void helloComesFirstAndOnce() throws IOException {
            TestInitiator initiator = connect();
            assertRefused(
                    initiator.ask(new Request.Prepare()),
                    Code.WRONG_STATE,
                    "hello must come first");
            Reply unused = initiator.ask(TestInitiator.attach("bank.set", L, N));
            assertRefused(
                    initiator.ask(TestInitiator.attach("bank.set", L, N)),
                    Code.WRONG_STATE,
                    "a hello before");
        }

        @Test
        void whoOnlyLookedSaysHelloAgain() throws Exception {
            TestInitiator joined = join();
            TestInitiator initiator = connect();
            Request look = TestInitiator.hello(Purpose.INSPECT, "bank.set", 0, 0, 1000, false);
            assertThat(verdict(initiator.ask(look)).holder()).contains("a test");
            assertRefused(
                    initiator.ask(TestInitiator.attach("bank.set", N, 2 * N)),
                    Code.BUSY,
                    "attached to a test");
            assertDone(joined.ask(new Request.Bye()));
            assertThat(joined.awaitEnd()).isTrue();
            assertThat(verdict(initiator.ask(look)).holder()).isEmpty();
            assertThat(verdict(initiator.ask(TestInitiator.attach("bank.set", N, 2 * N))).kind())
                    .isEqualTo(AttachDecision.CURRENT);
            assertRefused(initiator.ask(look), Code.WRONG_STATE, "a hello before");
        }

        @Test
        void requestsOfAnotherPurposeAreRefused() throws IOException {
            TestInitiator initiator = join();
            for (Request request :
                    List.of(
                            new Request.Promote(),
                            new Request.RestoreComplete(8),
                            new Request.Remove(true, true))) {
                assertRefused(initiator.ask(request), Code.WRONG_STATE, "does not fit");
            }
        }

        @Test
        void aSecondInitiatorIsRefusedAndToldWhoHasTheReplica() throws IOException {
            TestInitiator unused = join();
            assertRefused(
                    connect().ask(TestInitiator.attach("bank.set", N, 2 * N)),
                    Code.BUSY,
                    "attached to a test (agent process " + ProcessHandle.current().pid() + ")");
            Reply.Verdict seen =
                    verdict(
                            connect()
                                    .ask(
                                            TestInitiator.hello(
                                                    Purpose.INSPECT,
                                                    "bank.set",
                                                    0,
                                                    0,
                                                    1000,
                                                    false)));
            assertThat(seen.holder()).contains("a test");
            assertThat(seen.slot().state()).isEqualTo(ReplicaState.INSYNC);
        }
    }

    @Nested
    class AMessageThatCannotBeRead {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "GET / HTTP/1.1",
                    "{\"type\":\"format-disk\"}",
                    "{\"type\":\"drain\",\"sequence\":-1}",
                    "{\"type\":\"drain\",\"sequence\":1e3}",
                    "{\"type\":\"drain\",\"sequence\":1,\"sequence\":2}",
                    "{\"type\":\"bye\"} {\"type\":\"bye\"}",
                    "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
                    "null"
                })
        void isRefusedAndEndsTheConnection(String line) throws Exception {
            TestInitiator initiator = connect();
            initiator.sayBytes(line);
            assertRefused(initiator.hear(), Code.BAD_MESSAGE, "no control message");
            assertThat(initiator.awaitEnd()).isFalse();
        }

        @Test
        void orIsTooLongIsRefusedToo() throws Exception {
            TestInitiator initiator = connect();
            Thread speaker = Thread.ofPlatform().daemon().start(() -> flood(initiator));
            assertRefused(
                    initiator.hear(), Code.BAD_MESSAGE, "longer than " + Limits.MAX_LINE_BYTES);
            assertThat(initiator.awaitEnd()).isFalse();
            initiator.close();
            speaker.join();
        }

        private void flood(TestInitiator initiator) {
            try {
                initiator.sayEndlessly(2 * Limits.MAX_LINE_BYTES);
            } catch (IOException e) {
                // the agent does not listen to the end
            }
        }

        @Test
        void takesAMembersRightAway() throws Exception {
            TestInitiator initiator = join();
            initiator.sayBytes("{");
            assertRefused(initiator.hear(), Code.BAD_MESSAGE, "no control message");
            assertThat(initiator.awaitEnd()).isFalse();
            assertThat(ReplicaLock.holder(directory.resolve("part0.journal.lock"))).isEmpty();
        }
    }

    @Nested
    class PoolsetNames {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "/etc/passwd",
                    "../bank.set",
                    "a/../../bank.set",
                    "link.set",
                    "linked/bank.set",
                    ".",
                    "bank.set\u0000"
                })
        void thatLeadOutOfTheDirectoryAreRefused(String name) throws IOException {
            Path inside = Files.createDirectory(directory.resolve("inside"));
            Files.createSymbolicLink(inside.resolve("link.set"), directory.resolve("bank.set"));
            Files.createSymbolicLink(inside.resolve("linked"), directory);
            TestInitiator initiator = connect("poolset-dir", inside.toString());
            assertRefused(
                    initiator.ask(TestInitiator.attach(name, L, N)), Code.BAD_NAME, "poolset");
        }

        @Test
        void thatDoNotExistAreNotFound() throws IOException {
            assertRefused(
                    connect().ask(TestInitiator.attach("other.set", L, N)),
                    Code.NOT_FOUND,
                    "no poolset \"other.set\"");
        }

        @Test
        void ofAnyLengthGetASentence() throws IOException {
            String name = "../" + "x".repeat(Limits.MAX_TEXT - 3);
            assertRefused(connect().ask(TestInitiator.attach(name, L, N)), Code.BAD_NAME, "../xxx");
        }
    }

    @Nested
    class AProgramOfOtherVersions {
        private final Request.Hello hello = TestInitiator.attach("bank.set", L, N);

        @Test
        void isAnsweredInTheHighestVersionThatBothKnow() throws Exception {
            TestInitiator initiator = connect();
            Request.Hello next = TestInitiator.speaking(hello, Reply.VERSION, Reply.VERSION + 1);
            assertThat(verdict(initiator.ask(next)).version()).isEqualTo(Reply.VERSION);
        }

        @Test
        void isAnsweredWhereItSaysOneVersionOnly() throws Exception {
            Request.Hello plain = TestInitiator.speaking(hello, null, Reply.VERSION);
            assertThat(verdict(connect().ask(plain)).version()).isEqualTo(Reply.VERSION);
        }

        @Test
        void isRefusedWithBothRangesWhereNoneIsCommon() throws Exception {
            assertRefusedLeavingNothing(
                    Reply.VERSION + 1,
                    Reply.VERSION + 2,
                    "The program speaks farheap-control 6 to 7, this agent farheap-control 5.",
                    "Upgrade the agent first, or run the program of a release that speaks version 5.");
            assertRefusedLeavingNothing(
                    Reply.VERSION - 2,
                    Reply.VERSION - 1,
                    "The program speaks farheap-control 3 to 4, this agent farheap-control 5.",
                    "Upgrade the program first, or run the agent of a release that speaks version 4.");
        }

        private void assertRefusedLeavingNothing(
                int lowest, int highest, String message, String advice) throws Exception {
            TestInitiator initiator = connect();
            Reply reply = initiator.ask(TestInitiator.speaking(hello, lowest, highest));
            assertThat(reply).isEqualTo(new Reply.Refused(Code.BAD_MESSAGE, message, advice));
            initiator.close();
            boolean unused = initiator.awaitEnd();
            assertThat(files()).containsExactly("bank.set");
        }
    }

    @Nested
    class AHelloThatIsRefused {
        private void assertLeavesNothing(String sentence, String... settings) throws Exception {
            TestInitiator initiator = connect(settings);
            Reply reply = initiator.ask(TestInitiator.attach("bank.set", L, N));
            assertThat(reply).isInstanceOf(Reply.Refused.class);
            assertThat(((Reply.Refused) reply).message()).contains(sentence);
            initiator.close();
            boolean unused = initiator.awaitEnd();
            assertThat(files()).containsExactly("bank.set");
        }

        @Test
        void becauseThePartsAreTooSmallLeavesNoFile() throws Exception {
            Files.writeString(directory.resolve("bank.set"), poolset("8M"));
            assertLeavesNothing("larger parts");
        }

        @Test
        void becauseNoDurabilityMethodIsAllowedLeavesNoFile() throws Exception {
            assertLeavesNothing("appliance method", "persist-general", "no");
        }

        @Test
        void becauseDataMustComeThroughSshLeavesNoFile() throws Exception {
            assertLeavesNothing("through ssh only", "data", "ssh");
        }

        @Test
        void becauseItsHeartbeatIsTooSlowLeavesNoFile() throws Exception {
            assertLeavesNothing("too slow", "heartbeat-bound", "1500");
        }

        @ParameterizedTest
        @ValueSource(longs = {0, 4096, 1 << 20})
        void cutByADeathOfTheAgentIsBegunAgain(long journalBytes) throws Exception {
            try (RandomAccessFile journal =
                            new RandomAccessFile(
                                    directory.resolve("part0.journal").toFile(), "rw");
                    RandomAccessFile part =
                            new RandomAccessFile(directory.resolve("part0").toFile(), "rw")) {
                journal.setLength(journalBytes);
                part.setLength(10 << 20);
            }
            assertRefused(
                    connect()
                            .ask(
                                    TestInitiator.hello(
                                            Purpose.RESTORE, "bank.set", L, 0, 1000, false)),
                    Code.NOT_FOUND,
                    "was cut");
            TestInitiator initiator = connect();
            Reply.Verdict verdict = verdict(initiator.ask(TestInitiator.attach("bank.set", L, N)));
            assertThat(verdict.created()).isTrue();
            assertThat(verdict.kind()).isEqualTo(AttachDecision.NEW);
        }

        @Test
        void doesNotTouchFilesThatAreNoReplica() throws Exception {
            Files.writeString(directory.resolve("part0"), "somebody's");
            TestInitiator initiator = connect();
            assertRefused(
                    initiator.ask(TestInitiator.attach("bank.set", L, N)),
                    Code.EXISTS,
                    "without a journal");
            initiator.close();
            boolean unused = initiator.awaitEnd();
            assertThat(files()).containsExactly("bank.set", "part0");
            assertThat(directory.resolve("part0")).hasContent("somebody's");
        }
    }

    /** As what lies beside the pool itself: nobody else reads a heap. */
    @Test
    void filesOfANewReplicaAreTheirOwnersAlone() throws Exception {
        Files.setPosixFilePermissions(
                directory.resolve("bank.set"), PosixFilePermissions.fromString("rw-r--r--"));
        var unused = verdict(connect().ask(TestInitiator.attach("bank.set", L, N)));
        for (String name :
                List.of("part0", "part0.journal", "part0.journal.lock", "part0.readers")) {
            assertThat(Files.getPosixFilePermissions(directory.resolve(name)))
                    .as(name)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void partsOfANewReplicaHaveTheModeThatThePoolsHave() throws Exception {
        Request.Hello attach = TestInitiator.attach("bank.set", L, N);
        var unused = verdict(connect().ask(TestInitiator.withMode(attach, 0640)));
        assertThat(Files.getPosixFilePermissions(directory.resolve("part0")))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(Files.getPosixFilePermissions(directory.resolve("part0.journal")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Nested
    class AReplicaThatWasMadeAndNotUsed {
        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void goesWithTheConnectionThatMadeIt(boolean goodOrder) throws Exception {
            TestInitiator initiator = connect();
            assertThat(verdict(initiator.ask(TestInitiator.attach("bank.set", L, N))).created())
                    .isTrue();
            if (goodOrder) {
                assertDone(initiator.ask(new Request.Bye()));
            }
            initiator.close();
            assertThat(initiator.awaitEnd()).isEqualTo(goodOrder);
            assertThat(files()).containsExactly("bank.set");
        }

        @Test
        void staysOnceItsCopyHasBegun() throws Exception {
            TestInitiator initiator = connect();
            Reply unused = initiator.ask(TestInitiator.attach("bank.set", L, N));
            assertDone(initiator.ask(new Request.StartSync()));
            initiator.close();
            assertThat(initiator.awaitEnd()).isFalse();
            assertThat(files()).contains("part0", "part0.journal");
        }
    }

    @Nested
    class Promoted {
        private Promotion promotion() {
            return Promotion.of(directory.resolve("bank.set"));
        }

        @Test
        void itIsNotTakenFromWhoHasItButByOrder() throws Exception {
            assertThat(promotion().look().slot()).isNull();
            TestInitiator initiator = join();
            assertThat(promotion().look().holder()).startsWith("a test");
            assertThatThrownBy(() -> promotion().run("me", false, 0))
                    .hasMessageContaining("attached to a test");
            assertDone(initiator.ask(new Request.Bye()));
            assertThat(initiator.awaitEnd()).isTrue();

            Reply.Promoted promoted = promotion().run("me", false, 0);
            assertThat(promotion().look().slot().state()).isEqualTo(ReplicaState.PROMOTED);
            assertThat(promotion().look().slot().headerRunId()).isEqualTo(promoted.runId());
            assertThat(promotion().run("me", false, 0).runId()).isEqualTo(promoted.runId());
        }

        @Test
        void halfACopyIsNot() throws Exception {
            TestInitiator initiator = connect();
            Reply unused = initiator.ask(TestInitiator.attach("bank.set", L, N));
            assertDone(initiator.ask(new Request.StartSync()));
            initiator.close();
            assertThat(initiator.awaitEnd()).isFalse();
            assertThatThrownBy(() -> promotion().run("me", true, 0))
                    .hasMessageContaining("a copy to it never ended");
            assertThat(promotion().look().slot().state()).isEqualTo(ReplicaState.SYNCING);
        }

        @ParameterizedTest
        @ValueSource(strings = {"free", "open", "with replicas"})
        void theOldPoolIsToldWhetherItsOwnerHasItOpenOrNot(String how) throws Exception {
            TestInitiator initiator = join();
            assertDone(initiator.ask(new Request.Bye()));
            assertThat(initiator.awaitEnd()).isTrue();
            long number = promotion().run("me", false, 0).runId();
            if (how.equals("with replicas")) {
                String text = poolset("10M") + "REPLICA elsewhere bank.set\n";
                Files.writeString(directory.resolve("bank.set"), text);
            }
            try (NativeFile owner = NativeFile.open(directory.resolve("part0"))) {
                if (how.equals("open")) {
                    owner.lock();
                }
                for (Purpose purpose : new Purpose[] {Purpose.ATTACH, Purpose.RESUME}) {
                    long next = purpose == Purpose.ATTACH ? 2 * N : 0;
                    Request.Hello hello =
                            TestInitiator.hello(purpose, "bank.set", N, next, 1000, false);
                    TestInitiator old = connect();
                    Reply.Verdict verdict = verdict(old.ask(hello));
                    assertThat(verdict.kind()).isEqualTo(AttachDecision.TAKEN_OVER);
                    assertThat(verdict.slot().cur()).isEqualTo(number);
                    assertRefused(old.ask(new Request.Prepare()), Code.WRONG_STATE, "");
                    old.close();
                    boolean unused = old.awaitEnd();
                }
            }
        }

        @Test
        void whoLostItRemovesItByForceOnly() throws Exception {
            TestInitiator initiator = join();
            assertDone(initiator.ask(new Request.Bye()));
            assertThat(initiator.awaitEnd()).isTrue();
            Reply.Promoted unused = promotion().run("me", false, 0);
            TestInitiator remover = connect();
            Reply found =
                    remover.ask(TestInitiator.hello(Purpose.REMOVE, "bank.set", N, 0, 1000, false));
            assertThat(verdict(found).slot().state()).isEqualTo(ReplicaState.PROMOTED);
            assertRefused(
                    remover.ask(new Request.Remove(false, false)),
                    Code.WRONG_STATE,
                    "was promoted");
            assertThat(files()).contains("part0", "part0.journal");
            assertDone(remover.ask(new Request.Remove(true, false)));
            assertThat(files()).doesNotContain("part0", "part0.journal");
        }

        /** Who looked at one pool, and finds another one when it removes, has not meant that. */
        @Test
        void aRemovalThatMeansAnotherPoolIsRefusedAndEndsNobodysRight() throws Exception {
            TestInitiator holder = join();
            assertRefused(
                    connect().ask(TestInitiator.removal("bank.set", PoolUuid.random(), true)),
                    Code.WRONG_POOL,
                    "belongs to another pool");
            assertDone(holder.ask(new Request.Bye()));
            assertThat(holder.awaitEnd()).isTrue();
            TestInitiator remover = connect();
            verdict(remover.ask(TestInitiator.removal("bank.set", TestInitiator.POOL, false)));
            assertDone(remover.ask(new Request.Remove(false, false)));
            assertThat(files()).doesNotContain("part0", "part0.journal");
        }
    }

    @Nested
    class AnInitiator {
        @Test
        void hearsTheAgentWhileItsHelloTakesTime() throws Exception {
            TestInitiator initiator = connect();
            Path lock = Files.createFile(directory.resolve("part0.journal.lock"));
            try (NativeFile other = NativeFile.open(lock)) {
                other.lock();
                initiator.say(TestInitiator.hello(Purpose.ATTACH, "bank.set", L, N, 20, true));
                assertThat(initiator.hearNext()).isInstanceOf(Reply.Heartbeat.class);
            }
            assertThat(verdict(initiator.hear()).kind()).isEqualTo(AttachDecision.NEW);
        }

        @Test
        void thatIsSilentLosesItsRightWithinTheBound() throws Exception {
            TestInitiator initiator = connect("heartbeat-bound", "300");
            Reply unused =
                    initiator.ask(
                            TestInitiator.hello(Purpose.ATTACH, "bank.set", L, N, 100, false));
            assertDone(initiator.ask(new Request.StartSync()));
            long begin = System.nanoTime();
            assertRefused(initiator.hear(), Code.BUSY, "not heard of for 300 ms");
            assertThat(initiator.awaitEnd()).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofSeconds(30));
            assertThat(ReplicaLock.holder(directory.resolve("part0.journal.lock"))).isEmpty();
        }

        @Test
        void thatSaysNothingAtAllIsWaitedForUntilTheBound() throws Exception {
            TestInitiator initiator = connect("attach-bound", "300");
            assertRefused(
                    initiator.hear(), Code.BUSY, "not heard of for 300 ms, and has no right yet");
            assertThat(initiator.awaitEnd()).isFalse();
        }

        @Test
        void thatMakesNoDataConnectionIsWaitedForThereUntilTheBound() throws Exception {
            TestInitiator initiator = connect("attach-bound", "300");
            DataEndpoint data =
                    verdict(initiator.ask(TestInitiator.attach("bank.set", L, N))).data();
            await().untilAsserted(
                            () -> {
                                initiator.say(new Request.Heartbeat());
                                assertThatThrownBy(
                                                () -> new Socket(data.host(), data.port()).close())
                                        .isInstanceOf(ConnectException.class);
                            });
            assertThat(initiator.isServed()).isTrue();
        }

        @Test
        void thatSendsHeartbeatsKeepsIt() throws Exception {
            TestInitiator initiator = connect("heartbeat-bound", "1500");
            Reply unused =
                    initiator.ask(
                            TestInitiator.hello(Purpose.ATTACH, "bank.set", L, N, 300, false));
            long end = System.nanoTime() + 2_500_000_000L;
            await().pollInterval(Duration.ofMillis(20))
                    .until(
                            () -> {
                                initiator.say(new Request.Heartbeat());
                                return System.nanoTime() > end;
                            });
            assertThat(initiator.isServed()).isTrue();
            assertDone(initiator.ask(new Request.StartSync()));
        }

        @Test
        void thatComesBackWaitsForItsOwnEarlierAgentButForNobodyElses() throws Exception {
            TestInitiator first = connect();
            SessionOwner owner = SessionOwner.fresh().next();
            Reply unused = first.ask(TestInitiator.claiming(owner, Purpose.ATTACH, L, N));
            assertDone(first.ask(new Request.StartSync()));
            Request.Hello again = TestInitiator.claiming(owner, Purpose.RESUME, L, 0);
            assertRefused(connect().ask(again), Code.BUSY, "attached to a test");
            for (SessionOwner other :
                    new SessionOwner[] {SessionOwner.NONE, SessionOwner.fresh().next()}) {
                again = TestInitiator.claiming(other, Purpose.RESUME, L, 0);
                assertRefused(connect().ask(again), Code.WRONG_STATE, "attached to a test");
            }
        }

        /** A stopped process: its pipes fill, and whoever writes to them waits. */
        @Test
        void thatDoesNotReadLosesItToo() throws Exception {
            TestInitiator initiator = connect("heartbeat-bound", "300");
            Reply unused =
                    initiator.ask(
                            TestInitiator.hello(Purpose.ATTACH, "bank.set", L, N, 100, false));
            Thread speaker = Thread.ofPlatform().daemon().start(() -> askOnAndOn(initiator));
            assertThat(initiator.awaitEnd()).isFalse();
            assertThat(ReplicaLock.holder(directory.resolve("part0.journal.lock"))).isEmpty();
            initiator.close();
            speaker.join();
        }

        private void askOnAndOn(TestInitiator initiator) {
            try {
                for (int i = 0; i < 10_000; i++) {
                    initiator.say(new Request.Promote());
                }
            } catch (IOException e) {
                // nobody listens any more
            }
        }
    }

    @Nested
    class TheDataConnection {
        @Test
        void isBoundToTheControlConnectionsAddressOnly() throws Exception {
            TestInitiator initiator = connect();
            DataEndpoint data =
                    verdict(initiator.ask(TestInitiator.attach("bank.set", L, N))).data();
            assertThat(data.host()).isEqualTo(InetAddress.getLoopbackAddress().getHostAddress());
        }

        @Test
        void isMadeOnceBySecret() throws Exception {
            TestInitiator initiator = connect();
            Reply.Verdict verdict = verdict(initiator.ask(TestInitiator.attach("bank.set", L, N)));
            try (Connection first = connectData(verdict)) {
                assertThat(first.remoteBytes()).isEqualTo(verdict.data().ringBytes());
                assertThatThrownBy(() -> connectData(verdict).close())
                        .isInstanceOf(FarheapException.class)
                        .hasMessageContaining("no data connection");
            }
        }

        @Test
        void endsWithASentenceWhenAMessageIsNotUnderstood() throws Exception {
            TestInitiator initiator = join();
            assertDone(initiator.ask(new Request.Bye()));
            assertThat(initiator.awaitEnd()).isTrue();
            TestInitiator next = connect();
            Reply.Verdict verdict = verdict(next.ask(TestInitiator.attach("bank.set", N, 2 * N)));
            try (Connection data = connectData(verdict)) {
                MemorySegment message = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);
                message.set(ValueLayout.JAVA_INT, 0, 77);
                message.set(ValueLayout.JAVA_INT, 4, JournalMessages.HEADER_BYTES);
                assertRefusesData(data, message, "unknown kind 77");
            }
        }

        @Test
        void endsWithASentenceWhenRecordsComeBeforeConfirm() throws Exception {
            TestInitiator initiator = connect();
            Reply.Verdict verdict = verdict(initiator.ask(TestInitiator.attach("bank.set", L, N)));
            try (Connection data = connectData(verdict)) {
                MemorySegment message = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);
                int unused = JournalMessages.flush(message, 1, 0, 64);
                assertRefusesData(data, message, "not a confirmed member");
            }
        }

        private void assertRefusesData(Connection data, MemorySegment message, String sentence) {
            List<String> said = new ArrayList<>();
            // The rest of a batch is on its way already, as it would be with a real initiator.
            for (int i = 0; i < 8; i++) {
                data.send(message, 0, (int) message.byteSize());
                data.post();
            }
            assertThat(
                            data.await(
                                    (memory, at, length) -> {
                                        assertThat(JournalMessages.check(memory, at, length))
                                                .isEqualTo(JournalMessages.REFUSED);
                                        said.add(JournalMessages.refusal(memory, at, length));
                                    },
                                    10_000_000_000L))
                    .isEqualTo(1);
            assertThat(said.get(0)).contains(sentence);
            assertThatThrownBy(() -> data.await((memory, at, length) -> {}, 10_000_000_000L))
                    .hasMessageContaining("broke");
        }
    }
}
