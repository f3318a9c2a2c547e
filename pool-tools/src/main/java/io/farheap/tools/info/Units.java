package io.farheap.tools.info;

import java.util.Locale;

/** Figures as a person reads them, without losing what they are. */
final class Units {
    private static final long UNIT = 1024;
    private static final String[] NAMES = {"KiB", "MiB", "GiB", "TiB", "PiB"};

    private Units() {}

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** With a unit, and exactly where that says less. */
    static String bytes(long bytes) {
        if (bytes < UNIT) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= UNIT && unit < NAMES.length - 1) {
            value /= UNIT;
            unit++;
        }
        boolean exact = value == Math.rint(value);
        String rounded = String.format(Locale.ROOT, exact ? "%.0f" : "%.1f", value);
        return rounded + " " + NAMES[unit] + (exact ? "" : " (" + count(bytes) + ")");
    }

    static String share(long part, long all) {
        return all == 0 ? "0 %" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / all);
    }
}
