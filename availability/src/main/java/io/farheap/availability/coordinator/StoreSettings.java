package io.farheap.availability.coordinator;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a store is reached, whatever its kind.
 *
 * @param endpoints what stands behind the kind in the address, as a person wrote it
 * @param ttl what is announced outlives its process by at most this
 * @param tls empty: the engine's own choice
 * @param login empty: the store asks for no user
 */
public record StoreSettings(
        String endpoints, Duration ttl, Optional<Tls> tls, Optional<Login> login) {
    /**
     * Certificates and keys, as PEM files.
     *
     * @param authorities who may have signed the store's certificates
     * @param certificate the client's, with those between it and an authority
     * @param key the client's, unencrypted PKCS #8: "BEGIN PRIVATE KEY"
     */
    public record Tls(Path authorities, Path certificate, Path key) {}

    /** A user of the store. */
    public record Login(String user, String password) {
        @Override
        public String toString() {
            return "user " + user;
        }
    }
}
