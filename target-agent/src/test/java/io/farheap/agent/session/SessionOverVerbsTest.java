package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.data.FakeSysfs;
import io.farheap.agent.data.RefusingFabric;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.DeviceDax;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.JournalMessages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whole sessions on a machine that seems to have an RDMA device: what stands in for verbs is the
 * tcp fabric.
 */
@Timeout(60)
class SessionOverVerbsTest {
    private static final long L = 1000;
    private static final long N = 2000;
    private static final long A = SimulatedReplica.HEAP + 4096;
    private static final long BOUND = 10_000_000_000L;

    private final List<TestInitiator> initiators = new ArrayList<>();
    private final MemorySegment message =
            Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, Long.BYTES);
    private Path directory;
    private FakeSysfs sysfs;
    private Function<WaitStrategy, Fabric> verbs = TcpFabric::new;

    @BeforeEach
    void poolset() throws IOException {
        directory = Files.createTempDirectory("farheap-verbs").toRealPath();
        sysfs = new FakeSysfs(Files.createDirectory(directory.resolve("sys")));
        sysfs.device("rdma0", "lo", "127.0.0.1", true);
        Files.writeString(
                directory.resolve("bank.set"),
                "PMEMPOOLSET\n10M " + directory.resolve("part0") + "\n");
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

    private TestInitiator connect() throws IOException {
        TargetMachine machine =
                new TargetMachine(sysfs.root, sysfs::addressesOf, verbs, DeviceDax::map);
        TestInitiator initiator = TestInitiator.connect(directory, machine);
        initiators.add(initiator);
        return initiator;
    }

    private static DataEndpoint hello(TestInitiator initiator, Request.Hello hello)
            throws IOException {
        Reply reply =
                initiator.ask(TestInitiator.offering(hello, FabricKind.VERBS, FabricKind.TCP));
        assertThat(reply).isInstanceOf(Reply.Verdict.class);
        return ((Reply.Verdict) reply).data();
    }

    private static Connection connect(DataEndpoint data, MemorySegment local) {
        return new TcpFabric(WaitStrategy.BLOCKING)
                .connect(
                        new InetSocketAddress(data.host(), data.port()),
                        data.secret().toByteArray(),
                        local,
                        Duration.ofSeconds(10));
    }

    /** A complete image of an empty pool goes to the replica, which becomes a member of N. */
    private void join(TestInitiator initiator, Connection data) throws IOException {
        assertThat(initiator.ask(new Request.StartSync())).isInstanceOf(Reply.Done.class);
        int length =
                JournalMessages.putImage(
                        message,
                        Descriptor.OFFSET,
                        SimulatedReplica.emptyPool(),
                        Descriptor.OFFSET,
                        (int) (Descriptor.END - Descriptor.OFFSET));
        data.send(message, 0, length);
        data.post();
        assertThat(data.await((memory, at, bytes) -> {}, BOUND)).isEqualTo(1);
        assertThat(initiator.ask(new Request.SyncComplete(N))).isInstanceOf(Reply.Done.class);
        assertThat(initiator.ask(new Request.Confirm(N))).isInstanceOf(Reply.Done.class);
    }

    /** Names a range of the stream; the last record that is durable then. */
    private long flush(Connection data, long to) {
        data.send(message, 0, JournalMessages.flush(message, 0, 0, to));
        data.post();
        long[] durable = {-1};
        assertThat(
                        data.await(
                                (memory, at, bytes) ->
                                        durable[0] = JournalMessages.durableSequence(memory, at),
                                BOUND))
                .isEqualTo(1);
        return durable[0];
    }

    private long firstWordOfTheJournal() throws IOException {
        byte[] journal = Files.readAllBytes(directory.resolve("part0.journal"));
        return MemorySegment.ofArray(journal)
                .get(ValueLayout.JAVA_LONG_UNALIGNED, JournalLayout.RING);
    }

    @Test
    void recordsGoThroughABounceRingAndALaterConnectionFindsThem() throws Exception {
        TestInitiator initiator = connect();
        DataEndpoint offered = hello(initiator, TestInitiator.attach("bank.set", L, N));
        assertThat(offered.fabric()).isEqualTo(FabricKind.VERBS);
        assertThat(offered.fabricReason()).contains("rdma0 has the address");
        assertThat(offered.methodReason()).contains("in the domain PAGE_CACHE; ", "a bounce ring");

        MemorySegment local = Arena.ofAuto().allocate(offered.ringBytes(), 64);
        try (Connection data = connect(offered, local)) {
            join(initiator, data);
            RecordWriter records = new RecordWriter(local, N).set(0, A, 11);
            int length = (int) records.position();
            data.write(0, length, 0);
            assertThat(flush(data, 0)).as("nothing was named").isZero();
            assertThat(firstWordOfTheJournal()).isZero();
            assertThat(flush(data, length)).isEqualTo(1);
            assertThat(firstWordOfTheJournal()).isNotZero();
        }
        initiator.close();
        boolean unused = initiator.awaitEnd();

        TestInitiator again = connect();
        Reply reply =
                again.ask(
                        TestInitiator.offering(
                                TestInitiator.hello(Purpose.RESUME, "bank.set", N, 0, 1000, false),
                                FabricKind.VERBS));
        assertThat(((Reply.Verdict) reply).slot().lastSequence()).isEqualTo(1);
        MemorySegment found = Arena.ofAuto().allocate(offered.ringBytes(), 64);
        try (Connection data = connect(((Reply.Verdict) reply).data(), found)) {
            data.read(0, 64, 0);
            data.post();
            assertThat(data.await(new Reads(), BOUND)).isEqualTo(1);
            assertThat(found.asSlice(0, 64).mismatch(local.asSlice(0, 64))).isEqualTo(-1);
        }
    }

    private static final class Reads implements CompletionHandler {
        @Override
        public void received(MemorySegment memory, long offset, int length) {
            throw new AssertionError("nobody asked");
        }
    }

    @Test
    void anInitiatorThatCannotConnectOverVerbsGetsTcp() throws Exception {
        TestInitiator initiator = connect();
        DataEndpoint offered = hello(initiator, TestInitiator.attach("bank.set", L, N));
        Reply reply = initiator.ask(new Request.DataOver(FabricKind.TCP));
        assertThat(reply).isInstanceOf(Reply.Data.class);
        DataEndpoint other = ((Reply.Data) reply).data();
        assertThat(other.fabric()).isEqualTo(FabricKind.TCP);
        assertThat(other.secret()).isNotEqualTo(offered.secret());

        MemorySegment local = Arena.ofAuto().allocate(offered.ringBytes(), 64);
        assertThatThrownBy(() -> connect(offered, local)).isInstanceOf(FarheapException.class);
        try (Connection data = connect(other, local)) {
            join(initiator, data);
            RecordWriter records = new RecordWriter(local, N).set(0, A, 11);
            data.write(0, (int) records.position(), 0);
            assertThat(flush(data, 0)).isZero();
            assertThat(firstWordOfTheJournal()).as("stored to the journal itself").isNotZero();
        }
    }

    @Test
    void whereNoMemoryCanBeRegisteredItIsTcp() throws Exception {
        verbs = wait -> new RefusingFabric();
        DataEndpoint offered = hello(connect(), TestInitiator.attach("bank.set", L, N));
        assertThat(offered.fabric()).isEqualTo(FabricKind.TCP);
        assertThat(offered.fabricReason()).isEqualTo("nothing can be registered");
    }
}
