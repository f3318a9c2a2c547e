package io.farheap.availability.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * etcd, 3.4 or later, over its JSON gateway. A request waits at most a sixth of the ttl for each
 * endpoint.
 *
 * <p>A compare-and-set without an answer is sent to the next endpoint, too: if that one applies it,
 * the first can't be applied any more, because the version has moved. If that one finds another
 * version, the first may be what moved it: unknown.
 */
public final class EtcdCoordinator implements Coordinator {
    static final String RANGE = "/v3/kv/range";
    static final String TRANSACTION = "/v3/kv/txn";
    private static final String STATUS = "/v3/maintenance/status";

    private final EtcdClient client;
    private final Duration ttl;
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    private EtcdCoordinator(EtcdSettings settings) {
        this.client = new EtcdClient(settings);
        this.ttl = settings.ttl();
    }

    /** Sends nothing yet: an etcd that is down is seen by the first request. */
    public static Coordinator connect(EtcdSettings settings) {
        return new EtcdCoordinator(settings);
    }

    @Override
    public Versioned read(String key) {
        return client.ask(
                RANGE,
                EtcdMessages.range(key),
                (answer, mayBeDone) -> EtcdMessages.versioned(answer));
    }

    @Override
    public List<Listed> list(String prefix) {
        if (prefix.isEmpty()) {
            throw FarheapException.wrongUse("Nobody lists the whole store: name a prefix.");
        }
        return new EtcdListing(client, prefix).read();
    }

    /** Of all members: each knows all alarms. */
    @Override
    public List<String> troubles() {
        try {
            return client.ask(
                    STATUS,
                    JsonNodeFactory.instance.objectNode(),
                    (answer, mayBeDone) -> said(answer));
        } catch (StoreRefusedException | StoreUnavailableException e) {
            return List.of(); // who reaches this pool may reach no more, by rights or by a proxy
        }
    }

    private static List<String> said(JsonNode status) {
        List<String> troubles = new ArrayList<>();
        for (JsonNode each : status.path("errors")) {
            troubles.add(
                    String.format(
                            "etcd says \"%s\": as long as it does it may take no change, and nobody"
                                    + " takes over (etcdctl alarm list)",
                            each.asText().strip()));
        }
        return troubles;
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        return swap(EtcdMessages.put(key, version, value, 0));
    }

    @Override
    public Swap compareAndSet(
            String key, long version, byte[] value, String beside, long besideVersion) {
        ObjectNode put = EtcdMessages.put(key, version, value, 0);
        return swap(EtcdMessages.onlyIf(put, beside, besideVersion));
    }

    private Swap swap(ObjectNode put) {
        try {
            return client.ask(TRANSACTION, put, EtcdCoordinator::readSwap);
        } catch (StoreUnavailableException e) {
            return Swap.unknown();
        }
    }

    private static Swap readSwap(JsonNode answer, boolean mayBeDone) throws EtcdFailure {
        StoreStamp stamp = EtcdMessages.stamp(answer);
        if (EtcdMessages.succeeded(answer)) {
            // The revision of a transaction is the version of what it has set.
            return Swap.applied(stamp.revision(), stamp);
        }
        return mayBeDone ? Swap.unknown() : Swap.lost();
    }

    @Override
    public Optional<Presence> announce(String key, byte[] value, Duration keyTtl) {
        EtcdSettings.requireTtl(keyTtl);
        EtcdLease lease = EtcdLease.grant(client, keyTtl, open::remove);
        boolean announced = false;
        try {
            announced =
                    client.ask(
                            TRANSACTION,
                            EtcdMessages.put(key, 0, value, lease.id()),
                            (answer, mayBeDone) -> isMine(key, lease, answer, mayBeDone));
        } finally {
            if (!announced) {
                lease.close();
            }
        }
        if (!announced) {
            return Optional.empty();
        }
        lease.announced(key);
        open.add(lease);
        return Optional.of(lease);
    }

    /** Nobody else has this lease: a key with it was made by the request, whoever answered. */
    private boolean isMine(String key, EtcdLease lease, JsonNode answer, boolean mayBeDone) {
        return EtcdMessages.succeeded(answer)
                || mayBeDone
                        && client.ask(
                                RANGE,
                                EtcdMessages.range(key),
                                (found, unused) -> EtcdMessages.leaseOf(found) == lease.id());
    }

    @Override
    public Optional<byte[]> present(String key) {
        return client.ask(
                RANGE,
                EtcdMessages.range(key),
                (answer, mayBeDone) ->
                        EtcdMessages.leaseOf(answer) == 0
                                ? Optional.<byte[]>empty()
                                : EtcdMessages.versioned(answer).value());
    }

    @Override
    public void remove(String key, byte[] value) {
        boolean unused =
                client.ask(
                        TRANSACTION,
                        EtcdMessages.remove(key, value),
                        (answer, mayBeDone) -> EtcdMessages.succeeded(answer));
    }

    @Override
    public Watch watch(String prefix, Runnable changed) {
        if (prefix.isEmpty()) {
            throw FarheapException.wrongUse("Nobody watches the whole store: name a prefix.");
        }
        EtcdWatch watch = new EtcdWatch(client, prefix, ttl, changed, open::remove);
        open.add(watch);
        return watch;
    }

    @Override
    public void close() {
        for (AutoCloseable one : open) {
            closeQuietly(one);
        }
        client.close();
    }

    private static void closeQuietly(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // neither leases nor watches throw
        }
    }
}
