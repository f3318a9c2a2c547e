package io.farheap.check;

import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/**
 * A damaged local replica gets the content of another. Pages that are the same already are not
 * written. From the first change to the last its descriptor is erased, but for the run id: nobody
 * takes a half copy for a pool, and who goes on knows of which run it is.
 *
 * @param source index among the local replicas
 * @param target the damaged one
 * @param pages numbers of those that differ
 * @param assumed whether nothing proves that the target held nothing newer
 */
record ReplicaOverwrite(int source, int target, BitSet pages, boolean assumed) {
    private static final int PAGE = 4096;
    private static final int DESCRIPTOR_PAGE = (int) (Descriptor.OFFSET / PAGE);

    /** Makes the images the same in memory, and notes in what they differed. */
    static ReplicaOverwrite of(List<PoolMemory> images, int source, int target, boolean assumed) {
        PoolMemory from = images.get(source);
        PoolMemory to = images.get(target);
        BitSet pages = new BitSet();
        long end = from.size();
        long at = Descriptor.OFFSET;
        while (at < end) {
            long found = from.image().asSlice(at, end - at).mismatch(to.image().asSlice(at));
            if (found < 0) {
                break;
            }
            long page = (at + found) / PAGE;
            pages.set((int) page);
            to.copyIn(page * PAGE, from.image(), page * PAGE, PAGE);
            at = (page + 1) * PAGE;
        }
        return new ReplicaOverwrite(source, target, pages, assumed);
    }

    /** Does it in the files, durably. Cut anywhere, it is done anew. */
    void run(PoolSet set) {
        try (ReplicaChannels from = new ReplicaChannels(set, set.localReplicas().get(source));
                ReplicaChannels to = new ReplicaChannels(set, set.localReplicas().get(target))) {
            to.write(zeros(Descriptor.CHECKSUMMED_SIZE), Descriptor.OFFSET);
            to.force();
            for (int page = pages.nextSetBit(0); page >= 0; page = pages.nextSetBit(page + 1)) {
                if (page != DESCRIPTOR_PAGE) {
                    copy(from, to, page);
                }
            }
            to.force();
            copy(from, to, DESCRIPTOR_PAGE);
            to.force();
        }
    }

    private static void copy(ReplicaChannels from, ReplicaChannels to, long page) {
        MemorySegment bytes = zeros(PAGE);
        from.read(bytes, page * PAGE);
        to.write(bytes, page * PAGE);
    }

    private static MemorySegment zeros(long length) {
        return MemorySegment.ofArray(new byte[(int) length]);
    }
}
