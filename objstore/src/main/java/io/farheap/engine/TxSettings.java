package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.Map;

/**
 * The bounds of every wait inside one process, how many transactions may run at once, and how much
 * memory the reads of typed objects may keep.
 *
 * @param lockTimeout longest wait for a lock that another transaction holds, and for a free lane
 * @param closeTimeout longest wait of close for transactions that still run
 * @param lanes most transactions at once; the pool's own number of lanes is the upper limit
 * @param oldBytes most bytes that are kept, in DRAM, for reads of typed objects that began before a
 *     commit
 */
public record TxSettings(Duration lockTimeout, Duration closeTimeout, int lanes, long oldBytes) {
    private static final int DEFAULT_LANES = 1024;

    public static final TxSettings DEFAULTS =
            new TxSettings(Duration.ofSeconds(60), Duration.ofSeconds(30), DEFAULT_LANES);

    public TxSettings {
        if (lockTimeout.isNegative() || closeTimeout.isNegative() || lanes < 1 || oldBytes < 1) {
            throw FarheapException.wrongUse(
                    "Timeouts must not be negative, and at least one lane and one byte of old bytes"
                            + " are needed: %s, %s, %s, %s.",
                    lockTimeout, closeTimeout, lanes, oldBytes);
        }
    }

    /** With old bytes of an eighth of what the JVM may take. */
    public TxSettings(Duration lockTimeout, Duration closeTimeout, int lanes) {
        this(lockTimeout, closeTimeout, lanes, Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * The defaults, changed by {@code FARHEAP_LOCK_TIMEOUT_MILLIS}, {@code
     * FARHEAP_CLOSE_TIMEOUT_MILLIS}, {@code PMEMOBJ_NLANES} and {@code FARHEAP_OLD_BYTES} (as
     * libpmemobj: what is no positive number is ignored).
     */
    public static TxSettings fromEnvironment(Map<String, String> environment) {
        return new TxSettings(
                Duration.ofMillis(
                        positive(
                                environment,
                                "FARHEAP_LOCK_TIMEOUT_MILLIS",
                                DEFAULTS.lockTimeout.toMillis())),
                Duration.ofMillis(
                        positive(
                                environment,
                                "FARHEAP_CLOSE_TIMEOUT_MILLIS",
                                DEFAULTS.closeTimeout.toMillis())),
                (int)
                        Math.min(
                                DEFAULT_LANES,
                                positive(environment, "PMEMOBJ_NLANES", DEFAULT_LANES)),
                positive(environment, "FARHEAP_OLD_BYTES", DEFAULTS.oldBytes));
    }

    private static long positive(Map<String, String> environment, String name, long fallback) {
        String text = environment.getOrDefault(name, "");
        if (!text.matches("[0-9]{1,12}")) {
            return fallback;
        }
        long value = Long.parseLong(text);
        return value > 0 ? value : fallback;
    }
}
