package io.farheap.replication.config;

import java.nio.file.Path;
import java.util.Map;

/**
 * How fast an open pool is compared with its replicas in the background.
 *
 * @param bytesPerSecond of the pool, each replica being compared with all of them; 0: not at all
 */
public record ScrubPace(long bytesPerSecond) {
    static final String VARIABLE = "FARHEAP_SCRUB";

    public static final ScrubPace OFF = new ScrubPace(0);

    private static final String USUAL = "1M";

    /**
     * What the program, the file beside the poolset file, or the environment, says.
     *
     * @throws io.farheap.base.FarheapException as {@link ReplicationSettings#of}
     */
    public static ScrubPace of(Path poolset, Map<String, String> said) {
        return from(ReplicationFile.over(poolset, System.getenv(), said));
    }

    static ScrubPace from(Map<String, String> settings) {
        return new ScrubPace(ByteRate.of(settings, VARIABLE, USUAL, 0));
    }

    public boolean isOff() {
        return bytesPerSecond == 0;
    }

    /** How long that many bytes take. */
    public long nanos(long bytes) {
        return (long) (1e9 * bytes / bytesPerSecond);
    }
}
