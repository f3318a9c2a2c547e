package io.farheap.replication.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How fast an open pool is compared with its replicas in the background.
 *
 * @param bytesPerSecond of the pool, each replica being compared with all of them; 0: not at all
 */
public record ScrubPace(long bytesPerSecond) {
    static final String VARIABLE = "FARHEAP_SCRUB";

    public static final ScrubPace OFF = new ScrubPace(0);

    private static final String USUAL = "1M";
    private static final Pattern RATE = Pattern.compile("([0-9]{1,9})([KMG]?)");

    /**
     * What the program, the file beside the poolset file, or the environment, says.
     *
     * @throws io.farheap.base.FarheapException as {@link ReplicationSettings#of}
     */
    public static ScrubPace of(Path poolset, Map<String, String> said) {
        return from(ReplicationFile.over(poolset, System.getenv(), said));
    }

    static ScrubPace from(Map<String, String> settings) {
        String value = settings.getOrDefault(VARIABLE, USUAL).strip();
        if (value.equals("off")) {
            return OFF;
        }
        Matcher matcher = RATE.matcher(value);
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
            throw ReplicationSettings.wrong(
                    VARIABLE, value, "off, or bytes per second such as 500K or 8M");
        }
        long number = Long.parseLong(matcher.group(1));
        return new ScrubPace(
                switch (matcher.group(2)) {
                    case "K" -> number << 10;
                    case "M" -> number << 20;
                    case "G" -> number << 30;
                    default -> number;
                });
    }

    public boolean isOff() {
        return bytesPerSecond == 0;
    }

    /** How long that many bytes take. */
    public long nanos(long bytes) {
        return (long) (1e9 * bytes / bytesPerSecond);
    }
}
