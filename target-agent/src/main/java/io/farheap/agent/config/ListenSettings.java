package io.farheap.agent.config;

import io.farheap.base.FarheapException;
import io.farheap.replication.tls.PemFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What an agent that listens needs besides.
 *
 * @param certificate what it shows; null: nothing is said
 * @param key that one's
 * @param authorities who may have signed initiators' certificates
 * @param allowances who may what; who is not in there may nothing
 * @param plainData initiators that ask for it may have their data connections beside TLS
 * @param metrics the file that metrics are written to; null: none are told
 * @param metricsInterval how long a text of metrics stays
 */
public record ListenSettings(
        Path certificate,
        Path key,
        Path authorities,
        List<Allowance> allowances,
        boolean plainData,
        Path metrics,
        Duration metricsInterval) {
    /** Keeps a copy of the allowances. */
    public ListenSettings {
        allowances = List.copyOf(allowances);
    }

    /**
     * @throws FarheapException category WRONG_USE when not all of it is said
     */
    public PemFiles files() {
        if (certificate == null || key == null || authorities == null) {
            throw FarheapException.wrongUse(
                    "An agent that listens needs a certificate, its key and the authorities to"
                            + " trust: set tls-cert, tls-key and tls-ca in /etc/farheap/agent.conf, or"
                            + " in the file that --config names.");
        }
        return new PemFiles(authorities, certificate, key);
    }
}
