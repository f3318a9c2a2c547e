package io.farheap.check;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.base.Structure;
import io.farheap.heap.HeapWalk;
import io.farheap.heap.HeapWalk.HeapObject;
import io.farheap.heap.ObjectFinder;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneRecovery;
import io.farheap.ulog.LogCheck;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The image of one replica. First {@link #descriptor}, and only where lanes and heap lie inside the
 * image the rest. Reads only.
 */
final class ImageCheck {
    /** A header and one line of entries. */
    private static final long MIN_EXTENSION = 128;

    private final PoolMemory memory;
    private final Descriptor descriptor;
    private final long poolId;
    private final InconsistencyList findings;

    private ObjectFinder finder;
    private long objects;

    /** Image offsets of the internal objects, rising, and which of them somebody has. */
    private long[] internal = new long[16];

    private int internals;
    private final BitSet claimed = new BitSet();

    /**
     * @param poolId what every reference of the pool carries
     */
    ImageCheck(MemorySegment image, long poolId, InconsistencyList findings) {
        this.memory = HeapWalk.readOnly(image);
        this.descriptor = new Descriptor(memory);
        this.poolId = poolId;
        this.findings = findings;
    }

    long objects() {
        return objects;
    }

    long internalObjects() {
        return internals;
    }

    /** The descriptor. Whether lanes and heap can be looked at. */
    boolean descriptor() {
        boolean[] placed = {true};
        descriptor.eachFault(
                (fault, offset) -> {
                    findings.at(Structure.DESCRIPTOR, offset, fault);
                    placed[0] &= offset == Descriptor.RUN_ID || offset == Descriptor.OFFSET;
                });
        return placed[0];
    }

    /** Zones, chunks, runs, bitmaps and every object header. */
    void heap() {
        HeapWalk.walk(
                memory.image(), descriptor.heapOffset(), descriptor.heapSize(), new HeapFindings());
    }

    /**
     * The logs of a pool in which nothing is under way.
     *
     * @param recovered false: recovery could not be tried, logs may still hold work for it
     */
    void logs(boolean recovered) {
        new LogCheck(new LaneArea(memory), new LogFindings(recovered)).check();
    }

    /**
     * The logs of a replica that is not the master. Opening takes the master's, but refuses the
     * pool before where these can't be followed.
     */
    void followLogs() {
        try {
            boolean unused = new LaneRecovery(new LaneArea(memory)).check();
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
            findings.add(Structure.LOG, Descriptor.DEFAULT_LANES_OFFSET, e.getMessage());
        }
    }

    /** The root object, after {@link #heap}. */
    void root() {
        long root = descriptor.rootOffset();
        long size = descriptor.rootSize();
        if (root != 0 || size != 0) {
            HeapObject object = root == 0 ? null : finder().find(root);
            if (object == null) {
                findings.at(
                        Structure.ROOT,
                        Descriptor.ROOT_OFFSET,
                        "root: no allocated object starts at " + Long.toUnsignedString(root));
            } else {
                root(object, size);
            }
        }
    }

    /** That every other internal object belongs to a log, after {@link #logs}. */
    void lostObjects() {
        for (int i = claimed.nextClearBit(0); i < internals; i = claimed.nextClearBit(i + 1)) {
            findings.at(
                    Structure.LOG,
                    internal[i],
                    "an internal object is neither the root nor linked to a log: it is lost");
        }
    }

    private void root(HeapObject object, long size) {
        claim(object.userOffset());
        if (!object.internal() || object.typeNumber() != 0) {
            findings.at(
                    Structure.ROOT,
                    object.userOffset(),
                    "root: its header calls it an object of type "
                            + Long.toUnsignedString(object.typeNumber())
                            + (object.internal() ? ", not 0" : " that is not internal"));
        }
        if (size <= 0 || size > object.usableSize()) {
            findings.at(
                    Structure.ROOT,
                    Descriptor.ROOT_SIZE,
                    "root: "
                            + Long.toUnsignedString(size)
                            + " bytes were asked for, it has "
                            + object.usableSize());
        }
    }

    /** Lists that the caller knows of. */
    void lists(List<ListAt> lists) {
        ListCheck check = new ListCheck(memory, finder(), poolId, findings);
        for (ListAt list : lists) {
            Ref holder = list.object();
            check.check(
                    holder.isNull() ? descriptor.rootOffset() : holder.offset(),
                    list.headOffset(),
                    list.entryOffset());
        }
    }

    private ObjectFinder finder() {
        if (finder == null) {
            finder =
                    new ObjectFinder(
                            memory.image(), descriptor.heapOffset(), descriptor.heapSize());
        }
        return finder;
    }

    /** Whether the internal object there was nobody's so far. */
    private boolean claim(long object) {
        int index = Arrays.binarySearch(internal, 0, internals, object);
        if (index < 0 || claimed.get(index)) {
            return false;
        }
        claimed.set(index);
        return true;
    }

    private final class HeapFindings implements HeapWalk.Visitor {
        @Override
        public void object(HeapObject object) {
            if (!object.internal()) {
                objects++;
                return;
            }
            if (internals == internal.length) {
                internal = Arrays.copyOf(internal, 2 * internals);
            }
            internal[internals++] = object.userOffset();
        }

        @Override
        public void inconsistency(HeapWalk.Inconsistency found) {
            findings.add(Structure.HEAP, found.offset(), found.message());
        }
    }

    private final class LogFindings implements LogCheck.Visitor {
        private final boolean recovered;
        private long followed;

        LogFindings(boolean recovered) {
            this.recovered = recovered;
        }

        @Override
        public long extension(String log, long link, long object) {
            if (!recovered) {
                // Its block may be allocated by a log that was not applied.
                return withinHeap(log, link, object);
            }
            HeapObject found = finder().find(object);
            if (found == null || !found.internal()) {
                notAnExtension(log, link, object);
                return 0;
            }
            if (!claim(object)) {
                findings.at(
                        Structure.LOG,
                        link,
                        "the " + log + " leads to " + object + ", which another log has already");
                return 0;
            }
            return found.usableSize();
        }

        private long withinHeap(String log, long link, long object) {
            long start = descriptor.heapOffset();
            long end = start + descriptor.heapSize();
            if (object > start && object < end && ++followed < (end - start) / MIN_EXTENSION) {
                return end - object;
            }
            notAnExtension(log, link, object);
            return 0;
        }

        private void notAnExtension(String log, long link, long object) {
            findings.at(
                    Structure.LOG,
                    link,
                    "the "
                            + log
                            + " leads to "
                            + Long.toUnsignedString(object)
                            + ", where no log extension starts");
        }

        @Override
        public void pending(String log, long header, int entries) {
            if (recovered) {
                findings.at(
                        Structure.LOG,
                        header,
                        "the " + log + " holds " + entries + " entries, and nothing is under way");
            }
        }

        @Override
        public void inconsistency(long offset, String meaning) {
            findings.add(Structure.LOG, offset, meaning);
        }
    }
}
