package io.farheap.fuzz;

import java.util.Arrays;

/** Reads numbers and bytes off a fuzz test's input; zeros where it has ended. */
public final class Take {
    private final byte[] input;
    private int at;

    public Take(byte[] input) {
        this.input = input;
    }

    public boolean isEmpty() {
        return at >= input.length;
    }

    /** 0 to 255. */
    public int octet() {
        return at < input.length ? input[at++] & 0xff : 0;
    }

    /** Two bytes, little-endian. */
    public int small() {
        return octet() | octet() << 8;
    }

    /** Eight bytes, little-endian. */
    public long number() {
        long number = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            number |= (long) octet() << 8 * i;
        }
        return number;
    }

    /** The next bytes, fewer at the end. */
    public byte[] bytes(int count) {
        int from = Math.min(at, input.length);
        at = Math.min(input.length, from + count);
        return Arrays.copyOfRange(input, from, at);
    }

    /** All that is left. */
    public byte[] rest() {
        return bytes(input.length);
    }
}
