package io.farheap.replication;

import io.farheap.replication.control.ByteRange;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A copy of the pool to one replica while commits go on (protocol, section 8): the committed view
 * of what is to be copied, in rounds, since whatever commits or rolls back meanwhile marks its
 * places again. The last round is made with the gate closed. For one thread, but for marking.
 */
final class OnlineCopy {
    private static final int PIECE = JournalMessages.MAX_IMAGE_BYTES;

    /** Bytes behind one checksum when contents are compared; less is not worth the question. */
    private static final int CHUNK = Member.COMPARED_BYTES;

    /** So little is left that commits may wait for it. */
    private static final long LITTLE = 1 << 20;

    /** After so many rounds commits make more than is copied, and have to wait for the rest. */
    private static final int MOST_ROUNDS = 20;

    private final ReplicatedPool pool;
    private final Member member;
    private final RegionSet left;
    private final boolean comparing;
    private final MemorySegment buffer = Arena.ofAuto().allocate(PIECE, 64);
    private List<ByteRange> round = List.of();
    private int next;
    private long done;
    private int rounds;

    /**
     * @param left what is to be copied; whatever ends from now on marks it
     * @param comparing only what differs travels
     */
    OnlineCopy(ReplicatedPool pool, Member member, RegionSet left, boolean comparing) {
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
            round = SharedBytes.of(left.take(imageBytes), imageBytes);
            next = 0;
            done = 0;
            rounds++;
        }
        if (round.isEmpty()) {
            return false;
        }
        ByteRange range = round.get(next);
        int length = (int) Math.min(PIECE, range.length() - done);
        copy(range.offset() + done, length);
        done += length;
        if (done == range.length()) {
            next++;
            done = 0;
        }
        return true;
    }

    private void copy(long offset, int length) {
        pool.readCommitted(offset, buffer, length);
        if (!comparing || length < CHUNK) {
            member.images().put(buffer, offset, length);
            return;
        }
        member.images().awaitStored();
        int[] there = member.images().sums(offset, length, CHUNK);
        int[] here = ImageSums.of(buffer, 0, length, CHUNK);
        for (ByteRange range : ImageSums.differing(here, there, offset, length, CHUNK)) {
            MemorySegment differing = buffer.asSlice(range.offset() - offset, range.length());
            member.images().put(differing, range.offset(), (int) range.length());
        }
    }
}
