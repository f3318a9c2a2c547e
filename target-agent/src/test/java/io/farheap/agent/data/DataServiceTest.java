package io.farheap.agent.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.store.ReplicaLife;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.base.FarheapException;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class DataServiceTest {
    private static final long HEAP = SimulatedReplica.HEAP;
    private static final long A = HEAP + 4096;

    private final ReplicaStore store = ReplicaLife.member().start();
    private final SlowReader initiator = new SlowReader();
    private final ApplyLoop apply = new ApplyLoop(store, why -> {});
    private final DataService service =
            new DataService(store, initiator, Duration.ofSeconds(10), apply, why -> {});

    /** It would take an answer that says otherwise for a lie. */
    @Test
    void anAnswerThatHadToWaitClaimsNoMoreToBeAppliedThanDurable() throws Exception {
        var unused = store.resume(ReplicaLife.EPOCH);
        RecordWriter writer = new RecordWriter(store.intake().ring(), ReplicaLife.EPOCH);
        service.start();
        writer.set(0, A, 11);
        initiator.flush(0, writer.position());
        await().until(() -> store.intake().sequence() == 1);
        long first = writer.position();
        writer.set(1, A, 22).empty(2);
        initiator.flush(first, writer.position());
        await().until(() -> store.intake().sequence() == 3);
        assertThat(store.applyBatch()).isEqualTo(3);
        initiator.reads = true;
        await().until(() -> initiator.answers().size() == 2);
        service.close();
        assertThat(initiator.answers())
                .allSatisfy(
                        answer ->
                                assertThat(JournalMessages.appliedSequence(answer, 0))
                                        .isLessThanOrEqualTo(
                                                JournalMessages.durableSequence(answer, 0)));
    }

    @Test
    void whatComesBehindARequestForSumsIsStoredMeanwhileAndAnsweredAfterIt() throws Exception {
        HeldReads held = new HeldReads();
        try (DataService copying = copyInto(held)) {
            initiator.sum(HEAP, 4096);
            held.begun.await();
            initiator.put(HEAP + 8192, 4096, (byte) 7);
            await().until(() -> held.memory.getByte(HEAP + 8192) == 7);
            assertThat(initiator.answers()).isEmpty();
            held.released.countDown();
            await().until(() -> initiator.answers().size() == 2);
            assertThat(initiator.answers())
                    .extracting(answer -> JournalMessages.check(answer, 0, (int) answer.byteSize()))
                    .containsExactly(JournalMessages.SUMS, JournalMessages.STORED);
            CRC32C crc = new CRC32C();
            crc.update(new byte[4096]);
            assertThat(JournalMessages.sum(initiator.answers().get(0), 0, 0))
                    .isEqualTo((int) crc.getValue());
        }
    }

    /** The image is unmapped then. */
    @Test
    void whenItIsClosedNobodyReadsAnyMore() throws Exception {
        HeldReads held = new HeldReads();
        DataService copying = copyInto(held);
        initiator.sum(HEAP, 4096);
        held.begun.await();
        Thread closing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        copying.close();
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        await().until(
                        () ->
                                closing.getState() == Thread.State.WAITING
                                        && isIn(closing, SumThread.class));
        assertThat(held.reading).isTrue();
        held.released.countDown();
        closing.join();
        assertThat(held.reading).isFalse();
    }

    private static boolean isIn(Thread thread, Class<?> type) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(type.getName()));
    }

    @Test
    void sumsThatAreRefusedEndTheConnectionWithTheReason() throws Exception {
        CompletableFuture<String> why = new CompletableFuture<>();
        initiator.reads = true;
        try (DataService copying = copyInto(new HeldReads(), why::complete)) {
            initiator.sum(SimulatedReplica.IMAGE_BYTES, 4096);
            assertThat(why.get(20, TimeUnit.SECONDS)).contains("outside of the replica's");
            MemorySegment answer = initiator.answers().getLast();
            assertThat(JournalMessages.check(answer, 0, (int) answer.byteSize()))
                    .isEqualTo(JournalMessages.REFUSED);
        }
    }

    /** The reason names the file; that the peer is gone would not. */
    @Test
    void aReadBackThatFailsEndsTheConnectionWithTheReason() throws Exception {
        CompletableFuture<String> why = new CompletableFuture<>();
        HeldReads image = new HeldReads();
        image.failure = FarheapException.environment("/pool/part0: Input/output error");
        image.released.countDown();
        try (DataService copying = copyInto(image, why::complete)) {
            initiator.sum(HEAP, 4096);
            assertThat(why.get(20, TimeUnit.SECONDS)).contains("/pool/part0");
            MemorySegment answer = initiator.answers().getLast();
            assertThat(JournalMessages.check(answer, 0, (int) answer.byteSize()))
                    .isEqualTo(JournalMessages.REFUSED);
        }
    }

    private DataService copyInto(HeldReads image) {
        return copyInto(image, why -> {});
    }

    private DataService copyInto(HeldReads image, Consumer<String> onEnd) {
        ReplicaStore copied =
                new ReplicaStore(
                        image.replica.journal, image.memory, SimulatedReplica.UUID, "replica");
        var unused = copied.switching().attach(1, 2, List.of(), SlotReport.NOT_KNOWN, false);
        copied.switching().startSync();
        initiator.reads = true;
        DataService copying =
                new DataService(
                        copied,
                        initiator,
                        Duration.ofSeconds(10),
                        new ApplyLoop(copied, why -> {}),
                        onEnd);
        copying.start();
        return copying;
    }

    /** An image that is not read before it is released. */
    private static final class HeldReads {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final SimulatedReplica replica = SimulatedReplica.fresh();
        private volatile boolean reading;

        /** What a read throws; null: it succeeds. */
        private volatile FarheapException failure;

        private final PoolMemory memory =
                new PoolMemory(replica.image.image(), new Volatile()) {
                    @Override
                    public void copyOutOnce(long offset, MemorySegment target) {
                        reading = true;
                        begun.countDown();
                        try {
                            released.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        if (failure != null) {
                            throw failure;
                        }
                        super.copyOutOnce(offset, target);
                        reading = false;
                    }
                };

        private static final class Volatile implements Persistence {
            @Override
            public void flush(long offset, long length) {}

            @Override
            public void fence() {}
        }
    }

    /** An initiator that leaves no room for answers until it reads. */
    private static final class SlowReader implements TargetListener, Endpoint {
        private final LinkedBlockingQueue<MemorySegment> requests = new LinkedBlockingQueue<>();
        private final List<MemorySegment> answers = new ArrayList<>();
        private volatile boolean reads;

        void flush(long from, long to) {
            MemorySegment message = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);
            int unused = JournalMessages.flush(message, 0, from, to);
            requests.add(message);
        }

        void sum(long offset, int length) {
            MemorySegment message = Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, 8);
            int unused = JournalMessages.sumImage(message, offset, length, length);
            requests.add(message);
        }

        void put(long offset, int length, byte content) {
            MemorySegment message =
                    Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES + length, 8);
            MemorySegment source = Arena.ofAuto().allocate(length).fill(content);
            int unused = JournalMessages.putImage(message, offset, source, 0, length);
            requests.add(message);
        }

        synchronized List<MemorySegment> answers() {
            return List.copyOf(answers);
        }

        @Override
        public int port() {
            return 0;
        }

        @Override
        public Endpoint accept(Duration bound) {
            return this;
        }

        @Override
        public boolean canSend(int length) {
            return reads;
        }

        @Override
        public synchronized void send(MemorySegment message, long offset, int length) {
            MemorySegment copy = Arena.ofAuto().allocate(length, 8);
            answers.add(copy.copyFrom(message.asSlice(offset, length)));
        }

        @Override
        public void post() {}

        @Override
        public int poll(CompletionHandler handler) {
            return await(handler, 0, false);
        }

        @Override
        public int await(CompletionHandler handler, long nanos, boolean crowded) {
            try {
                MemorySegment message = requests.poll(10, TimeUnit.MILLISECONDS);
                if (message == null) {
                    return 0;
                }
                handler.received(message, 0, (int) message.byteSize());
                return 1;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public FabricCounters counters() {
            return new FabricCounters(0, 0, 0, 0, 0);
        }

        @Override
        public String peer() {
            return "a slow reader";
        }

        @Override
        public void close() {}
    }
}
