package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A uuid as pool headers hold it: 16 bytes of a little-endian structure {u32, u16, u16, 8 bytes},
 * so its first three groups read backwards (docs/format.md#pool-header). Compared as raw bytes.
 * Immutable.
 */
public final class PoolUuid {
    public static final int SIZE = 16;

    /** "Not given". */
    public static final PoolUuid ZERO = new PoolUuid(new byte[SIZE]);

    private final byte[] bytes;

    private PoolUuid(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A new random one, version 4. */
    public static PoolUuid random() {
        return of(UUID.randomUUID());
    }

    /** The uuid with the text form of {@code uuid}. */
    static PoolUuid of(UUID uuid) {
        ByteBuffer stored = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        long high = uuid.getMostSignificantBits();
        stored.putInt((int) (high >>> 32)).putShort((short) (high >>> 16)).putShort((short) high);
        stored.order(ByteOrder.BIG_ENDIAN).putLong(uuid.getLeastSignificantBits());
        return new PoolUuid(stored.array());
    }

    /** The 16 stored bytes. */
    public static PoolUuid of(byte[] stored) {
        if (stored.length != SIZE) {
            throw new IllegalArgumentException("a uuid has 16 bytes, not " + stored.length);
        }
        return new PoolUuid(stored.clone());
    }

    /** The uuid stored at {@code offset}. */
    static PoolUuid read(MemorySegment segment, long offset) {
        return new PoolUuid(segment.asSlice(offset, SIZE).toArray(ValueLayout.JAVA_BYTE));
    }

    public void writeTo(MemorySegment segment, long offset) {
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, offset, SIZE);
    }

    /** The 16 stored bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    public boolean isZero() {
        return equals(ZERO);
    }

    /** The 64-bit pool id that object ids carry, when this is a poolset uuid: uuid_lo. */
    public long poolId() {
        long id = 0;
        for (int k = 0; k < 8; k++) {
            id = (id << 8) | ((bytes[k] ^ bytes[8 + k]) & 0xFF);
        }
        return id;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PoolUuid uuid && Arrays.equals(bytes, uuid.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The usual text form. */
    @Override
    public String toString() {
        ByteBuffer stored = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return String.format(
                "%08x-%04x-%04x-%s-%s",
                stored.getInt(0),
                stored.getShort(4),
                stored.getShort(6),
                HexFormat.of().formatHex(bytes, 8, 10),
                HexFormat.of().formatHex(bytes, 10, 16));
    }
}
