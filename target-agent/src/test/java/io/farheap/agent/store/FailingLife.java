package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static io.farheap.agent.store.SimulatedReplica.IMAGE_BYTES;
import static io.farheap.agent.store.SimulatedReplica.LAYOUT;
import static io.farheap.agent.store.SimulatedReplica.UUID;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.journal.JournalFile;
import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.ForgetfulPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * An initiator with its replica, whose agent dies of the first fence of image or journal that
 * fails; the next one goes on from what the kernel kept. After each step, and each failure, the
 * machine loses power, and what its disks have is checked: who says that it is current, or was
 * acknowledged, has every commit.
 */
final class FailingLife {
    private static final long CHUNK = 4096;
    private static final int WORDS = 12;
    private static final int MOST_ATTEMPTS = 4;

    private final MemorySegment pool = SimulatedReplica.emptyPool();
    private final MemorySegment answer = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
    private final ForgetfulPages image;
    private final ForgetfulPages journal;
    private final boolean evicts;
    private final int failsAt;
    private int fences;
    private int checks;

    private ReplicaStore store;
    private RecordWriter writer;
    private long number = 1000;
    private long lastNumber = 1000;
    private List<Long> descendsFrom = List.of();
    private long commits;

    /** The word of a commit whose outcome nobody knows, until the next switch; -1: none. */
    private int doubtful = -1;

    private long doubted;

    /** Whether commits were acknowledged with this replica, and it was not given up since. */
    private boolean member;

    /**
     * @param failsAt which fence fails, of those that have something to write
     * @param evicts whether what could not be written is then lost from memory, too
     */
    FailingLife(int failsAt, boolean evicts) {
        this.failsAt = failsAt;
        this.evicts = evicts;
        SimulatedReplica fresh = SimulatedReplica.fresh();
        image = new ForgetfulPages(fresh.image.image());
        journal = new ForgetfulPages(fresh.journal.image());
        image.failWhen(this::isDue);
        journal.failWhen(this::isDue);
    }

    private boolean isDue() {
        return ++fences == failsAt;
    }

    /** Whether there were so many fences. */
    boolean hasFailed() {
        return fences >= failsAt;
    }

    int checks() {
        return checks;
    }

    private interface Step {
        void run();
    }

    void run() {
        bringUp(); // a full copy
        commitSome(3);
        step(() -> store.applyBatch());
        step(this::resume);
        commitSome(2);
        bringUp(); // a switch, with a tail
        commitSome(2);
        leaveOut();
        bringUp(); // by what differs
        commitSome(2);
        step(() -> store.applyBatch());
        commitSome(1);
        promote();
    }

    /** A step that fails ends the agent; its initiator attaches again. */
    private void step(Step step) {
        try {
            step.run();
            check();
        } catch (FarheapException e) {
            die();
            bringUp();
        }
    }

    private void die() {
        if (evicts) {
            image.evict();
            journal.evict();
        }
        check();
    }

    /** As {@link OpenReplica} opens one. */
    private void start() {
        PoolMemory memory = journal.open();
        JournalFile.storeAgain(memory, 0, JournalLayout.RING);
        memory.flush(0, memory.size());
        memory.fence();
        store = new ReplicaStore(memory, image.open(), UUID, "replica");
    }

    private void resume() {
        start();
        assertThat(store.resume(number)).isEqualTo(AttachDecision.CURRENT);
        long sequence = store.intake().sequence();
        assertThat(sequence).as("what was acknowledged").isEqualTo(writer.sequence());
    }

    private void bringUp() {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            try {
                start();
                attach();
                check();
                return;
            } catch (FarheapException e) {
                die();
            }
        }
        throw new AssertionError("one failure keeps it from coming back");
    }

    private void attach() {
        long next = lastNumber += 1000;
        store.applyCommitted(number);
        AttachDecision kind =
                store.switching().attach(number, next, descendsFrom, SlotReport.NOT_KNOWN, false);
        if (kind == AttachDecision.CURRENT) {
            for (ByteRange range : store.switching().footprint()) {
                store.switching().putImage(range.offset(), pool, range.offset(), range.length());
            }
            store.switching().prepare();
        } else {
            assertThat(kind)
                    .isIn(
                            AttachDecision.NEW,
                            AttachDecision.SYNC_INTERRUPTED,
                            AttachDecision.STALE);
            assertThat(member).as("a member is asked for a copy: %s", kind).isFalse();
            store.switching().startSync();
            sendWhatDiffers(0, Descriptor.END);
            sendWhatDiffers(HEAP, IMAGE_BYTES);
            store.switching().syncComplete(next, LAYOUT);
        }
        number = next; // the switch
        store.switching().confirm(next, false);
        member = true;
        doubtful = -1;
        descendsFrom = List.of();
        writer = new RecordWriter(store.intake().ring(), next);
    }

    private void sendWhatDiffers(long from, long end) {
        for (long at = from; at < end; at += CHUNK) {
            long length = Math.min(CHUNK, end - at);
            int unused = store.sumImage(answer, at, length, CHUNK);
            CRC32C here = new CRC32C();
            here.update(pool.asSlice(at, length).asByteBuffer());
            if (JournalMessages.sum(answer, 0, 0) != (int) here.getValue()) {
                store.switching().putImage(at, pool, at, length);
            }
        }
    }

    private static long offset(int word) {
        return HEAP + (2L * word + 1) * 2048;
    }

    private void commitSome(int count) {
        for (int i = 0; i < count; i++) {
            step(this::commit);
        }
    }

    private void commit() {
        long value = ++commits;
        doubtful = (int) (value % WORDS);
        doubted = value;
        long from = writer.position();
        var unused = writer.set(writer.sequence(), offset(doubtful), value);
        long durable = store.intake().flush(from, writer.position());
        assertThat(durable).isEqualTo(writer.sequence());
        pool.set(ValueLayout.JAVA_LONG, offset(doubtful), value); // acknowledged
        doubtful = -1;
    }

    /** It can't be reached, and the pool goes on alone: half of that it has already. */
    private void leaveOut() {
        descendsFrom = List.of(number);
        number = lastNumber += 1000;
        member = false;
        for (int word = 0; word < WORDS; word += 2) {
            pool.set(ValueLayout.JAVA_LONG, offset(word), ++commits);
        }
    }

    private void promote() {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            try {
                start();
                var unused = store.ownership().promote();
                assertThat(store.slot().state()).isEqualTo(ReplicaState.PROMOTED);
                assertWords(image.disk(), "of the promoted pool");
                return;
            } catch (FarheapException e) {
                die();
            }
        }
        throw new AssertionError("one failure keeps it from being promoted");
    }

    /** The power is lost here. */
    private void check() {
        checks++;
        ForgetfulPages images = new ForgetfulPages(image.disk());
        ForgetfulPages journals = new ForgetfulPages(journal.disk());
        ReplicaStore left = new ReplicaStore(journals.open(), images.open(), UUID, "left");
        boolean complete = left.slot().state() == ReplicaState.INSYNC;
        boolean promoted = left.slot().state() == ReplicaState.PROMOTED;
        if (member) {
            assertThat(complete || promoted).as("a member's state %s", left.slot()).isTrue();
        }
        boolean current = left.slot().cur() == number || left.slot().next() == number;
        if (complete && (current || member)) {
            assertThat(current).as("numbers of a member: %s", left.slot()).isTrue();
            long unused = left.ownership().promote();
            assertWords(images.disk(), "of what says that it is current");
        }
    }

    private void assertWords(MemorySegment disk, String whose) {
        List<String> wrong = new ArrayList<>();
        for (int word = 0; word < WORDS; word++) {
            long have = disk.get(ValueLayout.JAVA_LONG, offset(word));
            long due = pool.get(ValueLayout.JAVA_LONG, offset(word));
            if (have != due && !(word == doubtful && have == doubted)) {
                wrong.add("word " + word + " is " + have + ", not " + due);
            }
        }
        assertThat(wrong).as("words %s after failure %s", whose, failsAt).isEmpty();
    }
}
