package io.farheap.agent.config;

import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.journal.JournalLayout;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The agent's settings: rpmemd's keys and ours,
 * docs/settings.md#the-target-the-agents-configuration.
 *
 * <p>Files in this order, the later wins and a missing one is fine: {@code
 * /etc/rpmemd/rpmemd.conf}, {@code $HOME/.rpmemd.conf}, {@code /etc/farheap/agent.conf}, {@code
 * $HOME/.farheap-agent.conf}; or only the one named on the command line, which must exist. The
 * command line wins over files.
 *
 * @param poolsetDirectory where poolset names of initiators are resolved
 * @param persistApm the operator allows the appliance method
 * @param persistGeneral the operator allows the general-purpose method
 * @param platform what the operator declares about the memory system
 * @param journalBytes capacity of the ring in a journal that is made from now on
 * @param dataThroughSsh the data port listens on the loopback address only, for a forwarded port
 * @param heartbeatMillis an initiator not heard of for so long loses its right
 * @param attachBound an initiator says what it wants, and makes its data connection, within that
 * @param takeOverBound an agent that is to be ended must have let go of the replica within that
 * @param waiting how the data connection waits for the next message
 * @param fabric what data connections may be made over
 * @param rdmaAddress where connections over verbs are waited for; null: where the control
 *     connection comes in
 * @param useSyslog log to the system log
 * @param logFile log to this file when the system log is not used; null: to standard error
 * @param logLevel what is logged
 * @param journalDevices where journals are made if they can be
 * @param readHold how long records may wait for those who read the replica
 * @param asked stores that say in which term a replica's pool is written
 * @param listening what an agent that listens needs besides
 */
public record AgentConfiguration(
        Path poolsetDirectory,
        boolean persistApm,
        boolean persistGeneral,
        Platform platform,
        long journalBytes,
        boolean dataThroughSsh,
        int heartbeatMillis,
        Duration attachBound,
        Duration takeOverBound,
        WaitStrategy waiting,
        FabricUse fabric,
        InetAddress rdmaAddress,
        boolean useSyslog,
        Path logFile,
        LogLevel logLevel,
        List<Path> journalDevices,
        Duration readHold,
        List<AskedStore> asked,
        ListenSettings listening) {

    /** Smallest ring: a record of a page, its empty successor and room to overlap. */
    static final long MIN_JOURNAL_BYTES = JournalLayout.MIN_CAPACITY;

    static final long MAX_JOURNAL_BYTES = JournalLayout.MAX_CAPACITY;

    /** Of {@link #readHold}. */
    public static final Duration DEFAULT_READ_HOLD = Duration.ofSeconds(1);

    /** A log file of this name is what a service's standard error is kept in. */
    private static final String STANDARD_ERROR = "-";

    private static final long MAX_PAUSE_MICROS = 1_000_000;
    private static final long MAX_BOUND_MILLIS = 3_600_000;
    private static final long DEFAULT_PROMETHEUS_MILLIS = 15_000;
    private static final long MIN_PROMETHEUS_MILLIS = 100;

    /** What nothing in user space can find out: whether a READ pushes data into persistence. */
    public enum Platform {
        /** Nothing declared. */
        NONE,
        /** ADR, and inbound writes do not allocate in the CPU's cache (DDIO off). */
        ADR,
        /** CPU caches are flushed by the platform at power failure. */
        EADR
    }

    /** rpmemd's log levels. */
    public enum LogLevel {
        ERR,
        WARN,
        NOTICE,
        INFO,
        DEBUG
    }

    /** A setting by the name it has in a file, and with two dashes on the command line. */
    public enum Key {
        LOG_FILE,
        POOLSET_DIR,
        PERSIST_APM,
        PERSIST_GENERAL,
        USE_SYSLOG,
        LOG_LEVEL,
        JOURNAL_SIZE,
        PLATFORM,
        DATA,
        HEARTBEAT_BOUND,
        ATTACH_BOUND,
        TAKE_OVER_BOUND,
        SPIN,
        YIELD,
        FABRIC,
        RDMA_ADDRESS,
        JOURNAL_DEVICES,
        READ_HOLD,
        ASK,
        TLS_CERT,
        TLS_KEY,
        TLS_CA,
        ALLOW,
        PLAIN_DATA,
        PROMETHEUS,
        PROMETHEUS_INTERVAL;

        /** {@code log-file} and so on. */
        String text() {
            return ConfigurationValues.textOf(this);
        }

        /** Whether it may be said several times, and all of it counts. */
        boolean isList() {
            return this == ALLOW || this == ASK;
        }

        /** Both values in one. */
        String joined(String before, String value) {
            return isList() ? before + "\n" + value : value;
        }

        /** The key that a file has by this text; null: there is none. */
        public static Key of(String text) {
            return ConfigurationValues.constant(Key.class, text);
        }
    }

    /** The settings that {@code values} give, with rpmemd's defaults for those it leaves out. */
    public static AgentConfiguration of(Map<Key, String> values, Path home) {
        ConfigurationValues v = new ConfigurationValues(values, home);
        WaitStrategy preset = WaitStrategy.DEFAULT;
        boolean syslog = v.yesNo(Key.USE_SYSLOG, true);
        if (values.containsKey(Key.LOG_FILE) && !values.containsKey(Key.USE_SYSLOG)) {
            syslog = false;
        }
        return new AgentConfiguration(
                v.path(Key.POOLSET_DIR, home),
                v.yesNo(Key.PERSIST_APM, false),
                v.yesNo(Key.PERSIST_GENERAL, true),
                v.oneOf(Key.PLATFORM, Platform.class, Platform.NONE),
                v.size(Key.JOURNAL_SIZE, 64L << 20, MIN_JOURNAL_BYTES, MAX_JOURNAL_BYTES),
                v.flag(Key.DATA, "direct", "ssh"),
                (int) v.number(Key.HEARTBEAT_BOUND, 10_000, 100, MAX_BOUND_MILLIS),
                Duration.ofMillis(v.number(Key.ATTACH_BOUND, 30_000, 100, MAX_BOUND_MILLIS)),
                Duration.ofMillis(v.number(Key.TAKE_OVER_BOUND, 10_000, 100, MAX_BOUND_MILLIS)),
                new WaitStrategy(
                        1000 * v.number(Key.SPIN, preset.spinNanos() / 1000, 0, MAX_PAUSE_MICROS),
                        1000
                                * v.number(
                                        Key.YIELD,
                                        preset.yieldNanos() / 1000,
                                        0,
                                        MAX_PAUSE_MICROS)),
                v.oneOf(Key.FABRIC, FabricUse.class, FabricUse.AUTO),
                v.address(Key.RDMA_ADDRESS, "control"),
                syslog,
                STANDARD_ERROR.equals(values.get(Key.LOG_FILE))
                        ? null
                        : v.path(Key.LOG_FILE, Path.of("/var/log/rpmemd.log")),
                v.oneOf(Key.LOG_LEVEL, LogLevel.class, LogLevel.ERR),
                v.paths(Key.JOURNAL_DEVICES, "none"),
                Duration.ofMillis(
                        v.number(Key.READ_HOLD, DEFAULT_READ_HOLD.toMillis(), 0, MAX_BOUND_MILLIS)),
                v.lines(Key.ASK, AskedStore::parse),
                new ListenSettings(
                        v.pathOrNone(Key.TLS_CERT),
                        v.pathOrNone(Key.TLS_KEY),
                        v.pathOrNone(Key.TLS_CA),
                        v.lines(Key.ALLOW, Allowance::parse),
                        v.yesNo(Key.PLAIN_DATA, false),
                        v.pathOrNone(Key.PROMETHEUS),
                        Duration.ofMillis(
                                v.number(
                                        Key.PROMETHEUS_INTERVAL,
                                        DEFAULT_PROMETHEUS_MILLIS,
                                        MIN_PROMETHEUS_MILLIS,
                                        MAX_BOUND_MILLIS))));
    }

    /**
     * Reads the files and lays the command line over them.
     *
     * @param options what the command line said
     * @param home the user's home directory
     * @param etc the directory of system-wide configuration, {@code /etc}
     */
    public static AgentConfiguration load(AgentOptions options, Path home, Path etc) {
        Map<Key, String> values = new EnumMap<>(Key.class);
        if (options.listen() != null) {
            values.put(Key.LOG_FILE, STANDARD_ERROR);
            values.put(Key.USE_SYSLOG, "no");
            values.put(Key.LOG_LEVEL, "notice");
        }
        for (Path file : files(options, home, etc)) {
            ConfigurationFile.read(file, options.configFile() != null, home)
                    .forEach((key, value) -> put(values, key, value));
        }
        options.settings().forEach((key, value) -> put(values, key, value));
        return of(values, home);
    }

    /** The files that count, there or not. */
    public static List<Path> files(AgentOptions options, Path home, Path etc) {
        if (options.configFile() != null) {
            return List.of(options.configFile());
        }
        return List.of(
                etc.resolve("rpmemd/rpmemd.conf"),
                home.resolve(".rpmemd.conf"),
                etc.resolve("farheap/agent.conf"),
                home.resolve(".farheap-agent.conf"));
    }

    /** A log file named later switches the system log off, whoever had switched it on. */
    private static void put(Map<Key, String> values, Key key, String value) {
        values.put(key, value);
        if (key == Key.LOG_FILE) {
            values.put(Key.USE_SYSLOG, "no");
        }
    }
}
