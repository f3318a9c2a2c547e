package io.farheap.layout;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * The 16 bytes of a pool header that say which machine wrote it: alignment of the C types, word
 * size, byte order, machine (docs/format.md#architecture). Any difference forbids opening.
 */
final class Architecture {
    public static final int SIZE = 16;

    /** Alignments minus 1 of char, short, int, …, void*: a nibble each; 64-bit; little-endian. */
    private static final String COMMON = "10737737f707000002010000000000";

    private static final byte X86_64 = 62;
    private static final byte AARCH64 = (byte) 183;

    private Architecture() {}

    /** The bytes this machine writes. */
    static byte[] bytes() {
        byte[] bytes = new byte[SIZE];
        byte[] common = HexFormat.of().parseHex(COMMON);
        System.arraycopy(common, 0, bytes, 0, common.length - 1);
        bytes[14] = machine(System.getProperty("os.arch"));
        return bytes;
    }

    /**
     * The machine by Java's name for it.
     *
     * @throws FarheapException ENVIRONMENT for one whose number would be a guess
     */
    static byte machine(String name) {
        return switch (name) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default ->
                    throw FarheapException.environment(
                            "pools can't be used on %s, only on x86_64 and aarch64: run the"
                                    + " program there",
                            name);
        };
    }

    static boolean matches(MemorySegment header, long offset) {
        return header.asSlice(offset, SIZE).mismatch(MemorySegment.ofArray(bytes())) < 0;
    }
}
