package io.farheap.replication.config;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.tls.PemFiles;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The replicas whose agents run already and are reached within TLS; the others' are started by the
 * remote shell.
 *
 * @param usual the port where nothing is said of one replica; 0: the remote shell
 * @param byReplica the same of one, by the replica as written in the poolset file
 * @param certificate what this side shows; null: nothing is said
 * @param key that one's
 * @param authorities who may have signed the agents' certificates
 * @param plainData their data connections are made beside TLS
 */
public record TlsAgents(
        int usual,
        Map<String, Integer> byReplica,
        Path certificate,
        Path key,
        Path authorities,
        boolean plainData) {
    /** All agents are started by the remote shell. */
    public static final TlsAgents NONE = new TlsAgents(0, Map.of(), null, null, null, false);

    /** Where agents listen. */
    public static final int USUAL_PORT = 7890;

    static final String CONNECT = "FARHEAP_CONNECT";
    private static final String EXPECTED = "ssh, tls or tls:PORT";

    public TlsAgents {
        byReplica = Map.copyOf(byReplica);
    }

    static TlsAgents from(Map<String, String> settings, boolean plainData) {
        Map<String, Integer> named = new HashMap<>();
        for (String name : settings.keySet()) {
            if (name.startsWith(CONNECT + " ")) {
                named.put(name.substring(CONNECT.length() + 1), port(settings, name));
            }
        }
        return new TlsAgents(
                port(settings, CONNECT),
                named,
                path(settings, "FARHEAP_TLS_CERT"),
                path(settings, "FARHEAP_TLS_KEY"),
                path(settings, "FARHEAP_TLS_CA"),
                plainData);
    }

    private static int port(Map<String, String> settings, String name) {
        String value = settings.getOrDefault(name, "ssh").strip();
        if (value.equals("ssh")) {
            return 0;
        }
        if (value.equals("tls")) {
            return USUAL_PORT;
        }
        if (value.matches("tls:[0-9]{1,5}")) {
            int port = Integer.parseInt(value.substring("tls:".length()));
            if (port > 0 && port < 1 << 16) {
                return port;
            }
        }
        throw ReplicationSettings.wrong(name, value, EXPECTED);
    }

    private static Path path(Map<String, String> settings, String name) {
        String value = settings.getOrDefault(name, "").strip();
        try {
            return value.isEmpty() ? null : Path.of(value);
        } catch (InvalidPathException e) {
            throw FarheapException.wrongUse(e, "the setting %s is no path: %s", name, value);
        }
    }

    /** Whether that replica's agent is reached within TLS. */
    public boolean isFor(RemoteReplica replica) {
        return portOf(replica) != 0;
    }

    /** Where that one listens; 0: it is started by the remote shell. */
    public int portOf(RemoteReplica replica) {
        return byReplica.getOrDefault(replica.toString(), usual);
    }

    /**
     * What this side shows, and whom it trusts.
     *
     * @throws FarheapException category WRONG_USE when not all of it is said
     */
    public PemFiles files() {
        if (certificate == null || key == null || authorities == null) {
            throw FarheapException.wrongUse(
                    "an agent that is reached within TLS needs a certificate, its key and the"
                            + " authorities to trust; set tls-cert, tls-key and tls-ca beside the"
                            + " poolset file, or FARHEAP_TLS_CERT, FARHEAP_TLS_KEY and"
                            + " FARHEAP_TLS_CA");
        }
        return new PemFiles(authorities, certificate, key);
    }
}
