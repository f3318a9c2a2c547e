package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.fabric.verbs.VerbsFabrics;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ProgressLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.stream.ApmPoint;
import io.farheap.replication.stream.HeldReads;
import io.farheap.replication.stream.StreamMember;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A target without files: it verifies every record it is told of, applies those that it knows to be
 * committed to an image in memory, and answers. It fails the test when the initiator breaks a rule.
 *
 * <p>It has no control connection, which a {@link FakeAgent} has: for tests of a stream alone.
 */
public final class FakeTarget implements AutoCloseable {
    /** The property names an address of an RDMA device where the tests are to use that. */
    private static final String RDMA_ADDRESS = System.getProperty("rdma.address");

    static final int IMAGE = 1 << 20;
    private static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];

    public final Connection connection;
    public final MemorySegment image;

    final DurabilityMethod method;
    private final MemorySegment into = ApmPoint.memory();

    /** What it says of its progress where nobody asks it. */
    public final MemorySegment published = Arena.ofAuto().allocate(4096, 64);

    final MemorySegment ring;
    private final long epoch;
    private final RecordReader tail;
    private final RecordReader applier;
    private final MemorySegment answer = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);
    private final Endpoint endpoint;
    private final Thread thread;

    /** Set by tests: answers are held back. */
    public volatile boolean mute;

    /** Set by tests: it reads nothing. */
    public volatile boolean deaf;

    private volatile boolean isDeaf;

    /** Set by tests: nothing is applied. */
    public volatile boolean lazy;

    /** Set by tests: apply only after the answer, as a real agent does. */
    public volatile boolean applyLate;

    /** Set by tests: what was published last stays. */
    public volatile boolean stopsPublishing;

    /** What the test must hear of, if anything. */
    public volatile Throwable problem;

    public volatile long durableSequence;
    public volatile long appliedSequence;
    public final AtomicLong emptyRecords = new AtomicLong();
    public final AtomicLong flushes = new AtomicLong();
    public final AtomicLong durablePosition = new AtomicLong();
    private long appliedPosition;
    private long committedUpTo;
    private long toldApplied;

    public FakeTarget(long epoch, MemorySegment staging) {
        this(epoch, staging, IMAGE);
    }

    public FakeTarget(long epoch, MemorySegment staging, long imageBytes) {
        this(epoch, staging, imageBytes, DurabilityMethod.GPSPM);
    }

    public FakeTarget(long epoch, MemorySegment staging, DurabilityMethod method) {
        this(epoch, staging, IMAGE, method);
    }

    public FakeTarget(long epoch, MemorySegment staging, long imageBytes, DurabilityMethod method) {
        this(
                epoch,
                staging,
                Arena.ofAuto().allocate(imageBytes, 64),
                Arena.ofAuto().allocate(staging.byteSize(), 64),
                method);
    }

    private FakeTarget(
            long epoch,
            MemorySegment staging,
            MemorySegment image,
            MemorySegment ring,
            DurabilityMethod method) {
        this.method = method;
        this.epoch = epoch;
        this.image = image;
        this.ring = ring;
        this.tail = new RecordReader(ring);
        this.applier = new RecordReader(ring);
        InetAddress machine = machine();
        Fabric fabric = fabric(new WaitStrategy(5_000, 50_000));
        Duration bound = Duration.ofSeconds(20);
        TargetListener listener = fabric.listen(machine, 0, SECRET, ring, published);
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(bound), FakeTarget::start);
        InetSocketAddress address = new InetSocketAddress(machine, listener.port());
        Connection made = fabric.connect(address, SECRET, staging, into, bound);
        this.connection =
                method == DurabilityMethod.APM ? new HeldReads(made, () -> mute, flushes) : made;
        this.endpoint = accepted.join();
        publish();
        this.thread = Thread.ofPlatform().daemon().name("fake-target").start(this::serve);
    }

    /** Not in the common pool, which has one thread on two cores: some test may keep it. */
    private static void start(Runnable task) {
        Thread.ofPlatform().daemon().name("fake-target-accept").start(task);
    }

    private static Fabric fabric(WaitStrategy wait) {
        return RDMA_ADDRESS == null ? new TcpFabric(wait) : VerbsFabrics.open(wait);
    }

    private static InetAddress machine() {
        try {
            return RDMA_ADDRESS == null
                    ? InetAddress.getLoopbackAddress()
                    : InetAddress.getByName(RDMA_ADDRESS);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The next process of a target that died: it has scanned what that one's ring holds. */
    public FakeTarget next(MemorySegment staging) {
        awaitEnd();
        FakeTarget next = new FakeTarget(epoch, staging, image, ring, method);
        next.appliedSequence = appliedSequence;
        next.appliedPosition = appliedPosition;
        next.toldApplied = appliedPosition;
        next.durableSequence = appliedSequence;
        next.durablePosition.set(appliedPosition);
        next.publish();
        next.scan();
        return next;
    }

    private void scan() {
        while (durablePosition.get() - appliedPosition < ring.byteSize()
                && tail.read(offset(durablePosition.get()), epoch, durableSequence + 1)
                        == RecordReader.Verdict.VALID) {
            committedUpTo = Math.max(committedUpTo, tail.committedUpTo());
            durablePosition.addAndGet(tail.length());
            durableSequence = tail.sequence();
        }
    }

    public StreamMember link(String name) {
        return link(name, ReplicaPolicy.FAIL);
    }

    public StreamMember link(String name, ReplicaPolicy policy) {
        return new StreamMember(name, connection, policy, method, into);
    }

    private void serve() {
        try {
            while (true) {
                while (deaf) {
                    isDeaf = true;
                    LockSupport.parkNanos(1_000_000);
                }
                isDeaf = false;
                endpoint.await(this::received, method == DurabilityMethod.APM ? 50_000 : 1_000_000);
                if (method == DurabilityMethod.APM) {
                    look();
                } else if (!mute && applyLate) {
                    apply();
                }
            }
        } catch (FarheapException e) {
            if (!String.valueOf(e.getMessage()).startsWith("the data connection")) {
                problem = e;
            }
        } catch (Throwable e) {
            problem = e;
        }
    }

    /** From now on it reads nothing. */
    public void becomeDeaf() {
        deaf = true;
        while (!isDeaf) {
            Thread.onSpinWait();
        }
    }

    /** The last record that it has durably, whether it has noticed or not. */
    public synchronized long lastRecord() {
        if (method == DurabilityMethod.APM) {
            takeWhatIsThere();
        }
        return durableSequence;
    }

    /** Returns when a look that may have begun before has ended. */
    public synchronized void awaitLook() {}

    private void takeWhatIsThere() {
        while (tail.read(offset(durablePosition.get()), epoch, durableSequence + 1)
                == RecordReader.Verdict.VALID) {
            take();
            check(
                    durablePosition.get() - toldApplied <= ring.byteSize(),
                    "ring space was used before it was free");
        }
    }

    /** As an agent does that gets no messages. */
    private synchronized void look() {
        takeWhatIsThere();
        if (!mute) {
            apply();
            if (!stopsPublishing) {
                publish();
            }
        }
    }

    /** Of {@link DurabilityMethod#APM}: what is posted gets nowhere from now on. */
    public void loseWrites() {
        ((HeldReads) connection).losesWrites = true;
    }

    private void publish() {
        ReplicaSlot slot =
                new ReplicaSlot(
                        ReplicaState.INSYNC,
                        epoch,
                        0,
                        epoch,
                        appliedSequence,
                        appliedPosition,
                        0,
                        1,
                        false,
                        0);
        toldApplied = appliedPosition;
        ProgressLayout.write(published, slot);
    }

    /** The record that {@link #tail} has found valid. */
    private void take() {
        tail.checkEntries(0, image.byteSize());
        check(tail.committedUpTo() < durableSequence + 1, "commits of the future");
        committedUpTo = Math.max(committedUpTo, tail.committedUpTo());
        if (tail.isEmpty()) {
            emptyRecords.getAndIncrement();
        }
        durablePosition.addAndGet(tail.length());
        durableSequence = tail.sequence();
    }

    private void received(MemorySegment memory, long at, int length) {
        check(JournalMessages.check(memory, at, length) == JournalMessages.FLUSH, "no FLUSH");
        flushes.getAndIncrement();
        long to = JournalMessages.flushTo(memory, at);
        long from = JournalMessages.flushFrom(memory, at);
        check(
                from == durablePosition.get(),
                "flush from " + from + " after " + durablePosition.get());
        check(to - toldApplied <= ring.byteSize(), "ring space was used before it was free");
        while (durablePosition.get() < to) {
            long sequence = durableSequence + 1;
            RecordReader.Verdict verdict =
                    tail.read(offset(durablePosition.get()), epoch, sequence);
            check(verdict == RecordReader.Verdict.VALID, "record " + sequence + ": " + verdict);
            take();
        }
        check(durablePosition.get() == to, "the range ends inside a record");
        check(
                durableSequence == JournalMessages.flushSequence(memory, at),
                "the range does not end with the sequence named");
        if (mute) {
            return;
        }
        if (!applyLate) {
            apply();
        }
        toldApplied = appliedPosition;
        int n = JournalMessages.durable(answer, durableSequence, appliedSequence, appliedPosition);
        endpoint.send(answer, 0, n);
        endpoint.post();
    }

    /** In order, what is committed; a record without entries needs no word of its own. */
    private void apply() {
        while (!lazy && appliedSequence < durableSequence) {
            long sequence = appliedSequence + 1;
            RecordReader.Verdict verdict = applier.read(offset(appliedPosition), epoch, sequence);
            check(verdict == RecordReader.Verdict.VALID, "overwritten before it was applied");
            if (sequence > committedUpTo && !applier.isEmpty()) {
                return;
            }
            applier.replay(new ImageWriter(image));
            appliedPosition += applier.length();
            appliedSequence = sequence;
        }
    }

    private long offset(long position) {
        return JournalLayout.ringOffset(position, ring.byteSize());
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** Answers once more what it has. */
    public void answerAgain() {
        answerAgain(1);
    }

    /** So often with what it has now. */
    public void answerAgain(int times) {
        if (method == DurabilityMethod.APM) {
            return; // READs that were held back have come by now
        }
        MemorySegment memory = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);
        int n = JournalMessages.durable(memory, durableSequence, appliedSequence, appliedPosition);
        for (int i = 0; i < times; i++) {
            endpoint.send(memory, 0, n);
        }
        endpoint.post();
    }

    public boolean hasEnded() {
        return !thread.isAlive();
    }

    /** Says no with a sentence, and goes. */
    public void refuse(String sentence) {
        MemorySegment memory = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
        endpoint.send(memory, 0, JournalMessages.refused(memory, sentence));
        endpoint.post();
    }

    /** The target's process is gone. */
    public void die() {
        endpoint.close();
    }

    /** Answers that nobody asked for. */
    public void claimDurable(long sequence) {
        MemorySegment memory = Arena.ofAuto().allocate(64, 8);
        endpoint.send(memory, 0, JournalMessages.durable(memory, sequence, 0, 0));
        endpoint.post();
    }

    @Override
    public void close() {
        endpoint.close();
        connection.close();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            thread.join(5000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Applies entries to an image. */
    public record ImageWriter(MemorySegment image) implements RecordEntries {
        private long get(long offset) {
            return image.get(io.farheap.replication.journal.RecordLayout.LONG, offset);
        }

        @Override
        public void set(long offset, long value) {
            image.set(io.farheap.replication.journal.RecordLayout.LONG, offset, value);
        }

        @Override
        public void and(long offset, long mask) {
            set(offset, get(offset) & mask);
        }

        @Override
        public void or(long offset, long mask) {
            set(offset, get(offset) | mask);
        }

        @Override
        public void copy(long offset, MemorySegment source, long sourceOffset, long length) {
            MemorySegment.copy(source, sourceOffset, image, offset, length);
        }
    }
}
