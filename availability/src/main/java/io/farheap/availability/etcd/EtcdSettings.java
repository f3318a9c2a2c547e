package io.farheap.availability.etcd;

import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.base.FarheapException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How etcd is reached.
 *
 * @param endpoints for clients, "https://host:2379"; tried in turn, the one that answered last
 *     first
 * @param ttl what is announced outlives its process by at most this; a request waits for an
 *     endpoint at most a sixth of it
 * @param tls for https; empty: the authorities that Java trusts, and no certificate of the client.
 *     Where etcd's roles are used, the certificate's subject has no common name, or etcd's gateway
 *     refuses it
 * @param login empty: etcd's roles are not used
 */
public record EtcdSettings(
        List<URI> endpoints,
        Duration ttl,
        Optional<StoreSettings.Tls> tls,
        Optional<StoreSettings.Login> login) {
    private static final int MOST_ENDPOINTS = 9;
    private static final Duration LEAST_TTL = Duration.ofSeconds(5);

    /** Without certificates and roles. */
    public static EtcdSettings of(List<URI> endpoints, Duration ttl) {
        return new EtcdSettings(endpoints, ttl, Optional.empty(), Optional.empty());
    }

    public EtcdSettings {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty() || endpoints.size() > MOST_ENDPOINTS) {
            throw FarheapException.wrongUse(
                    "etcd needs between 1 and %d endpoints, and %d are given.",
                    MOST_ENDPOINTS, endpoints.size());
        }
        endpoints.forEach(EtcdSettings::requireEndpoint);
        requireTtl(ttl);
    }

    /** A leader that is lost costs etcd some seconds: leases must outlive that. */
    static void requireTtl(Duration ttl) {
        if (ttl.compareTo(LEAST_TTL) < 0 || ttl.toNanosPart() != 0) {
            throw FarheapException.wrongUse(
                    "A ttl of %d ms is no whole number of seconds of at least %d: etcd may take some"
                            + " seconds to choose a new leader, and leases would end meanwhile.",
                    ttl.toMillis(), LEAST_TTL.toSeconds());
        }
    }

    private static void requireEndpoint(URI endpoint) {
        String scheme = endpoint.getScheme();
        boolean known = "http".equals(scheme) || "https".equals(scheme);
        String path = endpoint.getPath();
        if (!known || endpoint.getHost() == null || !(path.isEmpty() || path.equals("/"))) {
            throw FarheapException.wrongUse(
                    "%s is no endpoint of etcd: write it as https://host:2379.", endpoint);
        }
    }

    Duration bound() {
        return ttl.dividedBy(6);
    }
}
