package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.AgentPipes;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.stream.FakeReplica;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * One agent process, as threads of this one: real control messages over pipes, a real data
 * connection, a {@link FakeReplica} as its disk. A test lets it die before or after any request.
 */
public final class FakeAgent {
    private final FakeReplica replica;
    private final AgentPipes pipes = new AgentPipes();
    private final LineChannel channel = pipes.agent();
    private final Predicate<Request> dieBefore;
    private final Predicate<Request> dieAfter;
    private volatile boolean dead;
    private volatile boolean holds;
    private volatile TargetListener listener;
    private volatile Endpoint data;

    private FakeAgent(
            FakeReplica replica, Predicate<Request> dieBefore, Predicate<Request> dieAfter) {
        this.replica = replica;
        this.dieBefore = dieBefore;
        this.dieAfter = dieAfter;
    }

    static FakeAgent start(
            FakeReplica replica, Predicate<Request> dieBefore, Predicate<Request> dieAfter) {
        FakeAgent agent = new FakeAgent(replica, dieBefore, dieAfter);
        Thread.ofPlatform().daemon().name("fake-agent").start(agent::serve);
        return agent;
    }

    public FakeReplica replica() {
        return replica;
    }

    private void serve() {
        try {
            channel.writeLine(
                    ControlCodec.encode(
                            new Reply.Greeting(Reply.PROTOCOL, Reply.VERSION, 1, "target")));
            for (byte[] line = channel.readLine(); line != null; line = channel.readLine()) {
                Request request = ControlCodec.decodeRequest(line);
                if (request instanceof Request.Heartbeat) {
                    channel.writeLine(ControlCodec.encode(new Reply.Heartbeat()));
                } else if (replica.unanswered.test(request)) {
                    continue;
                } else if (dieBefore.test(request)) {
                    break;
                } else {
                    if (replica.slow.test(request)) {
                        linger(replica.pause);
                    }
                    Reply reply = answer(request);
                    if (dieAfter.test(request)) {
                        break;
                    }
                    channel.writeLine(ControlCodec.encode(reply));
                }
            }
        } catch (IOException e) {
            // the initiator went away in the middle of something: this agent ends
        } finally {
            die();
        }
    }

    private static void linger(Duration pause) {
        long end = System.nanoTime() + pause.toNanos();
        for (long left = pause.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private Reply answer(Request request) throws IOException {
        if (request instanceof Request.Hello) {
            return hello((Request.Hello) request);
        }
        if (request instanceof Request.Footprint) {
            Request.Footprint wanted = (Request.Footprint) request;
            List<io.farheap.replication.control.ByteRange> all = replica.footprint();
            int from = (int) Math.min(wanted.from(), all.size());
            int end = Math.min(from + Math.min(wanted.max(), 3), all.size());
            return new Reply.FootprintPage(all.subList(from, end), end == all.size());
        }
        if (request instanceof Request.Promote) {
            long replayed = replica.tail().size();
            replica.promote(replica.cur + (1L << 50));
            return new Reply.Promoted(replica.cur, replayed);
        }
        Reply.Refused refused = replica.carryOut(request);
        return refused != null ? refused : new Reply.Done(request.type());
    }

    private Reply hello(Request.Hello hello) throws IOException {
        Reply.Code refusing = replica.refusing;
        if (refusing != null) {
            return new Reply.Refused(refusing, "no: " + refusing, "Mend that on the target.");
        }
        synchronized (replica) {
            if (hello.purpose() == Purpose.INSPECT) {
                return replica.looked(hello);
            }
            boolean leftBehind =
                    replica.endsLeftBehind
                            && replica.owner.opening().equals(hello.owner().opening())
                            && replica.owner.attempt() < hello.owner().attempt();
            if (replica.held && (leftBehind || hello.takeOver())) {
                replica.endedHolders.getAndIncrement();
                replica.endHolder.run();
            }
            if (replica.held) {
                replica.turnedAway++;
                return new Reply.Refused(
                        Reply.Code.BUSY, "it is attached by somebody else", "close that");
            }
            if (hello.purpose() == Purpose.ATTACH || hello.purpose() == Purpose.RESUME) {
                if (hello.term() < replica.term) {
                    return new Reply.Refused(
                            Reply.Code.TERM_OVER,
                            "The term " + hello.term() + " is over, term " + replica.term + " is.",
                            "");
                }
                replica.term = hello.term();
                if (!replica.knowsNoRecords && hello.recordId() != 0) {
                    replica.recordId = hello.recordId();
                }
            }
            replica.held = true;
            replica.owner = hello.owner();
            replica.endHolder = this::die;
            holds = true;
        }
        SlotReport found = replica.report();
        AttachDecision kind = replica.hello(hello);
        boolean withData = hello.purpose() != Purpose.REMOVE;
        return replica.verdict(kind, found, withData ? listen() : null);
    }

    private DataEndpoint listen() throws IOException {
        byte[] secret = new byte[Fabric.SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        listener =
                new TcpFabric(WaitStrategy.BLOCKING)
                        .listen(InetAddress.getLoopbackAddress(), 0, secret, replica.ring);
        Thread.ofPlatform().daemon().name("fake-agent-data").start(this::serveData);
        return new DataEndpoint(
                InetAddress.getLoopbackAddress().getHostAddress(),
                listener.port(),
                Blob.of(secret),
                FakeReplica.RING_BYTES,
                DurabilityMethod.GPSPM,
                "a fake",
                FabricKind.TCP,
                "");
    }

    private void serveData() {
        MemorySegment answer = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
        try {
            Endpoint endpoint = listener.accept(Duration.ofSeconds(60));
            data = endpoint;
            replica.connected = true;
            CompletionHandler handler =
                    (memory, at, length) -> {
                        endpoint.send(answer, 0, answerData(memory, at, length, answer));
                        endpoint.post();
                    };
            while (!dead) {
                if (replica.stalled) {
                    replica.stands = true;
                    LockSupport.parkNanos(1_000_000);
                } else {
                    replica.stands = false;
                    endpoint.await(handler, Duration.ofMillis(10).toNanos());
                }
            }
        } catch (FarheapException e) {
            // the connection ended, or the agent died before it began
        } finally {
            die();
        }
    }

    private int answerData(MemorySegment memory, long at, int length, MemorySegment answer) {
        int kind = JournalMessages.check(memory, at, length);
        if (kind == JournalMessages.FLUSH) {
            long durable = replica.lastSequence();
            replica.applyCommitted();
            return JournalMessages.durable(answer, durable, replica.applied, replica.position);
        }
        long offset = JournalMessages.imageOffset(memory, at);
        long bytes = JournalMessages.imageLength(memory, at);
        if (kind == JournalMessages.PUT_IMAGE) {
            replica.copied.getAndAdd(bytes);
            MemorySegment.copy(
                    memory, at + JournalMessages.HEADER_BYTES, replica.image, offset, bytes);
            if (replica.spoils) {
                byte stored = replica.image.get(ValueLayout.JAVA_BYTE, offset);
                replica.image.set(ValueLayout.JAVA_BYTE, offset, (byte) (stored ^ 4));
            }
            return JournalMessages.stored(answer, offset, bytes);
        }
        if (kind == JournalMessages.PUT_PIECES) {
            long end = JournalMessages.firstPiece(at) + bytes;
            for (long piece = JournalMessages.firstPiece(at);
                    piece < end;
                    piece = JournalMessages.nextPiece(memory, piece)) {
                long size = JournalMessages.pieceLength(memory, piece);
                replica.copied.getAndAdd(size);
                MemorySegment.copy(
                        memory,
                        piece + JournalMessages.PIECE_HEADER_BYTES,
                        replica.image,
                        JournalMessages.pieceOffset(memory, piece),
                        size);
            }
            return JournalMessages.stored(answer, offset, bytes);
        }
        if (kind == JournalMessages.GET_IMAGE) {
            return JournalMessages.image(answer, offset, replica.image, offset, (int) bytes);
        }
        long chunk = JournalMessages.chunk(memory, at);
        CRC32C crc = new CRC32C();
        for (long i = 0; i < JournalMessages.sumCount(bytes, chunk); i++) {
            crc.reset();
            crc.update(
                    replica.image
                            .asSlice(offset + i * chunk, Math.min(chunk, bytes - i * chunk))
                            .asByteBuffer());
            JournalMessages.putSum(answer, i, (int) crc.getValue());
        }
        return JournalMessages.sums(answer, offset, bytes, chunk);
    }

    boolean isDead() {
        return dead;
    }

    /** Everything of this process ends; what the replica holds stays. */
    public void die() {
        if (dead) {
            return;
        }
        dead = true;
        if (listener != null) {
            listener.close();
        }
        if (data != null) {
            data.close();
        }
        synchronized (replica) {
            if (holds) {
                replica.held = false;
            }
        }
        pipes.closeAgent();
    }

    ControlTransport transport() {
        return new ControlTransport() {
            @Override
            public LineChannel channel() {
                return pipes.initiator();
            }

            @Override
            public String lastWords() {
                return "the fake agent died";
            }

            @Override
            public boolean hasEnded() {
                return dead;
            }

            @Override
            public void close() {
                pipes.closeInitiator();
            }

            @Override
            public void kill() {
                close();
            }
        };
    }
}
