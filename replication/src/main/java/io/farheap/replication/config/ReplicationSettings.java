package io.farheap.replication.config;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.Limits;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.stream.LagBound;
import io.farheap.replication.stream.StreamSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can be set about remote replicas, with its defaults. Durations are written {@code 20us},
 * {@code 500ms}, {@code 10s} or {@code 2m}.
 *
 * <pre>
 * variable                 default        meaning
 * FARHEAP_ATTACH_TIMEOUT   30s            remote shell, agent and data connection must be there
 * FARHEAP_COMMIT_TIMEOUT   10s            a commit not proven durable by then is rolled back
 * FARHEAP_HEARTBEAT        2s             both sides send one; five missed ones mean gone
 * FARHEAP_WORK_TIMEOUT     10m            one long step of an agent that is alive (flush, replay)
 * FARHEAP_SPIN             20us           how long a commit's wait spins ...
 * FARHEAP_YIELD            200us          ... and yields after that, before it blocks; both may be 0us
 * FARHEAP_DATA             direct         "ssh": data goes through ssh too; "plain": beside TLS
 * FARHEAP_CONNECT          ssh            "tls": the agent listens ({@link TlsAgents})
 * FARHEAP_TLS_CERT, _KEY, _CA             certificate, key and authorities for that, PEM files
 * FARHEAP_FABRIC           auto           "tcp", "verbs": that one only ({@link FabricUse})
 * FARHEAP_POLICY           fail           "degrade": the pool goes on without a lost replica;
 *                                         "async": and commits don't wait for it
 * FARHEAP_LAG_BYTES        16M            how far an asynchronous replica may be behind, in records ...
 * FARHEAP_LAG_TIME         5s             ... and in time; then commits wait for it
 * FARHEAP_RETRY_PAUSE      2s             longest pause between attempts to reach a lost replica
 * FARHEAP_CATCH_UP_LIMIT   off            bytes per second that go to replicas that come back
 * FARHEAP_SCRUB            1M             bytes per second that are compared ({@link ScrubPace})
 * RPMEM_SSH                ssh            the remote shell command
 * RPMEM_CMD                farheap agent  what it runs there; several separated by |, in turn
 * </pre>
 *
 * @param attachTimeout bound for reaching an agent and its data port
 * @param commitTimeout bound for the durability of a commit
 * @param heartbeat interval of heartbeats
 * @param workTimeout bound for one step of an agent that is alive
 * @param waiting how commits wait for their answers
 * @param dataThroughSsh whether the data connection is tunnelled
 * @param remoteShell the program that is run as ssh
 * @param agentCommands commands for the target, used in turn by the replicas in their order
 * @param policies what happens when a replica can't be reached
 * @param longestPause between two attempts to reach a lost replica; they begin with 100 ms
 * @param lag how far a replica may be behind that commits don't wait for
 * @param fabrics what data connections may be made over
 * @param tls which agents are reached within TLS
 * @param catchUpLimit bytes per second of the pool that are dealt with for replicas that come back
 *     while it is open; {@link Pacer#NO_LIMIT}: as fast as it goes
 */
public record ReplicationSettings(
        Duration attachTimeout,
        Duration commitTimeout,
        Duration heartbeat,
        Duration workTimeout,
        WaitStrategy waiting,
        boolean dataThroughSsh,
        String remoteShell,
        List<String> agentCommands,
        ReplicaPolicies policies,
        Duration longestPause,
        LagBound lag,
        FabricUse fabrics,
        TlsAgents tls,
        long catchUpLimit) {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(us|ms|s|m)");
    private static final Pattern BYTES = Pattern.compile("([0-9]{1,9})([KMG]?)");

    /** Times add up, and agents are told them in milliseconds. */
    private static final Duration LONGEST = Duration.ofDays(1);

    public static final ReplicationSettings DEFAULTS = from(Map.of());

    public ReplicationSettings {
        agentCommands = List.copyOf(agentCommands);
        if (agentCommands.isEmpty()) {
            throw new IllegalArgumentException("no command for the agent");
        }
    }

    /**
     * The settings that the process's environment asks for.
     *
     * @throws FarheapException category WRONG_USE naming the variable that can't be understood
     */
    public static ReplicationSettings fromEnvironment() {
        return from(System.getenv());
    }

    /**
     * The settings of one pool: of the file beside its poolset file, where there is one, and of the
     * environment ({@link ReplicationFile}).
     *
     * @throws FarheapException category WRONG_USE naming what can't be understood, BAD_DATA for a
     *     line of the file
     */
    public static ReplicationSettings of(Path poolset) {
        return of(poolset, Map.of());
    }

    /**
     * As {@link #of(Path)}, where a program that opens the pool says some itself.
     *
     * @param said by the names of the variables; goes over file and environment
     * @throws FarheapException category WRONG_USE besides, for a name that is no setting
     */
    public static ReplicationSettings of(Path poolset, Map<String, String> said) {
        return from(ReplicationFile.over(poolset, System.getenv(), said));
    }

    /**
     * The settings that an environment asks for, where a program says some itself.
     *
     * @param said by the names of the variables; goes over the environment
     * @throws FarheapException category WRONG_USE naming the variable that can't be understood, or
     *     is no setting
     */
    public static ReplicationSettings from(
            Map<String, String> environment, Map<String, String> said) {
        return from(ReplicationFile.over(environment, said));
    }

    /**
     * The settings that an environment asks for.
     *
     * @throws FarheapException category WRONG_USE naming the variable that can't be understood
     */
    public static ReplicationSettings from(Map<String, String> environment) {
        return new ReplicationSettings(
                duration(environment, "FARHEAP_ATTACH_TIMEOUT", "30s"),
                duration(environment, "FARHEAP_COMMIT_TIMEOUT", "10s"),
                heartbeat(environment),
                duration(environment, "FARHEAP_WORK_TIMEOUT", "10m"),
                waiting(environment),
                data(environment).equals("ssh"),
                nonEmpty(environment, "RPMEM_SSH", "ssh"),
                commands(nonEmpty(environment, "RPMEM_CMD", "farheap agent")),
                ReplicationFile.policies(environment),
                duration(environment, "FARHEAP_RETRY_PAUSE", "2s"),
                new LagBound(
                        bytes(environment, "FARHEAP_LAG_BYTES", "16M"),
                        duration(environment, "FARHEAP_LAG_TIME", "5s")),
                fabrics(environment.getOrDefault("FARHEAP_FABRIC", "auto").strip()),
                TlsAgents.from(environment, data(environment).equals("plain")),
                ByteRate.of(environment, "FARHEAP_CATCH_UP_LIMIT", "off", Pacer.NO_LIMIT));
    }

    /** The same with other policies. */
    public ReplicationSettings withPolicies(ReplicaPolicies others) {
        return with(attachTimeout, commitTimeout, others, lag);
    }

    /** How long a switch waits until replicas that lag have what was committed. */
    public Duration patienceWithLag() {
        return lag.time().compareTo(commitTimeout) < 0 ? lag.time() : commitTimeout;
    }

    /** What of it a commit stream needs. */
    public StreamSettings stream() {
        StreamSettings usual = StreamSettings.DEFAULTS;
        Duration half = lag.time().dividedBy(2); // that one lags too far is seen in time
        Duration idle = half.compareTo(usual.idle()) < 0 ? half : usual.idle();
        return new StreamSettings(commitTimeout, waiting, usual.batchesInFlight(), idle, lag);
    }

    /** The same with another bound for commits. */
    public ReplicationSettings withCommitTimeout(Duration timeout) {
        return with(attachTimeout, timeout, policies, lag);
    }

    /** The same with another bound for replicas that commits don't wait for. */
    public ReplicationSettings withLag(LagBound bound) {
        return with(attachTimeout, commitTimeout, policies, bound);
    }

    /** How long it may take to reach a member again, for which commits wait. */
    public Duration patienceWithResumption() {
        return attachTimeout.compareTo(commitTimeout) < 0 ? attachTimeout : commitTimeout;
    }

    private ReplicationSettings with(
            Duration attach, Duration commit, ReplicaPolicies others, LagBound bound) {
        return new ReplicationSettings(
                attach,
                commit,
                heartbeat,
                workTimeout,
                waiting,
                dataThroughSsh,
                remoteShell,
                agentCommands,
                others,
                longestPause,
                bound,
                fabrics,
                tls,
                catchUpLimit);
    }

    /** The command for the replica that stands at {@code index} among the remote ones. */
    public String agentCommand(int index) {
        return agentCommands.get(index % agentCommands.size());
    }

    private static List<String> commands(String value) {
        return Arrays.stream(value.split("\\|"))
                .map(String::strip)
                .filter(s -> !s.isEmpty())
                .toList();
    }

    private static String nonEmpty(Map<String, String> environment, String name, String usual) {
        String value = environment.getOrDefault(name, usual).strip();
        return value.isEmpty() || value.equals("|") ? usual : value;
    }

    private static String data(Map<String, String> environment) {
        String value = environment.getOrDefault("FARHEAP_DATA", "direct").strip();
        return switch (value) {
            case "direct", "ssh", "plain" -> value;
            default -> throw wrong("FARHEAP_DATA", value, "direct, ssh or plain");
        };
    }

    private static FabricUse fabrics(String value) {
        return switch (value) {
            case "auto" -> FabricUse.AUTO;
            case "tcp" -> FabricUse.TCP;
            case "verbs" -> FabricUse.VERBS;
            default -> throw wrong("FARHEAP_FABRIC", value, "auto, tcp or verbs");
        };
    }

    private static WaitStrategy waiting(Map<String, String> environment) {
        return new WaitStrategy(
                pause(environment, "FARHEAP_SPIN", WaitStrategy.DEFAULT.spinNanos()),
                pause(environment, "FARHEAP_YIELD", WaitStrategy.DEFAULT.yieldNanos()));
    }

    private static long pause(Map<String, String> environment, String name, long usualNanos) {
        return durationOrZero(environment, name, usualNanos / 1000 + "us").toNanos();
    }

    private static Duration heartbeat(Map<String, String> environment) {
        String name = "FARHEAP_HEARTBEAT";
        Duration duration = duration(environment, name, "2s");
        long millis = duration.toMillis();
        if (millis < Limits.MIN_HEARTBEAT_MILLIS || millis > Limits.MAX_HEARTBEAT_MILLIS) {
            throw wrong(
                    name,
                    environment.get(name),
                    "a duration from "
                            + Limits.MIN_HEARTBEAT_MILLIS
                            + "ms to "
                            + Limits.MAX_HEARTBEAT_MILLIS
                            + "ms");
        }
        return duration;
    }

    private static Duration duration(Map<String, String> environment, String name, String usual) {
        Duration duration = durationOrZero(environment, name, usual);
        if (duration.isZero()) {
            throw wrong(name, environment.get(name), "a duration such as 500ms, 10s or 2m");
        }
        return duration;
    }

    private static Duration durationOrZero(
            Map<String, String> environment, String name, String usual) {
        String value = environment.getOrDefault(name, usual).strip();
        Matcher matcher = DURATION.matcher(value);
        if (!matcher.matches()) {
            throw wrong(name, value, "a duration such as 500ms, 10s or 2m");
        }
        long number = Long.parseLong(matcher.group(1));
        Duration duration =
                switch (matcher.group(2)) {
                    case "us" -> Duration.ofNanos(1000 * number);
                    case "ms" -> Duration.ofMillis(number);
                    case "s" -> Duration.ofSeconds(number);
                    default -> Duration.ofMinutes(number);
                };
        if (duration.compareTo(LONGEST) > 0) {
            throw wrong(name, value, "a duration of at most a day, 1440m");
        }
        return duration;
    }

    private static long bytes(Map<String, String> environment, String name, String usual) {
        String value = environment.getOrDefault(name, usual).strip();
        Matcher matcher = BYTES.matcher(value);
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
            throw wrong(name, value, "a number of bytes such as 512K, 16M or 1G");
        }
        int shift = 10 * (1 + "KMG".indexOf(matcher.group(2)));
        return Long.parseLong(matcher.group(1)) << (matcher.group(2).isEmpty() ? 0 : shift);
    }

    static FarheapException wrong(String name, String value, String expected) {
        return FarheapException.wrongUse(
                "the setting %s is \"%s\"; set it to %s", name, value, expected);
    }
}
