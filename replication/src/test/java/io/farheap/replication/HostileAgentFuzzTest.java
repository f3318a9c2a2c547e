package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.layout.Descriptor;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.StagingMemory;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.PoolIdentity;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.stream.CommitStream;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever an agent answers, on the control connection and on the data connection: an initiator
 * comes to an end in bounded time and memory, takes no step for done that was not answered, and
 * acknowledges no commit that the agent did not answer for.
 */
class HostileAgentFuzzTest {
    private static final RemoteReplica REPLICA = new RemoteReplica(null, "target", 0, "r.set");
    private static final long IMAGE = Descriptor.DEFAULT_HEAP_OFFSET + (64 << 10);

    /** Not sent together with others. */
    private static final long LONG = 4096;

    private static final Reply GREETING =
            new Reply.Greeting(Reply.PROTOCOL, Reply.VERSION, 1, "target");
    private static final Reply[] DONES = {done("prepare"), done("confirm")};
    private static final int RING = 64 << 10;
    private static final long SECONDS = 8;
    private static final long FREE_BYTES = 24 << 20;
    private static final int COMMITS = 3;

    /** Which of the seeds it is. */
    private static final int ENDLESS = 2;

    /** A port that is reached over verbs: every even one. */
    private static final int REACHED = 8;

    private static final int SEND = 0x46485301;
    private static final MemorySegment LOCAL = Arena.global().allocate(IMAGE, 64).asReadOnly();

    /** Between the control lines and the bytes of the data connection. */
    private static final int END_OF_LINES = 0;

    private static final ReplicationSettings SETTINGS =
            ReplicationSettings.from(
                    Map.of(
                            "FARHEAP_ATTACH_TIMEOUT", "300ms",
                            "FARHEAP_WORK_TIMEOUT", "300ms",
                            "FARHEAP_COMMIT_TIMEOUT", "300ms",
                            "FARHEAP_HEARTBEAT", "50ms"));

    /** Of an agent that answers all: on a busy machine it takes its time. */
    private static final ReplicationSettings PATIENT =
            ReplicationSettings.from(
                    Map.of(
                            "FARHEAP_ATTACH_TIMEOUT", "60s",
                            "FARHEAP_WORK_TIMEOUT", "60s",
                            "FARHEAP_COMMIT_TIMEOUT", "60s",
                            "FARHEAP_HEARTBEAT", "20s"));

    @Test
    @Tag("sliced")
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), HostileAgentFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(HostileAgentFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        Reply.FootprintPage some =
                new Reply.FootprintPage(List.of(new ByteRange(IMAGE - LONG, LONG)), false);
        Reply.FootprintPage last =
                new Reply.FootprintPage(List.of(new ByteRange(IMAGE - 2 * LONG, LONG)), true);
        byte[] stored = stored(IMAGE - 2 * LONG, LONG);
        Give acknowledged = new Give().bytes(stored);
        for (int i = 1; i <= COMMITS; i++) {
            acknowledged.bytes(durable(i));
        }
        byte[] data = acknowledged.toBytes();
        seeds.add(seed(data, GREETING, verdict(2, RING), last, DONES[0], DONES[1]));
        seeds.add(seed(stored, GREETING, verdict(2, RING), last, DONES[0], DONES[1]));
        // Nobody ends it who believes that there is always more.
        Reply[] endless = new Reply[400];
        Arrays.fill(endless, some);
        endless[0] = GREETING;
        endless[1] = verdict(2, RING);
        Give much = new Give();
        for (int i = 0; i < endless.length; i++) {
            much.bytes(stored(IMAGE - LONG, LONG));
        }
        seeds.add(seed(much.toBytes(), endless));
        seeds.add(seed(data, GREETING, verdict(2, RING), DONES[1], DONES[0], last));
        seeds.add(seed(data, GREETING, new Reply.Heartbeat(), new Reply.Heartbeat()));
        for (Reply.Code code : Reply.Code.values()) {
            seeds.add(seed(data, GREETING, new Reply.Refused(code, "No.", "Go.")));
        }
        for (long claimed : new long[] {0, 1, COMMITS + 1, -1, Long.MAX_VALUE}) {
            byte[] lie = new Give().bytes(stored).bytes(durable(claimed)).toBytes();
            seeds.add(seed(lie, GREETING, verdict(2, RING), last, DONES[0], DONES[1]));
        }
        String offer = text(seed(data, GREETING, verdict(2, RING), last, DONES[0], DONES[1]));
        for (String bytes : List.of("0", "64", "1073745920", "4611686018427387904", "-4096")) {
            seeds.add(bytes(offer.replace(":" + RING + ",", ":" + bytes + ",")));
        }
        seeds.add(bytes(offer.replace("{", "{".repeat(100))));
        addOffersOfVerbs(seeds, data, last);
        seeds.add(shortPieces());
        seeds.add(
                new Give()
                        .bytes("x".repeat(100_000).getBytes(StandardCharsets.US_ASCII))
                        .toBytes());
        return seeds.stream();
    }

    /** Where the network carries them or does not, and what is said to who wants tcp instead. */
    private static void addOffersOfVerbs(List<byte[]> seeds, byte[] data, Reply last) {
        for (int port : new int[] {REACHED, REACHED + 1}) {
            Reply verbs = verdict(2, endpoint(port, RING, FabricKind.VERBS));
            seeds.add(seed(data, GREETING, verbs, last, DONES[0], DONES[1]));
            for (FabricKind then : FabricKind.values()) {
                for (int bytes : new int[] {RING, 2 * RING}) {
                    Reply instead = new Reply.Data(endpoint(REACHED, bytes, then));
                    seeds.add(seed(data, GREETING, verbs, instead, last, DONES[0], DONES[1]));
                }
            }
            seeds.add(seed(data, GREETING, verbs, DONES[0], last));
            Reply no = new Reply.Refused(Reply.Code.OTHER, "No.", "Go.");
            seeds.add(seed(data, GREETING, verbs, no));
            String offer = text(seed(data, GREETING, verbs, last, DONES[0], DONES[1]));
            for (String other : List.of("verbs", "TCP", "UDP", "")) {
                seeds.add(bytes(offer.replace("\"VERBS\"", "\"" + other + "\"")));
            }
            for (String host : List.of("0.0.0.0", "far", "[::1]", "a b", "\\u0000")) {
                seeds.add(bytes(offer.replace("127.0.0.1", host)));
            }
        }
    }

    private static Reply done(String request) {
        return new Reply.Done(request);
    }

    private static Reply verdict(long cur, long ringBytes) {
        return verdict(cur, endpoint(REACHED, ringBytes, FabricKind.TCP));
    }

    private static Reply verdict(long cur, DataEndpoint data) {
        return new Reply.Verdict(
                AttachDecision.CURRENT,
                new SlotReport(ReplicaState.INSYNC, cur, 0, cur, 0, 1, cur, false, false),
                false,
                Blob.EMPTY,
                IMAGE,
                List.of(),
                "",
                data);
    }

    private static DataEndpoint endpoint(int port, long ringBytes, FabricKind fabric) {
        return new DataEndpoint(
                "127.0.0.1",
                port,
                Blob.of(new byte[32]),
                ringBytes,
                DurabilityMethod.GPSPM,
                "",
                fabric,
                "");
    }

    /** Both ranges of the tail are sent in one message. */
    private static byte[] shortPieces() {
        List<ByteRange> ranges =
                List.of(new ByteRange(IMAGE - 200, 50), new ByteRange(IMAGE - 100, 8));
        int bytes = JournalMessages.pieceBytes(50) + JournalMessages.pieceBytes(8);
        Give answers = new Give().bytes(stored(2, bytes));
        for (int i = 1; i <= COMMITS; i++) {
            answers.bytes(durable(i));
        }
        Reply footprint = new Reply.FootprintPage(ranges, true);
        return seed(answers.toBytes(), GREETING, verdict(2, RING), footprint, DONES[0], DONES[1]);
    }

    private static byte[] stored(long offset, long length) {
        MemorySegment message = Arena.ofAuto().allocate(64, 8);
        return sent(message, JournalMessages.stored(message, offset, length));
    }

    private static byte[] durable(long sequence) {
        MemorySegment message = Arena.ofAuto().allocate(64, 8);
        return sent(message, JournalMessages.durable(message, sequence, 0, 0));
    }

    private static byte[] sent(MemorySegment message, int length) {
        ByteBuffer header = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(SEND).putInt(length);
        return new Give()
                .bytes(header.array())
                .bytes(message.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE))
                .toBytes();
    }

    private static byte[] seed(byte[] data, Reply... replies) {
        Give input = new Give();
        for (Reply reply : replies) {
            input.bytes(ControlCodec.encode(reply)).octet('\n');
        }
        return input.octet(END_OF_LINES).bytes(data).toBytes();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void take(byte[] input) throws Exception {
        Take from = new Take(input);
        List<byte[]> lines = lines(from);
        byte[] data = from.rest();
        long bytes = FREE_BYTES + 300L * input.length;
        Inputs.bounded(SECONDS, bytes, () -> attach(lines, data, SETTINGS));
    }

    /** Page after page of it, there would be no end. */
    @Test
    void aFootprintThatGoesBackIsRefused() throws Exception {
        List<byte[]> all = seeds().toList();
        Take endless = new Take(all.get(ENDLESS));
        ScriptedTarget target = new ScriptedTarget(lines(endless), RING, endless.rest());
        ReplicaSession member = ReplicaSession.greet(target, REPLICA, 0, hello(SETTINGS), SETTINGS);
        try (StagingMemory staging = new StagingMemory()) {
            staging.fit(member);
            member.connectData(target, Fabrics.only(target), staging.memory());
            assertThatThrownBy(() -> member.image().reconcile(LOCAL))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("out of order or outside of the pool");
            member.abandon();
        } finally {
            target.kill();
        }
    }

    /** As much memory would be taken here before its first byte was heard of. */
    @Test
    void aRingThatNoAgentHasIsRefused() throws Exception {
        String honest = text(seeds().findFirst().orElseThrow());
        Take offer = new Take(bytes(honest.replace(":" + RING + ",", ":" + (1L << 62) + ",")));
        ScriptedTarget target = new ScriptedTarget(lines(offer), RING, new byte[0]);
        assertThatThrownBy(
                        () -> ReplicaSession.greet(target, REPLICA, 0, hello(SETTINGS), SETTINGS))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("ringBytes");
        target.kill();
    }

    /** Else nothing that is refused would mean anything. */
    @Test
    void anHonestAgentIsBelieved() throws Exception {
        Take honest = new Take(seeds().findFirst().orElseThrow());
        assertThat(attach(lines(honest), honest.rest(), PATIENT)).isEqualTo(COMMITS);
        Take gathered = new Take(shortPieces());
        assertThat(attach(lines(gathered), gathered.rest(), PATIENT)).isEqualTo(COMMITS);
    }

    /** The same over verbs, and over tcp where the network carries nothing else. */
    @Test
    void anHonestAgentIsBelievedWhateverItOffers() throws Exception {
        List<byte[]> offers = new ArrayList<>();
        Take honest = new Take(seeds().findFirst().orElseThrow());
        List<byte[]> lines = lines(honest);
        Reply over = verdict(2, endpoint(REACHED, RING, FabricKind.VERBS));
        offers.addAll(lines);
        offers.set(1, ControlCodec.encode(over));
        byte[] data = honest.rest();
        assertThat(attach(offers, data, PATIENT)).isEqualTo(COMMITS);
        Reply notOver = verdict(2, endpoint(REACHED + 1, RING, FabricKind.VERBS));
        offers.set(1, ControlCodec.encode(notOver));
        Reply instead = new Reply.Data(endpoint(REACHED, RING, FabricKind.TCP));
        offers.add(2, ControlCodec.encode(instead));
        assertThat(attach(offers, data, PATIENT)).isEqualTo(COMMITS);
    }

    private static List<byte[]> lines(Take from) {
        List<byte[]> lines = new ArrayList<>();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = from.octet(); next != END_OF_LINES; next = from.octet()) {
            if (next == '\n') {
                lines.add(line.toByteArray());
                line.reset();
            } else {
                line.write(next);
            }
        }
        lines.add(line.toByteArray());
        return lines;
    }

    /**
     * @return how many commits were acknowledged
     */
    private static long attach(List<byte[]> lines, byte[] data, ReplicationSettings settings)
            throws Exception {
        ScriptedTarget target = new ScriptedTarget(lines, RING, data);
        StagingMemory staging = new StagingMemory();
        ReplicaSession member = null;
        int steps = 0;
        long acknowledged = 0;
        try {
            member = ReplicaSession.greet(target, REPLICA, 0, hello(settings), settings);
            steps++;
            assertThat(member.endpoint().ringBytes()).isBetween(1L, 1L << 30);
            // A gigabyte may be offered, but need not be cleared for each input.
            if (member.endpoint().ringBytes() == RING) {
                staging.fit(member);
                member.connectData(target, fabrics(target), staging.memory());
                member.image().reconcile(LOCAL);
                steps++;
                member.prepare();
                steps++;
                member.confirm(4, false);
                steps++;
                acknowledged = commit(member, staging.memory(), data, settings);
            }
        } catch (FarheapException e) {
            assertThat(e.getMessage()).isNotBlank();
        } finally {
            if (member != null) {
                member.abandon();
            }
            target.kill();
            staging.close();
        }
        assertThat(steps).as("steps that were answered").isLessThanOrEqualTo(answered(lines));
        return acknowledged;
    }

    /** Both, and no network between that carries verbs to odd ports. */
    private static Fabrics fabrics(ScriptedTarget target) {
        return Fabrics.only(
                Map.of(FabricKind.TCP, target, FabricKind.VERBS, new ToEvenPorts(target)));
    }

    private record ToEvenPorts(Fabric network) implements Fabric {
        @Override
        public Connection connect(
                InetSocketAddress target,
                byte[] secret,
                MemorySegment local,
                MemorySegment into,
                Duration bound) {
            if (target.getPort() % 2 != 0) {
                throw new FarheapException(FarheapException.Category.REPLICA, "no route");
            }
            return network.connect(target, secret, local, into, bound);
        }

        @Override
        public TargetListener listen(
                InetAddress at,
                int port,
                byte[] secret,
                MemorySegment ring,
                MemorySegment published) {
            throw new UnsupportedOperationException("an initiator does not listen");
        }
    }

    private static Request.Hello hello(ReplicationSettings settings) {
        return PoolIdentity.UNKNOWN.hello(
                Purpose.VERIFY,
                "r.set",
                2,
                0,
                List.of(),
                SlotReport.NOT_KNOWN,
                false,
                false,
                SessionOwner.NONE,
                List.of(FabricKind.VERBS, FabricKind.TCP),
                settings);
    }

    /** How far the lines lead, read in their order. */
    private static int answered(List<byte[]> lines) {
        int steps = 0;
        for (byte[] line : lines) {
            Reply reply = decoded(line);
            boolean next =
                    switch (steps) {
                        case 0 -> reply instanceof Reply.Verdict;
                        case 1 -> reply instanceof Reply.FootprintPage page && page.last();
                        case 2 -> done("prepare").equals(reply);
                        default -> done("confirm").equals(reply);
                    };
            steps += next ? 1 : 0;
        }
        return steps;
    }

    private static Reply decoded(byte[] line) {
        try {
            return ControlCodec.decodeReply(line);
        } catch (FarheapException e) {
            return null;
        }
    }

    private static long commit(
            ReplicaSession member,
            MemorySegment staging,
            byte[] data,
            ReplicationSettings settings) {
        CommitStream stream =
                new CommitStream(
                        4,
                        staging,
                        List.of(member.link(ReplicaPolicy.FAIL)),
                        settings.stream(),
                        () -> {});
        long acknowledged = 0;
        try {
            for (int i = 0; i < COMMITS; i++) {
                long offset = IMAGE - 8L * (i + 1);
                long sequence = stream.append(16, entries -> entries.set(offset, 1));
                try {
                    stream.awaitDurable(sequence);
                    acknowledged = sequence;
                    stream.committed(sequence);
                } catch (FarheapException e) {
                    stream.rolledBack(sequence);
                    break;
                }
            }
            return acknowledged;
        } finally {
            stream.abandon();
            assertThat(acknowledged).isLessThanOrEqualTo(claimed(data));
        }
    }

    /** The largest number of a record that was sent, and that these bytes claim to be durable. */
    private static long claimed(byte[] data) {
        ByteBuffer bytes = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        long claimed = 0;
        while (bytes.remaining() >= 16) {
            int kind = bytes.getInt();
            int length = bytes.getInt();
            long unused = bytes.getLong();
            if (kind != SEND || length <= 0 || length > bytes.remaining()) {
                return claimed;
            }
            int at = bytes.position();
            if (length == JournalMessages.HEADER_BYTES
                    && bytes.getInt(at) == JournalMessages.DURABLE) {
                long number = bytes.getLong(at + 8);
                claimed = Math.max(claimed, number > COMMITS ? 0 : number);
            }
            bytes.position(at + length);
        }
        return claimed;
    }
}
