package io.farheap.agent.session;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.agent.session.HostileGround.Found;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.FabricKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes on the control connection of an agent: it answers each line with one message, refuses
 * what it does not understand, ends in time, and changes nothing but the replica that was named.
 */
class ControlFuzzTest {
    private static final long SECONDS = 10;
    private static final long FREE_BYTES = 24 << 20;

    /** What one byte of a message may cost; its longest legal amplification is a JSON tree. */
    private static final long BYTES_PER_BYTE = 200;

    private static final Reply REMOVED = new Reply.Done(new Request.Remove(true, true).type());

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
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), ControlFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(ControlFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (Found found : Found.values()) {
            for (Purpose purpose : Purpose.values()) {
                long runId = found.isOf(HostileGround.N) ? HostileGround.N : 2;
                Request hello = HostileGround.hello(purpose, "bank.set", runId, false, false);
                seeds.add(session(found, hello, new Request.Bye()));
                seeds.add(session(found, hello, requestsOf(purpose)));
                Request order = HostileGround.hello(purpose, "bank.set", 8, true, true);
                seeds.add(session(found, order, requestsOf(purpose)));
                Request.Hello verbs =
                        TestInitiator.offering(
                                HostileGround.hello(purpose, "bank.set", runId, false, false),
                                FabricKind.VERBS,
                                FabricKind.TCP);
                seeds.add(session(found, verbs, requestsOf(purpose)));
                Request.Hello only = TestInitiator.offering(verbs, FabricKind.VERBS);
                seeds.add(session(found, only, requestsOf(purpose)));
            }
        }
        for (String name : NAMES) {
            for (Purpose purpose : List.of(Purpose.ATTACH, Purpose.REMOVE, Purpose.INSPECT)) {
                Request hello = HostileGround.hello(purpose, "NAME", 2, true, true);
                byte[] seed = session(Found.MEMBER, hello, requestsOf(purpose));
                seeds.add(named(seed, name));
            }
        }
        byte[] hello =
                session(
                        Found.MEMBER,
                        HostileGround.hello(Purpose.ATTACH, "bank.set", 2, false, false));
        for (String field : List.of("\"test\"", "\"a test\"")) {
            String text = new String(hello, StandardCharsets.ISO_8859_1);
            String half = text.replace(field, "\"\\ud83d\"");
            seeds.add(half.getBytes(StandardCharsets.ISO_8859_1));
        }
        seeds.add(
                new Give()
                        .octet(0)
                        .bytes("[".repeat(9).getBytes(StandardCharsets.US_ASCII))
                        .toBytes());
        return seeds.stream();
    }

    private static final List<String> NAMES =
            List.of(
                    "../outside/other.set",
                    "link.set",
                    "away/other.set",
                    "loop",
                    "directory",
                    "own.set",
                    "own0",
                    "backup.tar",
                    "notes.txt",
                    "part0",
                    "part0.journal",
                    "part0.journal.lock",
                    "/etc/passwd",
                    "bank.set/..",
                    "\ud83d\ude00".repeat(4090),
                    "a" + "\ud83d\ude00".repeat(4090),
                    "\ud800");

    private static Request[] requestsOf(Purpose purpose) {
        return switch (purpose) {
            case ATTACH ->
                    new Request[] {
                        new Request.DataOver(FabricKind.TCP),
                        new Request.DataOver(FabricKind.VERBS),
                        new Request.Records(0, Blob.EMPTY),
                        new Request.Records(64, Blob.of(new byte[Limits.MAX_READ_BYTES])),
                        new Request.Records(Long.MAX_VALUE, Blob.of(new byte[64])),
                        new Request.Footprint(0, 3),
                        new Request.Footprint(3, 100),
                        new Request.Drain(7),
                        new Request.Prepare(),
                        new Request.MayLag(),
                        new Request.Confirm(2 * HostileGround.N),
                        new Request.CaughtUp(0),
                        new Request.ReadImage(0, Limits.MAX_READ_BYTES, true),
                        new Request.ReadImage(Long.MAX_VALUE, 1, true),
                        new Request.ReadImage(8192, 0, false),
                        new Request.CaughtUp(Long.MAX_VALUE),
                        new Request.StartSync(),
                        new Request.Heartbeat(),
                        new Request.SyncComplete(2 * HostileGround.N),
                        new Request.Bye()
                    };
            case RESUME ->
                    new Request[] {
                        new Request.CaughtUp(40),
                        new Request.ReadImage(8192, 4096, true),
                        new Request.MayLag(),
                        new Request.Confirm(HostileGround.N),
                        new Request.CaughtUp(41),
                        new Request.Bye()
                    };
            case RETURN ->
                    new Request[] {
                        new Request.Return(1 << 20, 1L << 40),
                        new Request.Return(0, 64),
                        new Request.StartSync(),
                        new Request.Bye()
                    };
            case RESTORE ->
                    new Request[] {
                        new Request.Promote(),
                        new Request.RestoreComplete(4 * HostileGround.N),
                        new Request.Bye()
                    };
            case REMOVE ->
                    new Request[] {
                        new Request.Remove(true, false),
                        new Request.Remove(false, true),
                        new Request.Bye()
                    };
            case CREATE_MEMORY, OPEN_MEMORY ->
                    new Request[] {
                        new Request.ReadImage(0, Limits.MAX_READ_BYTES, true),
                        new Request.ReadImage(Long.MAX_VALUE, 1, true),
                        new Request.SetAttributes(
                                TestInitiator.attributes("OTHERS", 2, PoolUuid.ZERO)),
                        new Request.SetAttributes(TestInitiator.header(PoolUuid.ZERO)),
                        new Request.Bye()
                    };
            default -> new Request[] {new Request.Prepare(), new Request.Bye()};
        };
    }

    private static byte[] session(Found found, Request hello, Request... requests) {
        Give input = new Give().octet(found.ordinal()).bytes(line(hello));
        for (Request request : requests) {
            input.bytes(line(request));
        }
        return input.toBytes();
    }

    private static byte[] line(Request request) {
        return new Give().bytes(ControlCodec.encode(request)).octet('\n').toBytes();
    }

    /** Escaped, so that a name that is no Unicode text travels, too. */
    private static byte[] named(byte[] seed, String name) {
        StringBuilder escaped = new StringBuilder();
        name.chars().forEach(unit -> escaped.append("\\u%04x".formatted(unit)));
        return new String(seed, StandardCharsets.ISO_8859_1)
                .replace("NAME", escaped)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void take(byte[] input) throws Exception {
        Take from = new Take(input);
        ground.prepare(Found.values()[from.octet() % Found.values().length]);
        byte[] said = from.rest();
        HostileSession session = new HostileSession(said);
        long bytes = FREE_BYTES + BYTES_PER_BYTE * said.length;
        Inputs.bounded(SECONDS, bytes, () -> session.serve(ground));
        List<Reply> replies = session.replies();
        boolean done = replies.stream().anyMatch(reply -> reply.equals(REMOVED));
        ground.check(done && session.asksForRemoval());
    }
}
