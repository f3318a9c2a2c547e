package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.etcd.EtcdCoordinator;
import io.farheap.availability.etcd.EtcdSettings;
import io.farheap.base.FarheapException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Which store, and how it is reached.
 *
 * @param endpoints of etcd
 */
record StoreAddress(
        List<URI> endpoints,
        Duration ttl,
        Optional<EtcdSettings.Tls> tls,
        Optional<EtcdSettings.Login> login) {
    private static final String ETCD = "etcd:";
    private static final Duration USUAL_TTL = Duration.ofSeconds(10);

    /**
     * @param text {@code etcd:https://e1:2379,https://e2:2379}
     */
    static StoreAddress of(String text) {
        if (!text.startsWith(ETCD)) {
            throw FarheapException.wrongUse(
                    "\"%s\" names no store: write it as etcd:https://e1:2379,https://e2:2379.",
                    text);
        }
        try {
            List<URI> endpoints =
                    Arrays.stream(text.substring(ETCD.length()).split(","))
                            .map(String::strip)
                            .map(URI::create)
                            .toList();
            StoreAddress address =
                    new StoreAddress(endpoints, USUAL_TTL, Optional.empty(), Optional.empty());
            var unused = address.settings(); // what is wrong with it is said now
            return address;
        } catch (IllegalArgumentException e) {
            throw FarheapException.wrongUse(
                    e,
                    "\"%s\" names no store: write it as etcd:https://e1:2379,https://e2:2379.",
                    text);
        }
    }

    private EtcdSettings settings() {
        return new EtcdSettings(endpoints, ttl, tls, login);
    }

    StoreAddress withTtl(Duration newTtl) {
        StoreAddress address = new StoreAddress(endpoints, newTtl, tls, login);
        var unused = address.settings();
        return address;
    }

    StoreAddress withTls(EtcdSettings.Tls newTls) {
        return new StoreAddress(endpoints, ttl, Optional.of(newTls), login);
    }

    StoreAddress withLogin(EtcdSettings.Login newLogin) {
        return new StoreAddress(endpoints, ttl, tls, Optional.of(newLogin));
    }

    Coordinator connect() {
        return EtcdCoordinator.connect(settings());
    }
}
