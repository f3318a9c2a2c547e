package io.farheap.replication.config;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The file beside a poolset file that says how its remote replicas are treated, {@code bank.set} →
 * {@code bank.set.replication}: lines {@code key = value}, {@code #} begins a comment. It goes over
 * the environment.
 *
 * <pre>
 * policy = fail | degrade | async           all replicas, FARHEAP_POLICY
 * policy [user@]host[:port] name.set = ...  one of them, as the poolset file names it
 * connect = ssh | tls | tls:PORT            all replicas, FARHEAP_CONNECT
 * connect [user@]host[:port] name.set = ... one of them
 * tls-cert, tls-key, tls-ca = FILE          FARHEAP_TLS_CERT and so on; a path that is not
 *                                           absolute is seen from this file
 * attach-timeout, commit-timeout, heartbeat, work-timeout, spin, yield, data, fabric,
 * retry-pause, lag-bytes, lag-time, catch-up-limit, scrub
 *                                           the variables FARHEAP_ATTACH_TIMEOUT and so on
 * </pre>
 */
final class ReplicationFile {
    private static final String SUFFIX = ".replication";
    private static final String POLICY = "FARHEAP_POLICY";
    private static final String OF_FILES = "tls-";

    /** What can be said of one replica, too: the key, and its variable. */
    private static final Map<String, String> OF_ONE =
            Map.of("policy ", POLICY, "connect ", TlsAgents.CONNECT);

    private static final long MAX_BYTES = 1 << 20;
    private static final Set<String> KEYS =
            Set.of(
                    "policy",
                    "connect",
                    "tls-cert",
                    "tls-key",
                    "tls-ca",
                    "attach-timeout",
                    "commit-timeout",
                    "heartbeat",
                    "work-timeout",
                    "spin",
                    "yield",
                    "data",
                    "fabric",
                    "retry-pause",
                    "lag-bytes",
                    "lag-time",
                    "catch-up-limit",
                    "scrub");

    /** What the file can't say: whoever may write it would run programs on this machine. */
    private static final Set<String> COMMANDS = Set.of("RPMEM_SSH", "RPMEM_CMD");

    private ReplicationFile() {}

    /**
     * The environment as the poolset's file changes it, and the program that opens the pool.
     *
     * @throws FarheapException WRONG_USE for a name of the program's that is no setting
     */
    static Map<String, String> over(
            Path poolset, Map<String, String> environment, Map<String, String> said) {
        return over(over(poolset, environment), said);
    }

    /**
     * An environment as a program changes it.
     *
     * @throws FarheapException WRONG_USE for a name that is no setting
     */
    static Map<String, String> over(Map<String, String> environment, Map<String, String> said) {
        for (String name : said.keySet()) {
            boolean known =
                    COMMANDS.contains(name)
                            || KEYS.stream().anyMatch(k -> name.equals(variable(k)));
            if (!known) {
                throw FarheapException.wrongUse(
                        "\"%s\" is no setting of replicas; see docs/settings.md", name);
            }
        }
        Map<String, String> changed = new HashMap<>(environment);
        changed.putAll(said);
        return changed;
    }

    /** The environment as the poolset's file changes it. */
    static Map<String, String> over(Path poolset, Map<String, String> environment) {
        Path file = poolset.resolveSibling(poolset.getFileName() + SUFFIX);
        String text;
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw FarheapException.badData("the file %s is larger than 1 MiB: not read", file);
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return environment;
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "cannot read the file %s: %s", file, e.getMessage());
        }
        Map<String, String> changed = new HashMap<>(environment);
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            try {
                readLine(line, poolset, changed);
            } catch (FarheapException e) {
                throw FarheapException.badData(e, "%s:%s: %s", file, number, e.getMessage());
            }
        }
        return changed;
    }

    private static void readLine(String line, Path poolset, Map<String, String> into) {
        int comment = line.indexOf('#');
        String content = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (content.isEmpty()) {
            return;
        }
        int equals = content.indexOf('=');
        String key = (equals < 0 ? content : content.substring(0, equals)).strip();
        String name = variable(key);
        if (equals < 0 || name == null) {
            throw FarheapException.badData(
                    "\"%s\" is no setting of replicas; see docs/settings.md", content);
        }
        String value = content.substring(equals + 1).strip();
        ReplicationSettings unused = ReplicationSettings.from(Map.of(name, value));
        ScrubPace unusedPace = ScrubPace.from(Map.of(name, value));
        into.put(name, key.startsWith(OF_FILES) ? poolset.resolveSibling(value).toString() : value);
    }

    private static String variable(String key) {
        for (Map.Entry<String, String> one : OF_ONE.entrySet()) {
            if (key.startsWith(one.getKey())) {
                String replica = key.substring(one.getKey().length());
                return one.getValue() + " " + replica.strip().replaceAll("\\s+", " ");
            }
        }
        return KEYS.contains(key)
                ? "FARHEAP_" + key.toUpperCase(Locale.ROOT).replace('-', '_')
                : null;
    }

    /** What the settings say of replicas lost. */
    static ReplicaPolicies policies(Map<String, String> settings) {
        ReplicaPolicy usual = policy(settings, POLICY);
        Map<String, ReplicaPolicy> named = new HashMap<>();
        for (String name : settings.keySet()) {
            if (name.startsWith(POLICY + " ")) {
                named.put(name.substring(POLICY.length() + 1), policy(settings, name));
            }
        }
        return new ReplicaPolicies(usual, named);
    }

    private static ReplicaPolicy policy(Map<String, String> settings, String name) {
        String value = settings.getOrDefault(name, "fail").strip();
        return switch (value) {
            case "fail" -> ReplicaPolicy.FAIL;
            case "degrade" -> ReplicaPolicy.DEGRADE;
            case "async" -> ReplicaPolicy.ASYNC;
            default -> throw ReplicationSettings.wrong(name, value, "fail, degrade or async");
        };
    }
}
