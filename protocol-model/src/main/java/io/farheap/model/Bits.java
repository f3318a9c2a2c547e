package io.farheap.model;

/** Packs small fields into longs, and reads them back: one list of fields serves both. */
public final class Bits {
    private final long[] words;
    private final boolean writing;
    private int word;
    private int used;

    private Bits(long[] words, boolean writing) {
        this.words = words;
        this.writing = writing;
    }

    public static Bits writing(long[] words) {
        java.util.Arrays.fill(words, 0);
        return new Bits(words, true);
    }

    public static Bits reading(long[] words) {
        return new Bits(words, false);
    }

    /** Counts the longs that a list of fields takes. */
    public static Bits counting() {
        return new Bits(new long[64], true);
    }

    /** The field's value: the given one when writing, the packed one when reading. */
    public int field(int value, int width) {
        if (used + width > Long.SIZE) {
            word++;
            used = 0;
        }
        int at = used;
        used += width;
        if (!writing) {
            return (int) (words[word] >>> at & (1L << width) - 1);
        }
        if (value < 0 || value >= 1 << width) {
            throw new IllegalStateException(value + " does not fit into " + width + " bits");
        }
        words[word] |= (long) value << at;
        return value;
    }

    public void fields(int[] values, int width) {
        for (int i = 0; i < values.length; i++) {
            values[i] = field(values[i], width);
        }
    }

    public int longs() {
        return word + 1;
    }
}
