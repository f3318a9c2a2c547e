package io.farheap.objects.value;

/**
 * Where a field lies in its holder.
 *
 * @param offset in bytes from the holder's start
 * @param nullBit the bit, counted from the holder's start, that is set while the field is not null;
 *     -1 where the field can't be null or says so itself
 */
public record FieldPlace(String name, ValueType<?> type, int offset, int nullBit) {
    /** No null bit. */
    public static final int NONE = -1;

    /** Which byte of the holder has the null bit. */
    public int nullByte() {
        return nullBit >> 3;
    }

    public byte nullMask() {
        return (byte) (1 << (nullBit & 7));
    }
}
