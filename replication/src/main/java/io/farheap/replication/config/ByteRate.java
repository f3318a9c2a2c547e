package io.farheap.replication.config;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Bytes per second as settings have them: a number, with K, M or G; or {@code off}. */
final class ByteRate {
    private static final Pattern RATE = Pattern.compile("([0-9]{1,9})([KMG]?)");

    private ByteRate() {}

    /**
     * What a setting says.
     *
     * @param usual where it says nothing
     * @param off what {@code off} means
     * @throws io.farheap.base.FarheapException category WRONG_USE naming the setting
     */
    static long of(Map<String, String> settings, String name, String usual, long off) {
        String value = settings.getOrDefault(name, usual).strip();
        if (value.equals("off")) {
            return off;
        }
        Matcher matcher = RATE.matcher(value);
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
            throw ReplicationSettings.wrong(
                    name, value, "off, or bytes per second such as 500K or 8M");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "K" -> number << 10;
            case "M" -> number << 20;
            case "G" -> number << 30;
            default -> number;
        };
    }
}
