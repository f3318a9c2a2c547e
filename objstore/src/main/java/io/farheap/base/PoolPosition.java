package io.farheap.base;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a pool, or a replica of it, has come: the greater one has all commits of the lesser. Two
 * copies that were both written to have none in common.
 *
 * @param number the pool's number, which grows with every change of those that commits wait for
 * @param sequence records since then
 */
public record PoolPosition(long number, long sequence) implements Comparable<PoolPosition> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})");

    /** What {@link #toString} gave. */
    public static PoolPosition parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw FarheapException.wrongUse(
                    "\"%s\" is no position of a pool, which is two numbers with a point between"
                            + " them.",
                    text);
        }
        return new PoolPosition(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)));
    }

    @Override
    public int compareTo(PoolPosition other) {
        int byNumber = Long.compare(number, other.number);
        return byNumber != 0 ? byNumber : Long.compare(sequence, other.sequence);
    }

    /** Two numbers with a point between them, to be handed on to who reads elsewhere. */
    @Override
    public String toString() {
        return number + "." + sequence;
    }
}
