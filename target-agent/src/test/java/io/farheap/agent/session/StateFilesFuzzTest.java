package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.agent.session.HostileGround.Found;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Request;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotLayout;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes in the files of a replica (journal header, both copies of the slot with right checksums
 * or wrong ones, lock file, pool header, descriptor), and any length of them: an agent that an
 * honest initiator meets there answers, refuses or goes on, and touches nothing else.
 */
class StateFilesFuzzTest {
    private static final long SECONDS = 10;
    private static final long FREE_BYTES = 24 << 20;
    private static final List<String> FILES =
            List.of("part0.journal", "part0", "part0.journal.lock");

    private static HostileGround ground;

    @BeforeAll
    static void make() throws IOException {
        ground = HostileGround.create();
    }

    @AfterAll
    static void delete() throws IOException {
        ground.delete();
    }

    @Test
    @Tag("sliced")
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), StateFilesFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(StateFilesFuzzTest::take, input);
    }

    /** What an initiator asks for then. */
    private static List<Request> questions() {
        return List.of(
                HostileGround.hello(Purpose.INSPECT, "bank.set", 0, false, false),
                HostileGround.hello(Purpose.ATTACH, "bank.set", HostileGround.N, false, true),
                HostileGround.hello(Purpose.ATTACH, "bank.set", HostileGround.N, true, false),
                HostileGround.hello(Purpose.RESTORE, "bank.set", 0, false, false),
                HostileGround.hello(Purpose.RESUME, "bank.set", HostileGround.N, false, false),
                HostileGround.hello(Purpose.OPEN_MEMORY, "bank.set", 0, false, false));
    }

    static Stream<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        long[] odd = {0, 1, -1, 64, 1L << 61, Long.MAX_VALUE, Long.MIN_VALUE};
        for (int question = 0; question < questions().size(); question++) {
            for (long value : odd) {
                seeds.add(slot(question, value, 0, 0));
                seeds.add(slot(question, 0, value, 7));
                seeds.add(slot(question, 0, 3, value));
            }
            for (int length : new int[] {0, 1, 4095, 4096, 5000, 8191, 8200, 16384, 20000}) {
                seeds.add(begin(question).octet(0).octet(0).small(length).small(0).toBytes());
                seeds.add(
                        begin(question)
                                .bytes(edit(0, 1, new byte[4096]))
                                .bytes(edit(0, 4096, new byte[] {1}))
                                .octet(0)
                                .octet(0)
                                .small(length)
                                .small(0)
                                .toBytes());
            }
            seeds.add(begin(question).bytes(edit(1, 0, new byte[4096])).toBytes());
            seeds.add(begin(question).bytes(edit(1, 4096, new byte[4096])).toBytes());
            seeds.add(
                    begin(question)
                            .bytes(edit(2, 0, "1 2 x".getBytes(StandardCharsets.US_ASCII)))
                            .toBytes());
            seeds.add(begin(question).bytes(edit(0, 16, new byte[] {0, 0, 1})).toBytes());
        }
        addNotes(seeds);
        return seeds.stream();
    }

    /** What the parts' headers are being replaced by when the agent is killed, and then some. */
    private static void addNotes(List<byte[]> seeds) {
        List<Blob> headers =
                List.of(
                        TestInitiator.attributes("THINGS", 1, HostileGround.POOL),
                        TestInitiator.attributes("OTHERS", 2, PoolUuid.ZERO),
                        TestInitiator.attributes("PMEMOBJ", 6, HostileGround.POOL),
                        TestInitiator.header(HostileGround.POOL),
                        TestInitiator.header(PoolUuid.random()));
        for (int question = 0; question < questions().size(); question++) {
            for (Blob header : headers) {
                byte[] note = edit(0, (int) JournalLayout.PENDING_HEADER, header.toByteArray());
                seeds.add(begin(question).bytes(note).toBytes());
                seeds.add(
                        begin(question)
                                .bytes(note)
                                .bytes(sealed(0, 16, new byte[] {0, 0, 1}))
                                .toBytes());
                seeds.add(begin(question).bytes(note).bytes(edit(0, 0, new byte[40])).toBytes());
                for (int field : new int[] {8, 16, 24, 100, 4000}) {
                    seeds.add(
                            begin(question)
                                    .bytes(note)
                                    .bytes(
                                            sealed(
                                                    0,
                                                    (int) JournalLayout.PENDING_HEADER + field,
                                                    new byte[] {-1, 1}))
                                    .toBytes());
                }
            }
        }
    }

    private static Give begin(int question) {
        boolean memory = question == questions().size() - 1;
        Found found = memory ? Found.MEMORY : Found.MEMBER;
        return new Give().octet(question).octet(found.ordinal());
    }

    private static byte[] edit(int file, int at, byte[] bytes) {
        return change(file, 1, at, bytes);
    }

    /** An edit that all checksums cover afterwards. */
    private static byte[] sealed(int file, int at, byte[] bytes) {
        return change(file, 2, at, bytes);
    }

    private static byte[] change(int file, int how, int at, byte[] bytes) {
        return new Give()
                .octet(file)
                .octet(how)
                .small(at)
                .small(bytes.length)
                .bytes(bytes)
                .toBytes();
    }

    /** As the agent writes it, with numbers that it never had. */
    private static byte[] slot(int question, long number, long sequence, long position) {
        MemorySegment file = Arena.ofAuto().allocate(16384, 8);
        SlotLayout.write(
                file,
                new ReplicaSlot(
                        ReplicaState.INSYNC,
                        number == 0 ? HostileGround.N : number,
                        0,
                        HostileGround.N,
                        sequence,
                        position,
                        0,
                        1000,
                        false,
                        0));
        byte[] copy = file.asSlice(4096, SlotLayout.BYTES).toArray(ValueLayout.JAVA_BYTE);
        return begin(question).bytes(edit(0, 4096, copy)).toBytes();
    }

    private static void take(byte[] input) throws Exception {
        Take from = new Take(input);
        Request question = questions().get(from.octet() % questions().size());
        ground.prepare(Found.values()[from.octet() % Found.values().length]);
        while (!from.isEmpty()) {
            change(from);
        }
        byte[] said =
                new Give()
                        .bytes(ControlCodec.encode(question))
                        .octet('\n')
                        .bytes(ControlCodec.encode(new Request.Footprint(0, 1000)))
                        .octet('\n')
                        .bytes(ControlCodec.encode(new Request.Prepare()))
                        .octet('\n')
                        .bytes(ControlCodec.encode(new Request.Promote()))
                        .octet('\n')
                        .toBytes();
        HostileSession session = new HostileSession(said);
        Inputs.bounded(SECONDS, FREE_BYTES, () -> session.serve(ground));
        assertThat(session.replies()).isNotEmpty();
        ground.checkBystanders(false);
    }

    private static void change(Take from) throws IOException {
        Path file = ground.directory().resolve(FILES.get(from.octet() % FILES.size()));
        int how = from.octet() % 3;
        int at = from.small();
        byte[] bytes = from.bytes(from.small());
        try (RandomAccessFile changed = new RandomAccessFile(file.toFile(), "rw")) {
            if (how == 0) {
                changed.setLength(Math.min(at, changed.length()));
                return;
            }
            changed.seek(at);
            changed.write(bytes);
            if (how == 2) {
                seal(changed, 0, 12, 40);
                seal(changed, 4096, 64, 68);
                seal(changed, 8192, 64, 68);
                sealNote(changed);
            }
        }
    }

    /** A note of a header that the parts are to get is believed with the pool header's checksum. */
    private static void sealNote(RandomAccessFile file) throws IOException {
        if (file.length() < JournalLayout.RING) {
            return;
        }
        byte[] bytes = new byte[(int) PoolHeader.SIZE];
        file.seek(JournalLayout.PENDING_HEADER);
        file.readFully(bytes);
        MemorySegment page = Arena.ofAuto().allocate(bytes.length, 8);
        page.copyFrom(MemorySegment.ofArray(bytes));
        PoolHeader note = new PoolHeader(page);
        if (!note.isZero()) {
            note.link(note.links());
            file.seek(JournalLayout.PENDING_HEADER);
            file.write(page.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Makes the checksum right, which stands somewhere in these bytes and covers the others. */
    private static void seal(RandomAccessFile file, long at, int crcAt, int length)
            throws IOException {
        if (file.length() < at + length) {
            return;
        }
        byte[] bytes = new byte[length];
        file.seek(at);
        file.readFully(bytes);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, crcAt);
        crc.update(bytes, crcAt + 4, length - crcAt - 4);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(crcAt, (int) crc.getValue());
        file.seek(at);
        file.write(bytes);
    }
}
