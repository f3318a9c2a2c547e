package io.farheap.replication.epoch;

import io.farheap.replication.control.ByteRange;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.session.ImageSums;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.SharedBytes;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A copy of the pool to one replica while commits go on (docs/protocol.md#catching-up): the
 * committed view of what is to be copied, in rounds, since whatever commits or rolls back meanwhile
 * marks its places again. The last round is made with admission closed. For one thread, but for
 * marking.
 */
final class OnlineCopy {
    private static final int PIECE = JournalMessages.MAX_IMAGE_BYTES;

    /** Bytes behind one checksum when contents are compared; less is not worth the question. */
    private static final int CHUNK = ReplicaSession.COMPARED_BYTES;

    /** What lies between two ranges is read with them if it is no more: a look at all logs less. */
    private static final int GAP = 1 << 16;

    /** So little is left that commits may wait for it. */
    private static final long LITTLE = 1 << 16;

    /** Ranges of one round: of a large pool millions may have changed. */
    private static final int MOST_RANGES = 1 << 14;

    /** After so many rounds commits make more than is copied, and have to wait for the rest. */
    private static final int MOST_ROUNDS = 20;

    private final ReplicatedPool pool;
    private final ReplicaSession member;
    private final RegionSet left;
    private final boolean comparing;
    private final MemorySegment buffer = Arena.ofAuto().allocate(PIECE, 64);
    private List<ByteRange> round = List.of();
    private int next;
    private long done;
    private int rounds;

    /** So little was left once. */
    private long least = Long.MAX_VALUE;

    private long copied;

    /**
     * @param left what is to be copied; whatever ends from now on marks it
     * @param comparing only what differs travels
     */
    OnlineCopy(ReplicatedPool pool, ReplicaSession member, RegionSet left, boolean comparing) {
        this.pool = pool;
        this.member = member;
        this.left = left;
        this.comparing = comparing;
    }

    /** What is to be copied in the next round. */
    RegionSet left() {
        return left;
    }

    /**
     * Copies some more.
     *
     * @return whether much is left
     */
    boolean step() {
        if (!copyPiece()) {
            return false;
        }
        boolean roundIsOver = next == round.size();
        return !roundIsOver || left.bytes() > LITTLE && rounds < MOST_ROUNDS;
    }

    /**
     * How many bytes were sent or compared since this was asked last; what lies between them and
     * was read with them does not count.
     */
    long takeCopied() {
        long bytes = copied;
        copied = 0;
        return bytes;
    }

    /**
     * It can't join yet, for as long as that may take: what comes meanwhile is copied in rounds.
     */
    void again() {
        rounds = 0;
        least = Long.MAX_VALUE;
    }

    /** From now on its target is not waited for beyond this. */
    void within(Deadline end) {
        member.within(end);
    }

    /** Waits until all that was copied is stored. */
    void awaitStored() {
        member.images().awaitStored();
    }

    /** Ends its connection: whatever it waits for fails. */
    void cut() {
        member.abandon();
    }

    /** Whether nothing was marked since the last round began. */
    boolean isComplete() {
        return next == round.size() && left.isEmpty();
    }

    /**
     * Copies a piece, of the next round where this one is over.
     *
     * @return whether there was one
     */
    boolean copyPiece() {
        if (next == round.size()) {
            long imageBytes = pool.image().byteSize();
            long before = left.bytes();
            List<ByteRange> taken = left.take(imageBytes, MOST_RANGES);
            round = SharedBytes.of(taken, imageBytes);
            next = 0;
            done = 0;
            // a part of a round counts, too, where as much has come as was copied
            rounds += taken.size() < MOST_RANGES || before >= least ? 1 : 0;
            least = Math.min(least, before);
        }
        if (round.isEmpty()) {
            return false;
        }
        long from = round.get(next).offset() + done;
        int last = next;
        long end = Math.min(end(next), from + PIECE);
        while (last + 1 < round.size()
                && round.get(last + 1).offset() - end <= GAP
                && end(last + 1) - from <= PIECE) {
            end = end(++last);
        }
        pool.readCommitted(from, buffer, end - from);
        send(from, from, Math.min(end(next), end));
        for (int i = next + 1; i <= last; i++) {
            send(from, round.get(i).offset(), end(i));
        }
        boolean isWhole = end == end(last);
        done = isWhole ? 0 : end - round.get(last).offset();
        next = isWhole ? last + 1 : last;
        return true;
    }

    private long end(int range) {
        return round.get(range).offset() + round.get(range).length();
    }

    /** Sends what is in the buffer of a range, or what differs. */
    private void send(long bufferOffset, long offset, long end) {
        int length = (int) (end - offset);
        copied += length;
        MemorySegment content = buffer.asSlice(offset - bufferOffset, length);
        if (!comparing || length < CHUNK) {
            member.images().put(content, offset, length);
            return;
        }
        member.images().awaitStored();
        int[] there = member.images().sums(offset, length, CHUNK);
        int[] here = ImageSums.of(content, 0, length, CHUNK);
        for (ByteRange range : ImageSums.differing(here, there, offset, length, CHUNK)) {
            MemorySegment differing = content.asSlice(range.offset() - offset, range.length());
            member.images().put(differing, range.offset(), (int) range.length());
        }
    }
}
