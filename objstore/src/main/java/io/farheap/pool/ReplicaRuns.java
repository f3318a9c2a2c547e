package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.Descriptor;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MirroredPersistence;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Whether the local replicas of a pool come from one run. Stores and their persists reach all of
 * them, the run id too; so ids that differ tell of a copy that was put back, or was not there while
 * the pool was used.
 *
 * <p>One crash leaves different ids as well: in the switch to the next one. No order of persists
 * would make that a case of its own: an old master beside its mirror, and an old mirror beside its
 * master, look like either half of a switch. Bytes that mean nothing may differ then, by an earlier
 * crash; and libpmemobj switches before it recovers, so logs may be stored. What tells the cases
 * apart is what the replicas hold after their recovery, which is tried in memory: where that is the
 * same it does not matter which is copied. Two crashes may leave what is not the same: the first in
 * the store of a log that commits, or with stores in objects that a C program never flushes, as
 * those of its locks; the second in the next switch. That is refused like an old copy, which costs
 * a sync and no commit.
 *
 * <p>libpmemobj does not look: it copies the master's lanes and goes on with two contents.
 */
final class ReplicaRuns {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final PoolSet set;
    private final List<ReplicaFiles> replicas;

    ReplicaRuns(PoolSet set, List<ReplicaFiles> replicas) {
        this.set = set;
        this.replicas = replicas;
    }

    /**
     * Refuses replicas of different runs, without a store. Content is read only where ids differ.
     *
     * @throws FarheapException BAD_DATA naming each replica's number
     */
    void check(ContentCheck contentCheck) {
        for (int r = 1; r < replicas.size(); r++) {
            boolean other = runId(r) != runId(0) && !sameContent(image(r), image(0), size());
            if (other && !recoversAlike(r, contentCheck)) {
                throw refusal(null);
            }
        }
    }

    private boolean recoversAlike(int other, ContentCheck contentCheck) {
        try (MappedImage master = replicas.get(0).copyOnWrite();
                MappedImage follower = replicas.get(other).copyOnWrite();
                MappedImage alone = replicas.get(other).copyOnWrite()) {
            PoolMemory together =
                    new PoolMemory(
                            replicas.get(0).path(0).toString(),
                            master.segment().asSlice(0, size()),
                            new MirroredPersistence(master, List.of(follower), size()));
            PoolMemory second = memory(follower, other);
            PoolMemory byItself = memory(alone, other);
            RecoveryPreparation.prepareImage(together);
            RecoveryPreparation.prepareImage(byItself);
            return contentCheck.recoverAlike(together, second, byItself);
        } catch (FarheapException unrecoverable) {
            throw unrecoverable.category() == Category.BAD_DATA
                    ? refusal(unrecoverable)
                    : unrecoverable;
        }
    }

    private PoolMemory memory(MappedImage image, int replica) {
        return new PoolMemory(
                replicas.get(replica).path(0).toString(),
                image.segment().asSlice(0, size()),
                image.persistence());
    }

    /** Gives all replicas, which {@link #check} found alike, the largest of their run ids. */
    void align(PoolMemory memory) {
        List<Long> runIds =
                IntStream.range(0, replicas.size()).mapToObj(this::runId).distinct().toList();
        if (runIds.size() > 1) {
            new Descriptor(memory)
                    .switchRunId(runIds.stream().max(Long::compareUnsigned).orElseThrow());
        }
    }

    /** Whether two images are the same but for their headers, run ids and scratch words. */
    private static boolean sameContent(MemorySegment a, MemorySegment b, long size) {
        return same(a, b, Descriptor.OFFSET, Descriptor.RUN_ID)
                && same(a, b, Descriptor.ROOT_SIZE, Descriptor.SCRATCH)
                && same(a, b, Descriptor.END, size);
    }

    private static boolean same(MemorySegment a, MemorySegment b, long from, long end) {
        return MemorySegment.mismatch(a, from, end, b, from, end) < 0;
    }

    private long size() {
        return set.poolSize();
    }

    private MemorySegment image(int replica) {
        return replicas.get(replica).image().segment();
    }

    private long runId(int replica) {
        return image(replica).get(LONG, Descriptor.RUN_ID);
    }

    private FarheapException refusal(FarheapException cause) {
        String numbers =
                IntStream.range(0, replicas.size())
                        .mapToObj(
                                r ->
                                        "replica "
                                                + set.replicas().indexOf(set.localReplicas().get(r))
                                                + " ("
                                                + replicas.get(r).path(0)
                                                + ") has number "
                                                + Long.toUnsignedString(runId(r)))
                        .collect(Collectors.joining(", "));
        return FarheapException.badData(
                cause,
                "%s: the local replicas are of different runs, and their contents"
                        + " differ: %s; a smaller number is an older copy: move the parts of"
                        + " each replica that is not to be kept away, then run farheap sync %s",
                set.file(),
                numbers,
                set.file());
    }
}
