package io.farheap.heap;

import io.farheap.layout.Descriptor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Says what lies at places of an image, by the image's own metadata: which object, which header.
 * For people who look at copies that differ.
 */
public final class OffsetClassifier implements HeapWalk.Visitor {
    private static final String UNKNOWN = "memory that belongs to nothing";

    private final long[] offsets;
    private final long[] lengths;
    private final String[] meanings;
    private final long root;
    private HeapWalk.Block block;
    private String damage;

    private OffsetClassifier(long[] offsets, long[] lengths, long root) {
        this.offsets = offsets;
        this.lengths = lengths;
        this.root = root;
        meanings = new String[offsets.length];
    }

    /**
     * What lies there, a phrase for each place: of the first thing that it meets.
     *
     * @param offsets image offsets, rising
     * @param lengths bytes of each place; they don't overlap
     */
    public static String[] of(MemorySegment image, long[] offsets, long[] lengths) {
        Descriptor descriptor = new Descriptor(HeapWalk.readOnly(image));
        OffsetClassifier found = new OffsetClassifier(offsets, lengths, descriptor.rootOffset());
        long heap = descriptor.heapOffset();
        found.say(0, Descriptor.OFFSET, "the pool header");
        found.say(Descriptor.OFFSET, Descriptor.END, "the pool descriptor");
        found.say(Descriptor.END, heap, "the lanes");
        found.say(heap, heap + HeapLayout.HEADER_BYTES, "the heap's header");
        HeapWalk.walk(image, heap, descriptor.heapSize(), found);
        for (int i = 0; i < offsets.length; i++) {
            if (found.meanings[i] == null) {
                found.meanings[i] = found.damage == null ? UNKNOWN : found.damage;
            }
        }
        return found.meanings;
    }

    private interface Phrase {
        String of(long offset, long length);
    }

    private void say(long from, long end, String phrase) {
        say(from, end, (offset, length) -> phrase);
    }

    /** Of all places that begin before {@code end} and end behind {@code from}. */
    private void say(long from, long end, Phrase phrase) {
        int at = Arrays.binarySearch(offsets, from);
        at = at >= 0 ? at : Math.max(0, -at - 2); // the one before may reach into it
        for (int i = at; i < offsets.length && offsets[i] < end; i++) {
            if (meanings[i] == null && offsets[i] + lengths[i] > from) {
                long begin = Math.max(offsets[i], from);
                long most = Math.min(offsets[i] + lengths[i], end);
                meanings[i] = phrase.of(begin - from, most - begin);
            }
        }
    }

    @Override
    public void zone(HeapWalk.Zone zone) {
        long headers = zone.offset() + HeapLayout.ZONE_HEADER_BYTES;
        say(zone.offset(), headers, "the header of zone " + zone.index());
        say(
                headers,
                HeapLayout.chunk(zone.offset(), 0),
                (offset, length) ->
                        "the header of chunk " + offset / Long.BYTES + " of zone " + zone.index());
    }

    @Override
    public void block(HeapWalk.Block next) {
        block = next;
        String place = "chunk " + next.chunk() + " of zone " + next.zone();
        HeapWalk.Run run = next.run();
        if (run != null) {
            say(next.offset(), run.bitmapOffset(), "the header of the run in " + place);
            say(run.bitmapOffset(), run.dataOffset(), "the bitmap of the run in " + place);
        } else if (next.type() == HeapWalk.BlockType.FREE) {
            long end = next.offset() + next.chunks() * HeapLayout.CHUNK_BYTES;
            say(next.offset(), end, "free memory");
        }
    }

    @Override
    public void object(HeapWalk.HeapObject object) {
        long user = object.userOffset();
        say(user - block.headerBytes(), user, "the header of " + name(object));
        say(
                user,
                user + object.usableSize(),
                (offset, length) ->
                        name(object)
                                + ", bytes "
                                + offset
                                + " to "
                                + (offset + length - 1)
                                + " of "
                                + object.usableSize());
    }

    private String name(HeapWalk.HeapObject object) {
        if (object.userOffset() == root) {
            return "the root object";
        } else if (object.internal()) {
            return "a log extension at " + object.userOffset();
        }
        return "the object at "
                + object.userOffset()
                + " (type "
                + Long.toUnsignedString(object.typeNumber())
                + ")";
    }

    @Override
    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
        if (damage == null) {
            damage = "not known: " + inconsistency.message();
        }
    }
}
