package io.farheap.replication.control;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Base64;

/** Immutable bytes inside a control message, base64 on the wire. */
public final class Blob {
    public static final Blob EMPTY = new Blob(new byte[0]);

    private final byte[] bytes;

    private Blob(byte[] bytes) {
        this.bytes = bytes;
    }

    @JsonCreator
    static Blob decode(String base64) {
        return new Blob(Base64.getDecoder().decode(base64));
    }

    public static Blob of(byte[] bytes) {
        return new Blob(bytes.clone());
    }

    public static Blob of(MemorySegment segment) {
        return new Blob(segment.toArray(ValueLayout.JAVA_BYTE));
    }

    @JsonValue
    String base64() {
        return Base64.getEncoder().encodeToString(bytes);
    }

    public int length() {
        return bytes.length;
    }

    /** A copy of the bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Blob && Arrays.equals(bytes, ((Blob) other).bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
