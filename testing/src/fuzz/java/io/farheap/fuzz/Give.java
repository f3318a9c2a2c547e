package io.farheap.fuzz;

import java.io.ByteArrayOutputStream;

/** Writes an input that {@link Take} reads: how seeds are made. */
public final class Give {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public Give octet(int value) {
        out.write(value);
        return this;
    }

    public Give small(int value) {
        return octet(value).octet(value >> 8);
    }

    public Give number(long value) {
        for (int i = 0; i < Long.BYTES; i++) {
            out.write((int) (value >> 8 * i));
        }
        return this;
    }

    public Give bytes(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }
}
