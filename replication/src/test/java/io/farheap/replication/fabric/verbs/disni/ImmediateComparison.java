package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaVerbs;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.journal.RecordLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Records of one size on their way to a target and back as answers, in two ways that take turns: a
 * WRITE with a SEND behind it that names the range, and a WRITE with a constant immediate, of which
 * the target learns only that something came. In both it copies the record out of the bounce ring,
 * verifies it, and answers by a SEND. A record is
 *
 * <pre>
 *   0  sequence 8 | length 8 | CRC32C of what follows 8 | ... | sequence 8, at its end
 * </pre>
 */
public final class ImmediateComparison implements Consumer<String[]> {
    private static final int[] SIZES = {64, 1024, 4096};
    private static final int[] IN_FLIGHT = {1, 4};
    private static final int RING = 1 << 20;
    private static final int HEADER = 24;

    /** From one record to the next, so that none lies around the ring's end. */
    private static final int STRIDE = 4096;

    private static final int RECORDS = 20;
    private static final int SLOTS = 64;
    private static final Duration BOUND = Duration.ofMinutes(10);

    /** The message names no range: the target is to look into the ring. */
    private static final long END = -1;

    private final Path note = Path.of("/run/lab/immediate");
    private final String address = System.getProperty("rdma.address");
    private final String other = System.getenv("LAB_OTHER");
    private int blocks;

    /** By sequence number, when it was posted. */
    private final long[] posted = new long[SLOTS];

    /** Made by the class loader that knows DiSNI; takes how many blocks of records of each kind. */
    public ImmediateComparison() {}

    @Override
    public void accept(String[] args) {
        blocks = Integer.parseInt(args[0]);
        try {
            RdmaVerbs unused = RdmaVerbs.open();
            boolean both = "1".equals(System.getenv("LAB_GUESTS"));
            if (both) {
                Thread target = Thread.ofPlatform().daemon().start(this::serve);
                measure();
                target.join();
            } else if ("1".equals(System.getenv("LAB_NODE"))) {
                serve();
            } else {
                measure();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- the target ----

    private void serve() {
        try {
            RawEnd.Listener listener = new RawEnd.Listener(new InetSocketAddress(address, 0));
            MemorySegment bounce = RawEnd.memory(RING);
            // its key is known once the peer's connection is there: the second note has it
            write("port", Integer.toString(listener.port()));
            try (RawEnd end = listener.accept(Deadline.in(BOUND))) {
                Region ring = new Region(end.pair(), bounce, Region.SHARED);
                write("ring", ring.address() + " " + ring.remoteKey());
                new Target(end, bounce).run();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String name, String text) throws IOException {
        Path file = Path.of(note + "." + name);
        Path made = Files.writeString(Path.of(file + ".new"), text);
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private String read(String name, Deadline deadline) throws IOException {
        Path file = Path.of(note + "." + name);
        while (!Files.exists(file)) {
            if (deadline.isOver()) {
                throw new IOException("nobody wrote " + file);
            }
            Thread.yield();
        }
        return Files.readString(file);
    }

    private static final class Target {
        private final RawEnd end;
        private final MemorySegment bounce;
        private final MemorySegment journal = RawEnd.memory(RING);
        private final Region answers;
        private final Chain answer;
        private final CRC32C crc = new CRC32C();
        private long answered;
        private long sequence;
        private long position;
        private boolean ended;

        Target(RawEnd end, MemorySegment bounce) throws IOException {
            this.end = end;
            this.bounce = bounce;
            this.answers =
                    new Region(
                            end.pair(),
                            RawEnd.memory((long) SLOTS * RawEnd.MESSAGE_BYTES),
                            Region.LOCAL);
            this.answer = new Chain(end.pair().queues(), 0, IbvSendWR.IBV_WR_SEND, 1);
        }

        void run() throws IOException {
            while (!ended) {
                end.await(this::take, Deadline.in(BOUND));
            }
            answer.free();
        }

        /** What it takes from here until the answer is posted is told with the answer. */
        private void take(MemorySegment messages, long at) throws IOException {
            long begin = System.nanoTime();
            long from = messages.get(RecordLayout.LONG, at);
            long to = messages.get(RecordLayout.LONG, at + 8);
            messages.set(RecordLayout.LONG, at, 0L); // an immediate leaves the message as it was
            messages.set(RecordLayout.LONG, at + 8, 0L);
            if (from == END) {
                ended = true;
                return;
            }
            boolean found = to > from ? takeRange(from, to) : look();
            if (!found) {
                throw new IOException("record " + (sequence + 1) + " is not whole");
            }
            answer(begin);
        }

        private boolean takeRange(long from, long to) {
            MemorySegment.copy(bounce, from % RING, journal, from % RING, to - from);
            position = from;
            return takeNext();
        }

        /** As who hears nothing does: the beginning, whether the end is there, then all of it. */
        private boolean look() {
            long at = position % RING;
            MemorySegment.copy(bounce, at, journal, at, HEADER);
            long length = journal.get(RecordLayout.LONG, at + 8);
            if (journal.get(RecordLayout.LONG, at) != sequence + 1
                    || length < HEADER
                    || length > STRIDE
                    || bounce.get(RecordLayout.LONG, at + length - 8) != sequence + 1) {
                return false;
            }
            MemorySegment.copy(bounce, at, journal, at, length);
            return takeNext();
        }

        private boolean takeNext() {
            long at = position % RING;
            long length = journal.get(RecordLayout.LONG, at + 8);
            crc.reset();
            crc.update(journal.asSlice(at + HEADER, length - HEADER).asByteBuffer());
            if (journal.get(RecordLayout.LONG, at) != sequence + 1
                    || journal.get(RecordLayout.LONG, at + 16) != crc.getValue()) {
                return false;
            }
            sequence++;
            position += STRIDE;
            return true;
        }

        private void answer(long begin) throws IOException {
            long slot = answered++ % SLOTS * RawEnd.MESSAGE_BYTES;
            answers.memory().set(RecordLayout.LONG, slot, sequence);
            answers.memory().set(RecordLayout.LONG, slot + 8, System.nanoTime() - begin);
            answer.set(0, answers.address() + slot, answers.localKey(), RawEnd.MESSAGE_BYTES, 0, 0);
            answer.post(answered);
        }
    }

    // ---- the initiator ----

    private void measure() throws IOException {
        long seed = new Random().nextLong() >>> 16;
        Deadline deadline = Deadline.in(BOUND);
        int port = Integer.parseInt(read("port", deadline));
        try (RawEnd end = RawEnd.connect(new InetSocketAddress(other, port), deadline)) {
            String[] ring = read("ring", deadline).split(" ");
            System.out.printf(
                    "ImmediateComparison: seed %d, %d blocks of %d records of each kind%n",
                    seed, blocks, RECORDS);
            Initiator initiator =
                    new Initiator(end, Long.parseLong(ring[0]), Integer.parseInt(ring[1]));
            Random random = new Random(seed);
            initiator.turns(SIZES[1], 4, random); // nothing is compiled yet
            for (int size : SIZES) {
                for (int inFlight : IN_FLIGHT) {
                    Taken[] taken = initiator.turns(size, inFlight, random);
                    print(size, inFlight, taken[0], taken[1]);
                }
            }
            initiator.end();
        }
    }

    /** Times of one way: of each record, and of the target's part in it. */
    private static final class Taken {
        private final long[] nanos;
        private final long[] target;
        private int count;

        Taken(int records) {
            nanos = new long[records];
            target = new long[records];
        }

        void add(long whole, long part) {
            nanos[count] = whole;
            target[count++] = part;
        }

        static double micros(long[] of, double part) {
            long[] sorted = of.clone();
            Arrays.sort(sorted);
            return sorted[(int) ((sorted.length - 1) * part)] / 1000.0;
        }
    }

    private static void print(int size, int inFlight, Taken send, Taken immediate) {
        double p50 = Taken.micros(send.nanos, 0.5);
        double p99 = Taken.micros(send.nanos, 0.99);
        double other50 = Taken.micros(immediate.nanos, 0.5);
        double other99 = Taken.micros(immediate.nanos, 0.99);
        System.out.printf(
                "%4d B, %d in flight: WRITE+SEND p50 %.0f p99 %.0f us, with immediate p50 %.0f"
                        + " p99 %.0f us, ratio p50 %.2f p99 %.2f; of the target %.0f and %.0f us%n",
                size,
                inFlight,
                p50,
                p99,
                other50,
                other99,
                other50 / p50,
                other99 / p99,
                Taken.micros(send.target, 0.5),
                Taken.micros(immediate.target, 0.5));
    }

    private final class Initiator {
        private final RawEnd end;
        private final long remote;
        private final int remoteKey;
        private final MemorySegment memory = RawEnd.memory(RING);
        private final Region local;
        private final Region messages;
        private final Chain writeSend;
        private final Chain writeImmediate;
        private final Chain sendOnly;
        private final CRC32C crc = new CRC32C();
        private long requests;
        private long sequence;
        private long answered;
        private long position;

        Initiator(RawEnd end, long remote, int remoteKey) throws IOException {
            this.end = end;
            this.remote = remote;
            this.remoteKey = remoteKey;
            local = new Region(end.pair(), memory, Region.LOCAL);
            messages =
                    new Region(
                            end.pair(),
                            RawEnd.memory((long) SLOTS * RawEnd.MESSAGE_BYTES),
                            Region.LOCAL);
            writeSend = new Chain(end.pair().queues(), 1, IbvSendWR.IBV_WR_SEND, 1);
            writeImmediate =
                    new Chain(end.pair().queues(), 0, IbvSendWR.IBV_WR_RDMA_WRITE_WITH_IMM, 1);
            sendOnly = new Chain(end.pair().queues(), 0, IbvSendWR.IBV_WR_SEND, 1);
        }

        /** One way, then the other, again and again; which goes first is random. */
        Taken[] turns(int size, int inFlight, Random random) throws IOException {
            Taken[] taken = {new Taken(blocks * RECORDS), new Taken(blocks * RECORDS)};
            for (int block = 0; block < blocks; block++) {
                int first = random.nextInt(2);
                block(size, inFlight, first == 1, taken[first]);
                block(size, inFlight, first == 0, taken[1 - first]);
            }
            return taken;
        }

        private void block(int size, int inFlight, boolean immediate, Taken taken)
                throws IOException {
            long last = sequence + RECORDS;
            while (answered < last) {
                while (sequence < last && sequence - answered < inFlight) {
                    post(size, immediate);
                }
                end.await((memory, at) -> answer(memory, at, taken), Deadline.in(BOUND));
            }
        }

        private void answer(MemorySegment memory, long at, Taken taken) throws IOException {
            long now = System.nanoTime();
            answered++;
            if (memory.get(RecordLayout.LONG, at) != answered) {
                throw new IOException("an answer that is not about record " + answered);
            }
            taken.add(
                    now - posted[(int) (answered % SLOTS)], memory.get(RecordLayout.LONG, at + 8));
        }

        private void post(int size, boolean immediate) throws IOException {
            sequence++;
            long at = position % RING;
            record(at, size);
            Chain chain = immediate ? writeImmediate : writeSend;
            chain.set(0, local.address() + at, local.localKey(), size, remote + at, remoteKey);
            posted[(int) (sequence % SLOTS)] = System.nanoTime();
            if (!immediate) {
                message(writeSend, 1, position, position + size);
            }
            requests++;
            chain.post(requests);
            position += STRIDE;
        }

        private void record(long at, int size) {
            memory.set(RecordLayout.LONG, at, sequence);
            memory.set(RecordLayout.LONG, at + 8, size);
            memory.set(RecordLayout.LONG, at + size - 8, sequence);
            crc.reset();
            crc.update(memory.asSlice(at + HEADER, size - HEADER).asByteBuffer());
            memory.set(RecordLayout.LONG, at + 16, crc.getValue());
        }

        private void message(Chain chain, int request, long from, long to) {
            long slot = sequence % SLOTS * RawEnd.MESSAGE_BYTES;
            messages.memory().set(RecordLayout.LONG, slot, from);
            messages.memory().set(RecordLayout.LONG, slot + 8, to);
            chain.set(
                    request,
                    messages.address() + slot,
                    messages.localKey(),
                    RawEnd.MESSAGE_BYTES,
                    0,
                    0);
        }

        void end() throws IOException {
            sequence++;
            message(sendOnly, 0, END, END);
            sendOnly.post(++requests);
        }
    }
}
