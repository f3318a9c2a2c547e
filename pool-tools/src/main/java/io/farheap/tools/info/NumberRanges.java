package io.farheap.tools.info;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Which of many are shown: {@code 3}, {@code 3-9}, {@code -9}, {@code 3-}, several after commas, as
 * pmempool has them. Numbers are unsigned 64-bit: type numbers are.
 */
final class NumberRanges {
    /** Shows all. */
    static final NumberRanges ALL = new NumberRanges(List.of(new Range(0, -1L)));

    private record Range(long first, long last) {}

    private final List<Range> ranges;

    private NumberRanges(List<Range> ranges) {
        this.ranges = ranges;
    }

    /** Whether a word can only be meant as ranges, not as the name of a file. */
    static boolean looksLike(String word) {
        return word.matches("[0-9,-]+");
    }

    static NumberRanges parse(String text) {
        List<Range> ranges = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int dash = part.indexOf('-');
            String first = dash < 0 ? part : part.substring(0, dash);
            String last = dash < 0 ? part : part.substring(dash + 1);
            if (first.isEmpty() && last.isEmpty()) {
                throw new NumberFormatException(text);
            }
            Range range =
                    new Range(
                            first.isEmpty() ? 0 : Long.parseUnsignedLong(first),
                            last.isEmpty() ? -1L : Long.parseUnsignedLong(last));
            if (Long.compareUnsigned(range.first, range.last) > 0) {
                throw new NumberFormatException(text);
            }
            ranges.add(range);
        }
        return new NumberRanges(ranges);
    }

    boolean contains(long number) {
        for (Range range : ranges) {
            if (Long.compareUnsigned(number, range.first) >= 0
                    && Long.compareUnsigned(number, range.last) <= 0) {
                return true;
            }
        }
        return false;
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<NumberRanges> {
        @Override
        public NumberRanges convert(String text) {
            try {
                return parse(text);
            } catch (NumberFormatException e) {
                throw new TypeConversionException(
                        "'" + text + "' is no range: write 3, 3-9, -9 or 3-, several with commas");
            }
        }
    }
}
