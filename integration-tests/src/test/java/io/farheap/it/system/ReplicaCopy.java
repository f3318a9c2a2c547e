package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.agent.AgentThread;
import io.farheap.agent.journal.JournalCopy;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.it.support.Machines;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.ControlTimes;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.SlotLayout;
import io.farheap.spi.ChangedRanges;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A copy of a replica's files as they lie on a target whose agent is dead: it is promoted by the
 * agent's code and opened, while the original stays what it was.
 */
public final class ReplicaCopy implements AutoCloseable {
    /** Longer in a machine that is emulated, where those with RDMA are. */
    private static final int SLOWER = Machines.overRdma() ? 20 : 1;

    private static final Duration BOUND = Duration.ofSeconds(20L * SLOWER);
    private static final Duration HEARTBEAT = Duration.ofSeconds(SLOWER);
    private static final String SET = "copy.set";

    private final Path directory;
    private final Path part;

    private ReplicaCopy(Path directory, Path part) {
        this.directory = directory;
        this.part = part;
    }

    /**
     * Copies part and journal.
     *
     * @param original the replica's only part
     */
    public static ReplicaCopy of(Path original) {
        try {
            Path directory = Files.createTempDirectory(original.getParent().getParent(), "copy");
            Path part = directory.resolve(original.getFileName());
            Files.copy(original, part);
            JournalCopy.copy(journalOf(original), journalOf(part));
            Files.writeString(
                    directory.resolve(SET),
                    "PMEMPOOLSET\n" + Files.size(part) + "B " + part + "\n");
            return new ReplicaCopy(directory, part);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path journalOf(Path part) {
        return part.resolveSibling(part.getFileName() + ".journal");
    }

    /**
     * What is durable about a replica, whose agent may be at work: who reads slowly may find it
     * writing the one copy of the slot, and then the other.
     */
    public static ReplicaSlot slotOf(Path original) {
        return await("a slot that is whole")
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptionsMatching(
                        e ->
                                e instanceof FarheapException damaged
                                        && damaged.category() == Category.BAD_DATA)
                .until(() -> readSlot(original), slot -> true);
    }

    private static ReplicaSlot readSlot(Path original) {
        try (Arena arena = Arena.ofShared()) {
            return SlotLayout.read(
                    JournalCopy.begin(journalOf(original), arena), original.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Bytes that those records of the tail change that nobody is known to have committed: what a
     * returning initiator has to send.
     */
    public long undecidedFootprint() {
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(journalOf(part))) {
            MemorySegment file = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            return undecidedFootprint(file, SlotLayout.read(file, part.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long undecidedFootprint(MemorySegment file, ReplicaSlot slot) {
        long capacity = file.byteSize() - JournalLayout.RING;
        RecordReader reader = new RecordReader(file.asSlice(JournalLayout.RING, capacity));
        long committed = slot.appliedSequence();
        Footprint footprint = new Footprint();
        for (int pass = 0; pass < 2; pass++) {
            long sequence = slot.appliedSequence() + 1;
            long position = slot.appliedPosition();
            while (reader.read(
                            JournalLayout.ringOffset(position, capacity),
                            slot.journalEpoch(),
                            sequence)
                    == RecordReader.Verdict.VALID) {
                committed = Math.max(committed, reader.committedUpTo());
                if (pass == 1 && sequence > committed) {
                    reader.replay(footprint);
                }
                position += reader.length();
                sequence++;
            }
        }
        return footprint.bytes;
    }

    private static final class Footprint extends ChangedRanges {
        private long bytes;

        @Override
        protected void range(long offset, long length) {
            bytes += length;
        }
    }

    /** Replays the whole tail, as a take-over does. */
    public Reply.Promoted promote() {
        AgentThread agent =
                AgentThread.start(
                        List.of(
                                "--poolset-dir",
                                directory.toString(),
                                "--log-file",
                                directory.resolve("agent.log").toString(),
                                "--heartbeat-bound",
                                Long.toString(5 * HEARTBEAT.toMillis()),
                                "--attach-bound",
                                Long.toString(BOUND.toMillis())),
                        System.err);
        try {
            RemoteReplica replica = new RemoteReplica(null, "copy", 0, SET);
            ControlTimes times = new ControlTimes(BOUND, BOUND, HEARTBEAT);
            try (ControlClient client = ControlClient.connect(agent, replica, times)) {
                Reply.Verdict unused = client.hello(restore());
                return client.call(new Request.Promote(), Reply.Promoted.class);
            }
        } finally {
            requireEnd(agent);
        }
    }

    private static void requireEnd(AgentThread agent) {
        agent.close();
        try {
            assertThat(agent.awaitEnd(BOUND)).as("the agent's end").isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static Request.Hello restore() {
        return new Request.Hello(
                Reply.VERSION,
                Purpose.RESTORE,
                SET,
                "",
                "",
                0,
                Blob.EMPTY,
                0,
                0,
                List.of(),
                SlotReport.NOT_KNOWN,
                false,
                false,
                true,
                "a test",
                (int) HEARTBEAT.toMillis(),
                SessionOwner.NONE,
                FabricKind.TCP_ONLY,
                null,
                null,
                null);
    }

    /** Its poolset file. */
    public Path set() {
        return directory.resolve(SET);
    }

    /** What the copy holds. */
    public PoolState state() {
        return PoolState.ofFile(part);
    }

    /**
     * That the promoted copy is a sound pool of whole transactions.
     *
     * @return by thread, how many
     */
    public long[] assertWhole(long seed, int threads) {
        assertThat(state().inconsistencies()).as("heap walk of the replica alone").isEmpty();
        try (ObjectPool pool = ObjectPool.open(set(), Ledgers.LAYOUT)) {
            return Ledgers.assertWhole(pool, seed, threads);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
