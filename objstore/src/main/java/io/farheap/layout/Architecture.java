package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * The 16 bytes of a pool header that say which machine wrote it: alignment of the C types, word
 * size, byte order, machine (spec: pool layout, 2.2). Any difference forbids opening.
 */
public final class Architecture {
    public static final int SIZE = 16;

    /** Alignments minus 1 of char, short, int, …, void*: a nibble each; 64-bit; little-endian. */
    private static final String COMMON = "10737737f707000002010000000000";

    private static final byte X86_64 = 62;
    private static final byte AARCH64 = (byte) 183;

    private Architecture() {}

    /** The bytes this machine writes. */
    public static byte[] bytes() {
        byte[] bytes = new byte[SIZE];
        byte[] common = HexFormat.of().parseHex(COMMON);
        System.arraycopy(common, 0, bytes, 0, common.length - 1);
        bytes[14] = machine(System.getProperty("os.arch"));
        return bytes;
    }

    private static byte machine(String name) {
        return name.equals("aarch64") ? AARCH64 : X86_64;
    }

    static boolean matches(MemorySegment header, long offset) {
        return header.asSlice(offset, SIZE).mismatch(MemorySegment.ofArray(bytes())) < 0;
    }
}
