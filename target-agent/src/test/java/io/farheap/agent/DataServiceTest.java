package io.farheap.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DataServiceTest {
    private static final long A = SimulatedReplica.HEAP + 4096;

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
