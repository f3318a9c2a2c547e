package io.farheap.availability.etcd;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreEngine;
import io.farheap.availability.coordinator.StoreSettings;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** etcd by its address. */
public final class EtcdEngine implements StoreEngine {
    @Override
    public String kind() {
        return "etcd";
    }

    @Override
    public String example() {
        return "etcd:https://e1:2379,https://e2:2379";
    }

    @Override
    public void check(StoreSettings settings) {
        var unused = read(settings);
    }

    @Override
    public Coordinator connect(StoreSettings settings) {
        return EtcdCoordinator.connect(read(settings));
    }

    private static EtcdSettings read(StoreSettings settings) {
        List<URI> endpoints =
                Arrays.stream(settings.endpoints().split(","))
                        .map(String::strip)
                        .map(URI::create)
                        .toList();
        return new EtcdSettings(endpoints, settings.ttl(), settings.tls(), settings.login());
    }
}
