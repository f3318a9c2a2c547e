package io.farheap.pool;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.layout.Descriptor;
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
 * master, look like either half of a switch. But recovery is over by then, and all that counts is
 * the same in all replicas, lanes included; where nothing else differs it does not matter which is
 * copied. Bytes in free memory may differ after an earlier crash or roll-back: then the switch that
 * was cut is refused like an old copy, which costs a sync and no commit.
 *
 * <p>libpmemobj does not look: it copies the master's lanes and goes on with two contents.
 */
final class ReplicaRuns {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private ReplicaRuns() {}

    /**
     * Refuses replicas of different runs, without a store. Content is read only where ids differ.
     *
     * @throws FarheapException BAD_DATA naming each replica's number
     */
    static void check(PoolSet set, List<ReplicaFiles> replicas) {
        List<MemorySegment> images = replicas.stream().map(r -> r.image().segment()).toList();
        MemorySegment master = images.get(0);
        boolean differ =
                images.stream()
                        .anyMatch(
                                image ->
                                        runId(image) != runId(master)
                                                && !sameContent(image, master, set.poolSize()));
        if (differ) {
            throw refusal(set, replicas);
        }
    }

    /** Gives all replicas, which {@link #check} found alike, the largest of their run ids. */
    static void align(PoolMemory memory, List<ReplicaFiles> replicas) {
        List<Long> runIds = replicas.stream().map(r -> runId(r.image().segment())).toList();
        if (runIds.stream().distinct().count() > 1) {
            new Descriptor(memory)
                    .switchRunId(runIds.stream().max(Long::compareUnsigned).orElseThrow());
        }
    }

    /** Whether two images are the same but for their headers, run ids and scratch words. */
    static boolean sameContent(MemorySegment a, MemorySegment b, long size) {
        return same(a, b, Descriptor.OFFSET, Descriptor.RUN_ID)
                && same(a, b, Descriptor.ROOT_SIZE, Descriptor.SCRATCH)
                && same(a, b, Descriptor.END, size);
    }

    private static boolean same(MemorySegment a, MemorySegment b, long from, long end) {
        return MemorySegment.mismatch(a, from, end, b, from, end) < 0;
    }

    private static long runId(MemorySegment image) {
        return image.get(LONG, Descriptor.RUN_ID);
    }

    private static FarheapException refusal(PoolSet set, List<ReplicaFiles> replicas) {
        String numbers =
                IntStream.range(0, replicas.size())
                        .mapToObj(
                                r ->
                                        "replica "
                                                + set.replicas().indexOf(set.localReplicas().get(r))
                                                + " ("
                                                + replicas.get(r).path(0)
                                                + ") has number "
                                                + Long.toUnsignedString(
                                                        runId(replicas.get(r).image().segment())))
                        .collect(Collectors.joining(", "));
        return new FarheapException(
                Category.BAD_DATA,
                set.file()
                        + ": the local replicas are of different runs, and their contents differ: "
                        + numbers
                        + "; a smaller number is an older copy: move the parts of each replica that"
                        + " is not to be kept away, then run farheap sync "
                        + set.file());
    }
}
