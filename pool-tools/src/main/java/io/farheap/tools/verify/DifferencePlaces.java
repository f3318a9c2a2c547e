package io.farheap.tools.verify;

import io.farheap.heap.OffsetClassifier;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.control.ByteRange;
import io.farheap.tools.verify.CopyResult.Difference;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Where copies differ, for people: in which file, and what lies there. */
final class DifferencePlaces {
    private final PoolSet set;
    private final MemorySegment reference;

    /**
     * @param reference the image that says what lies where; null: none is here
     */
    DifferencePlaces(PoolSet set, MemorySegment reference) {
        this.set = set;
        this.reference = reference;
    }

    List<Difference> of(Subject subject) {
        List<ByteRange> places = subject.against.places();
        long[] offsets = places.stream().mapToLong(ByteRange::offset).toArray();
        long[] lengths = places.stream().mapToLong(ByteRange::length).toArray();
        String[] meanings =
                reference == null
                        ? new String[offsets.length]
                        : OffsetClassifier.of(reference, offsets, lengths);
        List<Difference> differences = new ArrayList<>();
        for (int i = 0; i < offsets.length; i++) {
            differences.add(difference(subject, offsets[i], lengths[i], meanings[i]));
        }
        return differences;
    }

    private Difference difference(Subject subject, long offset, long length, String meaning) {
        if (subject.index < 0) {
            return new Difference(offset, length, null, null, meaning);
        }
        LocalReplica replica = set.localReplicas().get(subject.index);
        int part = replica.parts().size() - 1;
        while (set.imageOffset(replica, part) > offset) {
            part--;
        }
        return new Difference(
                offset,
                length,
                replica.parts().get(part).path().toString(),
                offset - set.imageOffset(replica, part) + set.imageStart(part),
                meaning);
    }
}
