package io.farheap.tools.failover;

import io.farheap.availability.HighAvailability;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Which pool of which store, and how that is reached. */
final class PoolInStore {
    @Option(
            names = "--store",
            required = true,
            paramLabel = "STORE",
            description = "etcd:https://e1:2379,https://e2:2379: its endpoints for clients")
    private String store;

    @Option(
            names = "--pool",
            required = true,
            paramLabel = "NAME",
            description = "the pool's name in the store")
    private String pool;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            defaultValue = "main",
            description = "the pool's cluster in the store; default: ${DEFAULT-VALUE}")
    private String cluster;

    @Option(
            names = "--store-ca",
            paramLabel = "PEM",
            description = "who may have signed the store's certificates")
    private Path authorities;

    @Option(names = "--store-cert", paramLabel = "PEM", description = "certificate for the store")
    private Path certificate;

    @Option(names = "--store-key", paramLabel = "PEM", description = "its key, PKCS #8")
    private Path key;

    @Option(names = "--store-user", paramLabel = "USER", description = "user of the store")
    private String user;

    @Option(
            names = "--store-password",
            paramLabel = "FILE",
            description = "a file with that user's password")
    private Path password;

    HighAvailability reached() throws IOException {
        HighAvailability reached = HighAvailability.of(store, pool).cluster(cluster);
        if (authorities != null || certificate != null || key != null) {
            require(
                    authorities != null && certificate != null && key != null,
                    "--store-ca, --store-cert and --store-key are given together.");
            reached.certificates(authorities, certificate, key);
        }
        if (user != null || password != null) {
            require(
                    user != null && password != null,
                    "--store-user and --store-password are given together.");
            reached.login(user, Files.readString(password).strip());
        }
        return reached;
    }

    private static void require(boolean together, String sentence) {
        if (!together) {
            throw FarheapException.wrongUse("%s", sentence);
        }
    }
}
