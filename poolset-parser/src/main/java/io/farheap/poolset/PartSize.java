package io.farheap.poolset;

import java.math.BigInteger;

/**
 * The size on a part line and in tools: decimal digits and an optional unit,
 * docs/format.md#grammar.
 */
public final class PartSize {
    private static final String POWERS = "KMGTP";
    private static final int MAX_DIGITS = 19; // of 2^63 - 1

    private PartSize() {}

    /** Bytes, or -1 when {@code text} is no size: bad number or unit, 0, or above 2^63 - 1. */
    public static long parse(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        long unit = unit(text.substring(digits));
        if (digits == 0 || unit == 0) {
            return -1;
        }
        String number = text.substring(0, digits).replaceFirst("^0+", "");
        if (number.isEmpty() || number.length() > MAX_DIGITS) {
            return -1;
        }
        BigInteger bytes = new BigInteger(number).multiply(BigInteger.valueOf(unit));
        return bytes.bitLength() > 63 ? -1 : bytes.longValue();
    }

    /** Bytes of a unit, or 0. {@code kB} is decimal, but the other decimal ones are upper case. */
    private static long unit(String name) {
        if (name.isEmpty() || name.equals("B")) {
            return 1;
        }
        if (name.equals("kB")) {
            return 1000;
        }
        int power = POWERS.indexOf(name.charAt(0)) + 1;
        String rest = name.substring(1);
        if (power == 0) {
            return 0;
        }
        if (rest.isEmpty() || rest.equals("iB")) {
            return 1L << (10 * power);
        }
        return rest.equals("B") && power > 1 ? Math.powExact(1000L, power) : 0;
    }

    /** The shortest exact form with a binary unit. */
    public static String format(long bytes) {
        int power = Math.min(Long.numberOfTrailingZeros(bytes) / 10, POWERS.length());
        return power == 0
                ? Long.toString(bytes)
                : (bytes >>> (10 * power)) + POWERS.substring(power - 1, power);
    }
}
