package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What the checksummed half of a damaged descriptor was. All of it but the layout's name is the
 * same in every pool, so the checksum tells whether the name is as it was; where one word of the
 * name is wrong it tells which one, and what it was.
 */
public final class DescriptorRepair {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Stands for bytes that are no UTF-8. */
    private static final char REPLACEMENT = '\ufffd';

    private static final long LAYOUT_END = Descriptor.OFFSET + Descriptor.LAYOUT_SIZE;

    private final MemorySegment image;
    private final long stored;
    private final byte[] before;

    private DescriptorRepair(MemorySegment image) {
        this.image = image;
        this.stored = image.get(LONG, Descriptor.CHECKSUM);
        this.before = half(image).toArray(ValueLayout.JAVA_BYTE);
    }

    private static MemorySegment half(MemorySegment image) {
        return image.asSlice(Descriptor.OFFSET, Descriptor.CHECKSUMMED_SIZE);
    }

    /**
     * Restores it.
     *
     * @param image a writable image; unchanged where nothing can be done
     * @param assume also where the checksum does not prove it
     * @return how it is known, or null: it can't be restored
     */
    public static String restore(MemorySegment image, boolean assume) {
        return new DescriptorRepair(image).restore(assume);
    }

    private String restore(boolean assume) {
        // Of a pool that was never completed, or a copy that was cut: nothing tells the name.
        if (half(image).mismatch(MemorySegment.ofArray(new byte[before.length])) < 0) {
            return null;
        }
        constants();
        if (matches() || correctName(Descriptor.LAYOUT_SIZE)) {
            return "the stored checksum proves it";
        }
        // The fewer words can be wrong, the better the checksum tells which.
        long end = clearBehindName();
        long words = end + Integer.BYTES & -Integer.BYTES;
        if (matches() || correctName(Math.min(words, Descriptor.LAYOUT_SIZE))) {
            return "the stored checksum proves it";
        }
        String name = new String(name(end), StandardCharsets.UTF_8);
        if (assume
                && end < Descriptor.LAYOUT_SIZE
                && name.chars().noneMatch(DescriptorRepair::isNoise)) {
            image.set(LONG, Descriptor.CHECKSUM, computed());
            return "assumed: the layout's name may be another than \"" + name + "\"";
        }
        half(image).copyFrom(MemorySegment.ofArray(before));
        return null;
    }

    private void constants() {
        image.asSlice(LAYOUT_END, Descriptor.CHECKSUM - LAYOUT_END).fill((byte) 0);
        image.set(LONG, Descriptor.LANES_OFFSET, Descriptor.DEFAULT_LANES_OFFSET);
        image.set(LONG, Descriptor.LANE_COUNT, Descriptor.DEFAULT_LANE_COUNT);
        image.set(LONG, Descriptor.HEAP_OFFSET, Descriptor.DEFAULT_HEAP_OFFSET);
    }

    /** How long the name is. */
    private long clearBehindName() {
        long at = Descriptor.OFFSET;
        while (at < LAYOUT_END && image.get(ValueLayout.JAVA_BYTE, at) != 0) {
            at++;
        }
        image.asSlice(at, LAYOUT_END - at).fill((byte) 0);
        return at - Descriptor.OFFSET;
    }

    private byte[] name(long end) {
        return image.asSlice(Descriptor.OFFSET, end).toArray(ValueLayout.JAVA_BYTE);
    }

    private static boolean isNoise(int character) {
        return Character.isISOControl(character) || character == REPLACEMENT;
    }

    private boolean matches() {
        return computed() == stored;
    }

    private boolean correctName(long length) {
        long at =
                Checksum.wrongWord(
                        image,
                        Descriptor.OFFSET,
                        Descriptor.CHECKSUMMED_SIZE,
                        Descriptor.CHECKSUM - Descriptor.OFFSET,
                        Checksum.NO_SKIP,
                        stored,
                        0,
                        length);
        if (at >= 0) {
            Checksum.correct(image, Descriptor.OFFSET + at, stored, computed());
        }
        return at >= 0;
    }

    private long computed() {
        return Checksum.of(
                image,
                Descriptor.OFFSET,
                Descriptor.CHECKSUMMED_SIZE,
                Descriptor.CHECKSUM - Descriptor.OFFSET,
                Checksum.NO_SKIP);
    }
}
