package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.journal.JournalDevices;
import io.farheap.agent.journal.JournalPlace;
import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.JournalMessages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A program's remote memory, by control connections on real files; and that it is no replica. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemorySessionTest {
    private static final long SIZE = 8 << 20;
    private static final PoolUuid POOL = PoolUuid.random();

    @TempDir private Path directory;

    private final List<TestInitiator> initiators = new ArrayList<>();

    private TestInitiator connect() throws IOException {
        TestInitiator initiator = TestInitiator.connect(directory);
        initiators.add(initiator);
        return initiator;
    }

    @AfterEach
    void awaitEnds() throws Exception {
        for (TestInitiator initiator : initiators) {
            initiator.close();
            boolean unused = initiator.awaitEnd();
        }
        initiators.clear();
    }

    private void writePoolset() throws IOException {
        Files.writeString(
                directory.resolve("mem.set"),
                "PMEMPOOLSET\n5M %1$s/part0\n5M %1$s/part1\n".formatted(directory));
    }

    private static Request.Hello hello(Purpose purpose, long number, Blob header) {
        boolean attach = purpose == Purpose.ATTACH;
        boolean sized = attach || purpose.isMemory();
        return new Request.Hello(
                Reply.VERSION,
                purpose,
                "mem.set",
                attach ? HexFormat.of().formatHex(POOL.bytes()) : "",
                "",
                sized ? SIZE : 0,
                header,
                0,
                sized ? number : 0,
                List.of(),
                SlotReport.NOT_KNOWN,
                attach,
                false,
                false,
                "a test",
                1000,
                SessionOwner.NONE,
                FabricKind.TCP_ONLY,
                null,
                null,
                null);
    }

    private Reply create(TestInitiator initiator, String signature) throws IOException {
        return initiator.ask(
                hello(Purpose.CREATE_MEMORY, 10, TestInitiator.attributes(signature, 3, POOL)));
    }

    private Reply open(TestInitiator initiator, long number) throws IOException {
        return initiator.ask(hello(Purpose.OPEN_MEMORY, number, Blob.EMPTY));
    }

    /** A memory whose maker has gone. */
    private void makeMemory() throws Exception {
        writePoolset();
        try (TestInitiator maker = connect()) {
            assertThat(create(maker, "THINGS")).isInstanceOf(Reply.Verdict.class);
            assertThat(maker.ask(new Request.Bye())).isInstanceOf(Reply.Done.class);
            assertThat(maker.awaitEnd()).isTrue();
        }
    }

    private static void assertRefused(Reply reply, Code code, String sentence) {
        assertThat(reply).isInstanceOf(Reply.Refused.class);
        Reply.Refused refused = (Reply.Refused) reply;
        assertThat(refused.message()).contains(sentence);
        assertThat(refused.code()).isEqualTo(code);
    }

    private Map<String, Integer> contents() throws IOException {
        Map<String, Integer> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> !each.toString().endsWith(".lock")).toList()) {
                contents.put(
                        file.getFileName().toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    private PoolHeader headerOf(String part) throws IOException {
        byte[] page = new byte[(int) PoolHeader.SIZE];
        try (RandomAccessFile file = new RandomAccessFile(directory.resolve(part).toFile(), "r")) {
            file.readFully(page);
        }
        return new PoolHeader(MemorySegment.ofArray(page));
    }

    @Test
    void itsPartsSayOfItWhatItsMakerSaid() throws Exception {
        makeMemory();

        for (String part : List.of("part0", "part1")) {
            PoolHeader header = headerOf(part);
            assertThat(header.signature()).isEqualTo("THINGS");
            assertThat(header.major()).isEqualTo(3);
            assertThat(header.poolsetUuid()).isEqualTo(POOL);
            assertThat(header.checksumMatches()).isTrue();
        }
        assertThat(headerOf("part0").links().nextPart()).isEqualTo(headerOf("part1").uuid());
        try (TestInitiator next = connect()) {
            Reply.Verdict verdict = (Reply.Verdict) open(next, 20);
            assertThat(verdict.data()).isNotNull();
            assertThat(verdict.imageSize()).isEqualTo((10 << 20) - 4096);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Purpose.class,
            names = {"ATTACH", "RESUME", "RESTORE", "VERIFY"})
    void noPoolGetsItWhateverIsOrdered(Purpose purpose) throws Exception {
        makeMemory();
        Map<String, Integer> before = contents();

        try (TestInitiator pool = connect()) {
            Blob header = purpose == Purpose.ATTACH ? TestInitiator.header(POOL) : Blob.EMPTY;
            assertRefused(pool.ask(hello(purpose, 30, header)), Code.WRONG_POOL, "remote memory");
        }

        assertThat(contents()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noProgramGetsAReplicaAsItsMemory(boolean create) throws Exception {
        writePoolset();
        try (TestInitiator pool = connect()) {
            Request.Hello attach = hello(Purpose.ATTACH, 30, TestInitiator.header(POOL));
            assertThat(pool.ask(attach)).isInstanceOf(Reply.Verdict.class);
            assertThat(pool.ask(new Request.StartSync())).isInstanceOf(Reply.Done.class);
            assertThat(pool.ask(new Request.Bye())).isInstanceOf(Reply.Done.class);
            assertThat(pool.awaitEnd()).isTrue();
        }
        Map<String, Integer> before = contents();

        try (TestInitiator program = connect()) {
            assertRefused(
                    create ? create(program, "THINGS") : open(program, 20),
                    Code.WRONG_POOL,
                    "a pool's replica");
        }

        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void isNotMadeOverOneThatIsThereNorWithTheNameOfObjectPools() throws Exception {
        writePoolset();
        try (TestInitiator program = connect()) {
            assertRefused(create(program, "PMEMOBJ"), Code.BAD_MESSAGE, "signature PMEMOBJ");
        }
        assertThat(contents().keySet()).containsExactly("mem.set");

        makeMemory();
        Map<String, Integer> before = contents();
        try (TestInitiator program = connect()) {
            assertRefused(create(program, "OTHER"), Code.EXISTS, "mem.set exists");
        }
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void oneProgramHasItAtATime() throws Exception {
        makeMemory();
        TestInitiator first = connect();
        assertThat(open(first, 20)).isInstanceOf(Reply.Verdict.class);
        TestInitiator second = connect();
        assertRefused(open(second, 30), Code.BUSY, "attached to a test");
    }

    @Test
    void whatIsForReplicasIsRefusedOnIt() throws Exception {
        makeMemory();
        try (TestInitiator program = connect()) {
            assertThat(open(program, 20)).isInstanceOf(Reply.Verdict.class);
            for (Request request :
                    List.of(
                            new Request.StartSync(),
                            new Request.Prepare(),
                            new Request.Confirm(20),
                            new Request.Drain(0),
                            new Request.Promote(),
                            new Request.Remove(true, true))) {
                assertRefused(program.ask(request), Code.WRONG_STATE, "does not fit");
            }
            assertRefused(
                    program.ask(
                            new Request.SetAttributes(
                                    TestInitiator.attributes("PMEMOBJ", 6, POOL))),
                    Code.BAD_MESSAGE,
                    "signature PMEMOBJ");
        }
        assertThat(headerOf("part0").signature()).isEqualTo("THINGS");
    }

    @Test
    void itsHeaderCanBeChangedByNoRecordAndNoMessage() throws Exception {
        makeMemory();
        byte[] before = headerPage();
        for (boolean record : new boolean[] {true, false}) {
            try (TestInitiator program = connect()) {
                long number = record ? 20 : 30;
                DataEndpoint data = ((Reply.Verdict) open(program, number)).data();
                MemorySegment ring = Arena.ofAuto().allocate(data.ringBytes(), 64);
                try (Connection connection = connect(data, ring)) {
                    sendToHeader(connection, ring, number, record);
                    assertThat(refusal(connection))
                            .contains(record ? "does not verify" : "not prepared");
                }
            }
            awaitEnds();
        }
        assertThat(headerPage()).isEqualTo(before);
    }

    private byte[] headerPage() throws IOException {
        return Arrays.copyOf(Files.readAllBytes(directory.resolve("part0")), (int) PoolHeader.SIZE);
    }

    private static Connection connect(DataEndpoint data, MemorySegment ring) {
        return new TcpFabric(WaitStrategy.BLOCKING)
                .connect(
                        new InetSocketAddress(data.host(), data.port()),
                        data.secret().toByteArray(),
                        ring,
                        Duration.ofSeconds(10));
    }

    private static void sendToHeader(
            Connection connection, MemorySegment ring, long number, boolean record) {
        MemorySegment message = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
        if (record) {
            RecordWriter writer = new RecordWriter(ring, number).set(0, 4088, 7);
            connection.write(0, (int) writer.position(), 0);
            connection.send(message, 0, JournalMessages.flush(message, 1, 0, writer.position()));
        } else {
            connection.send(message, 0, JournalMessages.putImage(message, 0, message, 0, 8));
        }
        connection.post();
    }

    private static String refusal(Connection connection) {
        StringBuilder said = new StringBuilder();
        AtomicInteger kind = new AtomicInteger();
        connection.await(
                (memory, at, bytes) -> {
                    kind.set(JournalMessages.check(memory, at, bytes));
                    said.append(JournalMessages.refusal(memory, at, bytes));
                },
                30_000_000_000L);
        assertThat(kind).hasValue(JournalMessages.REFUSED);
        return said.toString();
    }

    @Test
    void newAttributesAreInAllPartsAndOneWhoseWritingWasCutAreWrittenAtTheNextOpening()
            throws Exception {
        makeMemory();
        PoolUuid second = headerOf("part1").uuid();
        PoolUuid other = PoolUuid.random();
        Blob changed = TestInitiator.attributes("CHANGED", 4, other);
        try (TestInitiator program = connect()) {
            assertThat(open(program, 20)).isInstanceOf(Reply.Verdict.class);
            assertThat(program.ask(new Request.SetAttributes(changed)))
                    .isInstanceOf(Reply.Done.class);
        }
        assertChanged("CHANGED", other, second);

        PoolUuid third = PoolUuid.random();
        Blob cut = TestInitiator.attributes("AGAIN", 5, third);
        awaitEnds();
        write("part0.journal", JournalLayout.PENDING_HEADER, cut.toByteArray());
        write("part0", 0, Arrays.copyOf(cut.toByteArray(), 30)); // half a header
        reopen(40);
        assertChanged("AGAIN", third, second);

        // what was noted half changes nothing
        byte[] half = Arrays.copyOf(TestInitiator.attributes("HALF", 5, other).toByteArray(), 60);
        write("part0.journal", JournalLayout.PENDING_HEADER, half);
        reopen(60);
        assertChanged("AGAIN", third, second);
    }

    private void reopen(long number) throws Exception {
        try (TestInitiator program = connect()) {
            assertThat(open(program, number)).isInstanceOf(Reply.Verdict.class);
            assertThat(program.ask(new Request.Bye())).isInstanceOf(Reply.Done.class);
            assertThat(program.awaitEnd()).isTrue();
        }
    }

    private void assertChanged(String signature, PoolUuid poolset, PoolUuid second)
            throws IOException {
        for (String part : List.of("part0", "part1")) {
            PoolHeader header = headerOf(part);
            assertThat(header.signature()).isEqualTo(signature);
            assertThat(header.poolsetUuid()).isEqualTo(poolset);
            assertThat(header.checksumMatches()).isTrue();
        }
        assertThat(headerOf("part1").uuid()).isEqualTo(second);
        assertThat(headerOf("part1").links().nextPart()).isEqualTo(headerOf("part0").uuid());
        assertThat(
                        ReplicaInspection.journalUuid(
                                new JournalPlace(
                                        directory.resolve("part0.journal"), JournalDevices.NONE)))
                .hasValue(poolset);
    }

    private void write(String file, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile opened =
                new RandomAccessFile(directory.resolve(file).toFile(), "rw")) {
            opened.seek(at);
            opened.write(bytes);
        }
    }

    @Test
    void aMakingThatWasCutIsMadeAnew() throws Exception {
        makeMemory();
        write("part0.journal", 0, new byte[(int) JournalLayout.RING]); // written last

        try (TestInitiator program = connect()) {
            assertRefused(open(program, 20), Code.NOT_FOUND, "was cut");
        }
        try (TestInitiator program = connect()) {
            assertThat(create(program, "SECOND")).isInstanceOf(Reply.Verdict.class);
        }
        assertThat(headerOf("part0").signature()).isEqualTo("SECOND");
    }
}
