package io.farheap.agent.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.agent.journal.JournalFile;
import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaSlot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any messages of an initiator that knows the secret, among any stores to the ring: each is
 * answered in its form or ends the connection, and in every state only those bytes of the image
 * change that this state leaves to the initiator. Header page, run_id, lanes and slot are never
 * among them; of a program's remote memory the header page. What is stored to a bounce ring is in
 * no journal before a message names it; what is stored to a ring that is watched is found or not,
 * and can't be changed any more once it was found.
 */
class DataMessagesFuzzTest {
    private static final long EPOCH = 1000;
    private static final long IMAGE = SimulatedReplica.IMAGE_BYTES;
    private static final long RING = SimulatedReplica.RING_BYTES;
    private static final long HEAP = SimulatedReplica.HEAP;
    private static final long SECONDS = 8;
    private static final long FREE_BYTES = 8 << 20;

    private enum State {
        RUNNING,
        PREPARED,
        COPYING,
        NOTHING,
        MEMORY
    }

    private enum Step {
        MESSAGE,
        RAW_MESSAGE,
        RING,
        APPLY,
        DEAF,
        LISTENING,
        BOUNCE,
        WATCH,
        LOOK
    }

    /** What an input finds: a member of {@link #EPOCH}, or a program's remote memory. */
    private record Media(MemorySegment image, MemorySegment journal) {
        private static final Media MEMBER = member();
        private static final Media MEMORY = remoteMemory();

        private static Media member() {
            Media made = zeroed(Arena.global());
            JournalFile.format(memory(made.journal), RING, SimulatedReplica.UUID, 0);
            SimulatedReplica.join(made.store(), SimulatedReplica.emptyPool(), 444, EPOCH);
            return made;
        }

        private static Media remoteMemory() {
            Media made = zeroed(Arena.global());
            made.image.asSlice(0, PoolHeader.SIZE).fill((byte) 'h');
            JournalFile.format(
                    memory(made.journal), RING, SimulatedReplica.UUID, ReplicaSlot.memory());
            return made;
        }

        private static Media zeroed(Arena arena) {
            return new Media(
                    arena.allocate(IMAGE, 64), arena.allocate(JournalLayout.fileBytes(RING), 64));
        }

        static Media of(State state) {
            return state == State.MEMORY ? MEMORY : MEMBER;
        }

        Media copy() {
            Media copy = zeroed(Arena.ofAuto());
            copy.image.copyFrom(image);
            copy.journal.copyFrom(journal);
            return copy;
        }

        /** The agent starts. */
        ReplicaStore store() {
            return new ReplicaStore(memory(journal), memory(image), SimulatedReplica.UUID, "r");
        }

        MemorySegment ring() {
            return journal.asSlice(JournalLayout.RING);
        }
    }

    private static PoolMemory memory(MemorySegment bytes) {
        return new PoolMemory(
                bytes,
                new Persistence() {
                    @Override
                    public void flush(long offset, long length) {}

                    @Override
                    public void fence() {}
                });
    }

    @Test
    @Tag("sliced")
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), DataMessagesFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(DataMessagesFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        MemorySegment ring = Arena.ofAuto().allocate(RING, 64);
        RecordWriter writer = new RecordWriter(ring, EPOCH);
        for (int i = 0; i < 20; i++) {
            writer.set(i, HEAP + 8L * i, i);
        }
        byte[] records = ring.asSlice(0, writer.position()).toArray(ValueLayout.JAVA_BYTE);
        long[] offsets = {
            0,
            4096,
            Descriptor.RUN_ID,
            Descriptor.ROOT_OFFSET,
            8192,
            HEAP,
            IMAGE - 4,
            IMAGE,
            -1,
            Long.MAX_VALUE
        };
        List<byte[]> seeds = new ArrayList<>();
        for (State state : State.values()) {
            Give stream = new Give().octet(state.ordinal());
            stream.octet(Step.RING.ordinal()).small(0).small(records.length).bytes(records);
            message(stream, JournalMessages.FLUSH, 10, 0, 640, 0);
            stream.octet(Step.APPLY.ordinal()).octet(Step.DEAF.ordinal());
            message(stream, JournalMessages.FLUSH, 20, 640, records.length, 0);
            stream.octet(Step.LISTENING.ordinal());
            message(stream, JournalMessages.FLUSH, 20, records.length, records.length, 0);
            message(stream, JournalMessages.FLUSH, 21, records.length, records.length + RING, 0);
            seeds.add(stream.toBytes());
            Give bounced = new Give().octet(state.ordinal()).octet(Step.BOUNCE.ordinal());
            bounced.octet(Step.RING.ordinal()).small(0).small(records.length).bytes(records);
            seeds.add(bounced.toBytes());
            message(bounced, JournalMessages.FLUSH, 10, 0, 640, 0);
            bounced.octet(Step.APPLY.ordinal());
            message(bounced, JournalMessages.FLUSH, 20, 640, records.length, 0);
            seeds.add(bounced.toBytes());
            Give watched = new Give().octet(state.ordinal()).octet(Step.WATCH.ordinal());
            watched.octet(Step.RING.ordinal()).small(0).small(records.length).bytes(records);
            seeds.add(watched.octet(Step.LOOK.ordinal()).toBytes());
            watched.octet(Step.RING.ordinal()).small(0).small(records.length);
            watched.bytes(new byte[records.length]).octet(Step.APPLY.ordinal());
            seeds.add(watched.octet(Step.LOOK.ordinal()).toBytes());
            for (long offset : offsets) {
                // no encoder writes what can be no offset
                byte[] record = record(Math.clamp(offset, 0, IMAGE));
                Give applied = new Give().octet(state.ordinal()).octet(Step.RING.ordinal());
                applied.small(0).small(record.length).bytes(record);
                message(applied, JournalMessages.FLUSH, 2, 0, record.length, 0);
                seeds.add(applied.octet(Step.APPLY.ordinal()).toBytes());
                Give found = new Give().octet(state.ordinal()).octet(Step.WATCH.ordinal());
                found.octet(Step.RING.ordinal()).small(0).small(record.length).bytes(record);
                found.octet(Step.LOOK.ordinal()).octet(Step.APPLY.ordinal());
                seeds.add(found.toBytes());
                for (int length : new int[] {0, 8, 5000}) {
                    Give images = new Give().octet(state.ordinal());
                    message(images, JournalMessages.PUT_IMAGE, offset, length, 0, length);
                    seeds.add(images.toBytes());
                    Give reads = new Give().octet(state.ordinal());
                    message(reads, JournalMessages.GET_IMAGE, offset, length, 0, 0);
                    message(reads, JournalMessages.SUM_IMAGE, offset, length, 64, 0);
                    seeds.add(reads.toBytes());
                }
            }
            for (int kind = 0; kind < 11; kind++) {
                for (long number : new long[] {0, 1, -1, 1 << 20, Long.MAX_VALUE}) {
                    Give odd = new Give().octet(state.ordinal());
                    message(odd, kind, number, number, number, 0);
                    seeds.add(odd.toBytes());
                }
            }
        }
        return seeds.stream();
    }

    /** The first of the stream, and an empty one that says that it is committed. */
    private static byte[] record(long offset) {
        MemorySegment ring = Arena.ofAuto().allocate(RING, 64);
        RecordWriter writer = new RecordWriter(ring, EPOCH).set(0, offset, 1).empty(1);
        return ring.asSlice(0, writer.position()).toArray(ValueLayout.JAVA_BYTE);
    }

    private static void message(Give to, int kind, long first, long second, long third, int body) {
        to.octet(Step.MESSAGE.ordinal()).octet(kind).number(first).number(second).number(third);
        to.small(body);
    }

    private static void take(byte[] input) throws Exception {
        Take from = new Take(input);
        State state = State.values()[from.octet() % State.values().length];
        Media before = Media.of(state);
        Media media = before.copy();
        ReplicaStore store = media.store();
        lead(store, state);
        Initiator initiator = new Initiator(from, store);
        CompletableFuture<String> ended = new CompletableFuture<>();
        ApplyLoop apply = new ApplyLoop(store, why -> {});
        DataService service =
                new DataService(store, initiator, Duration.ofSeconds(1), apply, ended::complete);
        Inputs.bounded(
                SECONDS,
                FREE_BYTES + 100L * input.length,
                () -> {
                    service.start();
                    assertThat(ended.get(SECONDS, TimeUnit.SECONDS)).as("why").isNotBlank();
                    service.close();
                });
        assertThat(initiator.fault).isNull();
        if (state == State.MEMORY) {
            requireSame(media.image, before.image, 0, PoolHeader.SIZE);
        } else {
            checkImage(media.image, state == State.COPYING);
        }
        requireSame(media.journal, before.journal, 0, JournalLayout.SLOTS);
        long pending = JournalLayout.PENDING_HEADER;
        requireSame(media.journal, before.journal, pending, JournalLayout.RING);
        if (initiator.journalIsUntouched()) {
            assertThat(media.ring().mismatch(before.ring())).as("the journal").isEqualTo(-1);
        }
    }

    private static void lead(ReplicaStore store, State state) {
        if (state == State.RUNNING) {
            var unused = store.resume(EPOCH);
        } else if (state == State.MEMORY) {
            store.startMemory(EPOCH);
        } else if (state != State.NOTHING) {
            boolean copy = state == State.COPYING;
            var unused =
                    store.switching()
                            .attach(
                                    copy ? 2 : EPOCH,
                                    2 * EPOCH,
                                    List.of(),
                                    SlotReport.NOT_KNOWN,
                                    copy);
            if (copy) {
                store.switching().startSync();
            }
        }
    }

    private static void checkImage(MemorySegment image, boolean copying) {
        MemorySegment before = Media.MEMBER.image;
        requireSame(image, before, 0, copying ? Descriptor.OFFSET : Descriptor.ROOT_OFFSET);
        requireSame(image, before, Descriptor.RUN_ID, Descriptor.ROOT_SIZE);
        long lanes = copying ? Descriptor.SCRATCH : Descriptor.CURR_ALLOCATED + 8;
        requireSame(image, before, lanes, HEAP);
    }

    private static void requireSame(MemorySegment now, MemorySegment before, long from, long to) {
        long found = MemorySegment.mismatch(now, from, to, before, from, to);
        assertThat(found).as("from %d to %d", from, to).isEqualTo(-1);
    }

    /** Does what the input says, one step for each time it is polled, and goes. */
    private static final class Initiator implements TargetListener, Endpoint {
        private final Take from;
        private final ReplicaStore store;
        private MemorySegment ring;
        private boolean deaf;
        private boolean bouncing;
        private boolean flushed;
        private boolean inPlace;
        private volatile Throwable fault;

        Initiator(Take from, ReplicaStore store) {
            this.from = from;
            this.store = store;
            this.ring = store.intake().ring();
        }

        /** Nothing was stored to it, and of what was stored elsewhere nothing was named. */
        boolean journalIsUntouched() {
            return !flushed && !inPlace;
        }

        @Override
        public int await(CompletionHandler handler, long nanos, boolean crowded) {
            if (from.isEmpty()) {
                throw new FarheapException(Category.REPLICA, "the initiator is gone");
            }
            switch (Step.values()[from.octet() % Step.values().length]) {
                case MESSAGE -> received(handler, structured());
                case RAW_MESSAGE -> received(handler, from.bytes(from.small()));
                case RING -> {
                    long at = from.small() % RING;
                    byte[] bytes = from.bytes(from.small());
                    int length = (int) Math.min(bytes.length, RING - at);
                    inPlace |= !bouncing;
                    MemorySegment.copy(bytes, 0, ring, ValueLayout.JAVA_BYTE, at, length);
                }
                case BOUNCE -> {
                    bouncing = true;
                    ring = store.intake().bounceRing();
                }
                case WATCH -> {
                    store.watchRing();
                    bouncing = false;
                    ring = store.intake().ring();
                }
                case LOOK -> look();
                case APPLY -> apply();
                case DEAF -> deaf = true;
                case LISTENING -> deaf = false;
            }
            return 1;
        }

        /** Whatever is found then is kept where the initiator can't reach it. */
        private void look() {
            long before = store.intake().sequence();
            try {
                boolean found = store.intake().look();
                long now = store.intake().sequence();
                assertThat(now).as("found: %s", found).isGreaterThanOrEqualTo(before);
                assertThat(found).isEqualTo(now > before);
            } catch (FarheapException e) {
                // as in the thread that applies: the replica stops
            } catch (AssertionError e) {
                fault = e;
            }
        }

        private void apply() {
            long found = store.intake().sequence();
            boolean kept = store.intake().isWatching() && found > store.slot().appliedSequence();
            try {
                long unused = store.applyBatch();
            } catch (FarheapException e) {
                // as in its own thread: the replica stops
                if (kept) {
                    fault = e; // it was verified, and nobody but the agent had it since
                }
            }
        }

        private byte[] structured() {
            int kind = from.octet();
            Give message = new Give();
            byte[] fields = from.bytes(24);
            int body = from.small();
            int length = JournalMessages.HEADER_BYTES + body;
            for (int number : new int[] {kind, length}) {
                message.small(number).small(number >> 16);
            }
            message.bytes(Arrays.copyOf(fields, 24)).bytes(new byte[body]);
            return message.toBytes();
        }

        private void received(CompletionHandler handler, byte[] message) {
            if (message.length > 0) {
                MemorySegment in = Arena.ofAuto().allocate(message.length + 8L, 8);
                MemorySegment.copy(message, 0, in, ValueLayout.JAVA_BYTE, 8, message.length);
                flushed |= message[0] == JournalMessages.FLUSH;
                handler.received(in, 8, message.length);
            }
        }

        @Override
        public boolean canSend(int length) {
            return !deaf;
        }

        @Override
        public void send(MemorySegment message, long offset, int length) {
            try {
                assertThat(JournalMessages.check(message, offset, length))
                        .isIn(
                                JournalMessages.DURABLE,
                                JournalMessages.STORED,
                                JournalMessages.IMAGE,
                                JournalMessages.SUMS,
                                JournalMessages.REFUSED);
            } catch (RuntimeException | AssertionError e) {
                fault = e;
            }
        }

        @Override
        public Endpoint accept(Duration bound) {
            return this;
        }

        @Override
        public int port() {
            return 0;
        }

        @Override
        public void post() {}

        @Override
        public int poll(CompletionHandler handler) {
            return await(handler, 0, false);
        }

        @Override
        public FabricCounters counters() {
            return new FabricCounters(0, 0, 0, 0, 0);
        }

        @Override
        public String peer() {
            return "an initiator";
        }

        @Override
        public void close() {}
    }
}
