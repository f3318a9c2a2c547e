package io.farheap.objects.value;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/** A {@code String} as UTF-8. */
public final class StringType extends VariableType<String> {
    public static final StringType STRING = new StringType();

    /** Bytes and chars below are ASCII's, the same in UTF-8 and UTF-16. */
    private static final int ASCII_END = 0x80;

    private StringType() {
        super("String");
    }

    @Override
    byte[] encode(String value) {
        requirePairs(value);
        return value.getBytes(UTF_8);
    }

    /** A lone surrogate has no UTF-8, and would come back as a question mark. */
    private static void requirePairs(String value) {
        for (int i = 0; i < value.length(); i++) {
            char one = value.charAt(i);
            if (Character.isSurrogate(one)) {
                boolean isPair =
                        Character.isHighSurrogate(one)
                                && i + 1 < value.length()
                                && Character.isLowSurrogate(value.charAt(i + 1));
                if (!isPair) {
                    throw FarheapException.wrongUse(
                            "A string has half a character at index %d (0x%04x without its other"
                                    + " surrogate), which can't be stored as UTF-8.",
                            i, (int) one);
                }
                i++;
            }
        }
    }

    @Override
    String decode(HeapTransaction tx, byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    @Override
    public int hash(String value) {
        return LongType.hashOf(value.hashCode());
    }

    @Override
    public boolean isEqual(HeapTransaction tx, long object, long offset, String value) {
        int length = ValueSlot.length(tx, object, offset);
        if (length < value.length() || length > 3L * value.length()) {
            return false;
        }
        int looked =
                Math.min(value.length(), length > ValueSlot.INSIDE_MAX ? ValueSlot.PREFIX : length);
        for (int i = 0; i < looked; i++) {
            char one = value.charAt(i);
            if (one >= ASCII_END) {
                return value.equals(get(tx, object, offset));
            }
            if (ValueSlot.first(tx, object, offset, i) != one) {
                return false;
            }
        }
        return looked == length && length == value.length()
                || value.equals(get(tx, object, offset));
    }

    @Override
    public boolean isComparable() {
        return true;
    }

    /** The order of {@link String#compareTo}, which is that of UTF-16 and not of UTF-8. */
    @Override
    public int compare(HeapTransaction tx, long object, long offset, String value) {
        int looked = Math.min(ValueSlot.length(tx, object, offset), value.length());
        looked = Math.min(looked, ValueSlot.PREFIX);
        for (int i = 0; i < looked; i++) {
            int here = ValueSlot.first(tx, object, offset, i) & 0xFF;
            char there = value.charAt(i);
            if (here >= ASCII_END || there >= ASCII_END) {
                break;
            }
            if (here != there) {
                return here - there;
            }
        }
        return get(tx, object, offset).compareTo(value);
    }
}
