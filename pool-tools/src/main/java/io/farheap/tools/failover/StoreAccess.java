package io.farheap.tools.failover;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Certificates and a user for a store. */
final class StoreAccess {
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

    /** Takes all three. */
    interface Certificates {
        Object take(Path authorities, Path certificate, Path key);
    }

    /** Takes both. */
    interface Login {
        Object take(String user, String password);
    }

    /** What is given; nothing where nothing is. */
    void give(Certificates certificates, Login login) throws IOException {
        if (authorities != null || certificate != null || key != null) {
            require(
                    authorities != null && certificate != null && key != null,
                    "--store-ca, --store-cert and --store-key are given together.");
            Object unused = certificates.take(authorities, certificate, key);
        }
        if (user != null || password != null) {
            require(
                    user != null && password != null,
                    "--store-user and --store-password are given together.");
            Object unused = login.take(user, Files.readString(password).strip());
        }
    }

    private static void require(boolean together, String sentence) {
        if (!together) {
            throw FarheapException.wrongUse("%s", sentence);
        }
    }
}
