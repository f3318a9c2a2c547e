package io.farheap.replication.scrub;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Reply;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.replication.epoch.Epoch;
import io.farheap.replication.epoch.RemoteReplicas;
import io.farheap.replication.epoch.ReplicaTracker;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/**
 * Compares one piece of an open pool with one member of the epoch, while commits go on.
 *
 * <p>First by checksum, and nothing is proven by that unless both are the same. Where they are not,
 * pages are compared byte for byte, and a difference counts only of a page for which all of this
 * holds, in this order:
 *
 * <ol>
 *   <li>from here on every commit marks what it changes, after it is done here and before the
 *       replica may apply it; and every roll-back, after it is done;
 *   <li>every record claimed until here is applied by the replica: so it is committed here;
 *   <li>the page is read here, as it is committed, and there, between two records;
 *   <li>every record claimed until here is applied, and no roll-back is under way: so whoever
 *       changed the page since the first step has marked it;
 *   <li>the page is not marked, and the epoch is the same.
 * </ol>
 *
 * <p>Then nothing that changes the page happened between the first step and the last, and both
 * sides have read it with the same commits. What means nothing is left out. For one thread.
 */
final class PieceComparison {
    /** Bytes of the longest piece. */
    static final int PIECE = Limits.MAX_SUM_BYTES;

    private static final int PAGE = 4096;
    private static final int PARTS = 4;

    /** Of which the bytes are asked for. */
    private static final int SMALLEST = 4 * PAGE;

    private static final int ATTEMPTS = 5;
    private static final long PATIENCE_NANOS = 2_000_000_000;
    private static final long PAUSE_NANOS = 1_000_000;

    private final RemoteReplicas replicas;
    private final ReplicatedPool pool;
    private final MemorySegment here = Arena.ofAuto().allocate(PIECE, 64);
    private final MemorySegment there = Arena.ofAuto().allocate(SMALLEST, 64);

    /**
     * What was found.
     *
     * @param busy bytes of pages that changed in every attempt
     * @param settled what was compared, if not all of it, page by page
     * @param differences in ascending order
     */
    record Outcome(long busy, List<ByteRange> settled, List<ByteRange> differences) {}

    PieceComparison(RemoteReplicas replicas, ReplicatedPool pool) {
        this.replicas = replicas;
        this.pool = pool;
    }

    /**
     * @throws FarheapException category REPLICA when the replica is no member now, or is lost
     */
    Outcome compare(ReplicaTracker copy, long offset, int length) {
        Epoch epoch = replicas.epoch();
        ReplicaSession member = copy.member();
        if (member == null || !epoch.isOpen() || !epoch.members().contains(copy)) {
            throw copy.fault("it is not attached");
        }
        if (isSame(member, offset, length)) {
            return new Outcome(0, List.of(new ByteRange(offset, length)), List.of());
        }
        return narrowed(epoch, member, offset, length);
    }

    private boolean isSame(ReplicaSession member, long offset, int length) {
        pool.readCommitted(offset, here, length);
        return sum(here, length) == member.readImage(offset, length, false).sum();
    }

    /**
     * What differs as a whole, in ever smaller parts: the bytes are asked for only of what commits
     * change, or differs.
     */
    private Outcome narrowed(Epoch epoch, ReplicaSession member, long offset, int length) {
        if (length <= SMALLEST) {
            return byPages(epoch, member, offset, length);
        }
        long busy = 0;
        List<ByteRange> settled = new ArrayList<>();
        List<ByteRange> found = new ArrayList<>();
        int most = Math.max(SMALLEST, length / PARTS);
        for (int at = 0; at < length; at += most) {
            int part = Math.min(most, length - at);
            if (isSame(member, offset + at, part)) {
                settled.add(new ByteRange(offset + at, part));
            } else {
                Outcome outcome = narrowed(epoch, member, offset + at, part);
                busy += outcome.busy();
                settled.addAll(outcome.settled());
                found.addAll(outcome.differences());
            }
        }
        return new Outcome(busy, settled, joined(found));
    }

    private Outcome byPages(Epoch epoch, ReplicaSession member, long offset, int length) {
        BitSet open = new BitSet();
        open.set(0, pages(offset, length));
        List<ByteRange> settled = new ArrayList<>();
        List<ByteRange> found = new ArrayList<>();
        for (int attempt = 0; attempt < ATTEMPTS && !open.isEmpty(); attempt++) {
            attempt(epoch, member, offset, length, open, settled, found);
        }
        found.sort((a, b) -> Long.compare(a.offset(), b.offset()));
        long busy =
                open.stream()
                        .mapToObj(page -> page(offset, length, page))
                        .mapToLong(ByteRange::length)
                        .sum();
        return new Outcome(busy, settled, joined(found));
    }

    private void attempt(
            Epoch epoch,
            ReplicaSession member,
            long offset,
            int length,
            BitSet open,
            List<ByteRange> settled,
            List<ByteRange> found) {
        RegionSet changed = RegionSet.ofPages(pool.image().byteSize());
        replicas.setWatching(changed);
        try {
            boolean told =
                    awaitApplied(epoch, member)
                            && read(epoch, member, offset, length)
                            && awaitApplied(epoch, member)
                            && awaitNoUndoing()
                            && replicas.epoch() == epoch
                            && epoch.isOpen();
            if (!told) {
                return;
            }
        } finally {
            replicas.setWatching(null);
        }
        for (int page = open.nextSetBit(0); page >= 0; page = open.nextSetBit(page + 1)) {
            ByteRange range = page(offset, length, page);
            if (!changed.isMarked(range.offset())) {
                open.clear(page);
                settled.add(range);
                differences(offset, range, found);
            }
        }
    }

    /** Whether the replica has applied all that was claimed until now. */
    private boolean awaitApplied(Epoch epoch, ReplicaSession member) {
        long last = epoch.stream().lastSequence();
        long begin = System.nanoTime();
        while (true) {
            Reply.ImageContent now = member.readImage(0, 0, false);
            if (now.epoch() != epoch.number()) {
                return false;
            }
            if (now.applied() >= last) {
                return true;
            }
            if (System.nanoTime() - begin > PATIENCE_NANOS || !epoch.isOpen()) {
                return false;
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    private boolean awaitNoUndoing() {
        long begin = System.nanoTime();
        while (replicas.isUndoing()) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Reads both; false when that can't be done now. */
    private boolean read(Epoch epoch, ReplicaSession member, long offset, int length) {
        try {
            pool.readCommitted(offset, here, length);
            Reply.ImageContent content = member.readImage(offset, length, true);
            MemorySegment.copy(
                    MemorySegment.ofArray(content.content().toByteArray()), 0, there, 0, length);
            // After the bytes: memory that is in use by now, and was not then, is marked.
            pool.clearUnused(offset, here, there, length);
            return content.epoch() == epoch.number();
        } catch (FarheapException e) {
            if (e.category() == FarheapException.Category.BAD_DATA) {
                return false; // metadata or logs that change while they are read
            }
            throw e;
        }
    }

    private void differences(long offset, ByteRange page, List<ByteRange> found) {
        long end = page.offset() + page.length() - offset;
        long at = page.offset() - offset;
        while (at < end) {
            long next = MemorySegment.mismatch(here, at, end, there, at, end);
            if (next < 0) {
                return;
            }
            at += next;
            long from = at;
            while (at < end
                    && here.get(ValueLayout.JAVA_BYTE, at)
                            != there.get(ValueLayout.JAVA_BYTE, at)) {
                at++;
            }
            found.add(new ByteRange(offset + from, at - from));
        }
    }

    /** Neighbours as one. */
    private static List<ByteRange> joined(List<ByteRange> ranges) {
        List<ByteRange> joined = new ArrayList<>();
        for (ByteRange range : ranges) {
            ByteRange last = joined.isEmpty() ? null : joined.getLast();
            if (last != null && last.offset() + last.length() == range.offset()) {
                joined.set(
                        joined.size() - 1,
                        new ByteRange(last.offset(), last.length() + range.length()));
            } else {
                joined.add(range);
            }
        }
        return joined;
    }

    private static int pages(long offset, int length) {
        return (int) (((offset + length - 1) / PAGE) - offset / PAGE) + 1;
    }

    private static ByteRange page(long offset, int length, int page) {
        long start = (offset / PAGE + page) * PAGE;
        long from = Math.max(start, offset);
        return new ByteRange(from, Math.min(start + PAGE, offset + length) - from);
    }

    private static int sum(MemorySegment bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.asSlice(0, length).asByteBuffer());
        return (int) crc.getValue();
    }
}
