package io.farheap.simulation.cell;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The keys and leases of an etcd, as its gateway shows them: those requests that the product makes,
 * each carried out at once. Whoever has no lease that is named is told so with etcd's code.
 */
final class EtcdKeys {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int NOT_FOUND = 5;
    private static final long SECOND = 1_000_000_000L;

    private final Consumer<String> changed;

    /** By the key in base64. */
    private final Map<String, Entry> entries = new HashMap<>();

    private final Map<Long, Lease> leases = new HashMap<>();
    private long revision = 1;
    private long lastLease;

    private record Entry(String value, long version, long lease) {}

    /** A lease, and the keys that end with it. */
    static final class Lease {
        private final long id;
        private final long ttlNanos;
        private final Set<String> keys = new HashSet<>();
        private long endsAt;

        private Lease(long id, long ttlNanos) {
            this.id = id;
            this.ttlNanos = ttlNanos;
        }

        long endsAt() {
            return endsAt;
        }
    }

    /**
     * @param changed is told the name of each key that changes
     */
    EtcdKeys(Consumer<String> changed) {
        this.changed = changed;
    }

    JsonNode range(JsonNode request) {
        String key = request.path("key").asText();
        if (request.has("range_end")) {
            throw new IllegalArgumentException("no program of a pool lists keys");
        }
        ObjectNode answer = answer();
        Entry entry = entries.get(key);
        if (entry != null) {
            ObjectNode found = answer.putArray("kvs").addObject();
            found.put("key", key)
                    .put("mod_revision", Long.toString(entry.version()))
                    .put("value", entry.value());
            if (entry.lease() != 0) {
                found.put("lease", Long.toString(entry.lease()));
            }
            answer.put("count", "1");
        }
        return answer;
    }

    JsonNode transaction(JsonNode request) {
        JsonNode compare = request.path("compare").path(0);
        if (!holds(compare, entries.get(compare.path("key").asText()))) {
            return answer();
        }
        JsonNode success = request.path("success").path(0);
        JsonNode put = success.path("request_put");
        if (put.isMissingNode()) {
            remove(success.path("request_delete_range").path("key").asText());
        } else {
            long id = put.path("lease").asLong();
            Lease lease = leases.get(id);
            if (id != 0 && lease == null) {
                return refusal("etcdserver: requested lease not found");
            }
            put(put.path("key").asText(), put.path("value").asText(), lease);
        }
        return answer().put("succeeded", true);
    }

    private static boolean holds(JsonNode compare, Entry entry) {
        return switch (compare.path("target").asText()) {
            case "MOD" ->
                    compare.path("mod_revision").asLong() == (entry == null ? 0 : entry.version());
            case "LEASE" -> entry != null && compare.path("lease").asLong() == entry.lease();
            case "VALUE" -> entry != null && compare.path("value").asText().equals(entry.value());
            default -> throw new IllegalArgumentException(compare.toString());
        };
    }

    private void put(String key, String value, Lease lease) {
        Entry before = entries.put(key, new Entry(value, ++revision, lease == null ? 0 : lease.id));
        if (before != null && before.lease() != 0) {
            Lease old = leases.get(before.lease());
            boolean unused = old != null && old.keys.remove(key);
        }
        boolean unused = lease != null && lease.keys.add(key);
        changed.accept(name(key));
    }

    private void remove(String key) {
        Entry before = entries.remove(key);
        if (before != null) {
            revision++;
            Lease lease = leases.get(before.lease());
            boolean unused = lease != null && lease.keys.remove(key);
            changed.accept(name(key));
        }
    }

    Lease granted(JsonNode request, long now) {
        Lease lease = new Lease(++lastLease, request.path("TTL").asLong() * SECOND);
        lease.endsAt = now + lease.ttlNanos;
        leases.put(lease.id, lease);
        return lease;
    }

    JsonNode answerTo(Lease granted) {
        return answer().put("ID", Long.toString(granted.id))
                .put("TTL", Long.toString(granted.ttlNanos / SECOND));
    }

    JsonNode keepAlive(JsonNode request, long now) {
        long id = request.path("ID").asLong();
        ObjectNode answer = NODES.objectNode();
        ObjectNode result = answer.putObject("result");
        result.set("header", answer().path("header"));
        result.put("ID", Long.toString(id));
        Lease lease = leases.get(id);
        if (lease != null) {
            lease.endsAt = now + lease.ttlNanos;
            result.put("TTL", Long.toString(lease.ttlNanos / SECOND));
        }
        return answer;
    }

    JsonNode revoke(JsonNode request) {
        Lease lease = leases.get(request.path("ID").asLong());
        if (lease == null) {
            return refusal("etcdserver: requested lease not found");
        }
        end(lease);
        return answer();
    }

    boolean isThere(Lease lease) {
        return leases.get(lease.id) == lease;
    }

    /** With all its keys. */
    void end(Lease lease) {
        List.copyOf(lease.keys).forEach(this::remove);
        leases.remove(lease.id);
    }

    /** As a new leader does it. */
    void startLeasesAnew(long now) {
        leases.values().forEach(lease -> lease.endsAt = now + lease.ttlNanos);
    }

    /** Before anything is asked. */
    void begin(String key, byte[] value) {
        Entry unused =
                entries.put(
                        Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8)),
                        new Entry(Base64.getEncoder().encodeToString(value), ++revision, 0));
    }

    int leases() {
        return leases.size();
    }

    int keys() {
        return entries.size();
    }

    /** Of keys and values. */
    long bytes() {
        long sum = 0;
        for (Map.Entry<String, Entry> one : entries.entrySet()) {
            sum += bytesOf(one.getKey()) + bytesOf(one.getValue().value());
        }
        return sum;
    }

    private static long bytesOf(String base64) {
        return Base64.getDecoder().decode(base64).length;
    }

    static String name(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    private ObjectNode answer() {
        ObjectNode answer = NODES.objectNode();
        answer.putObject("header")
                .put("cluster_id", "14841639068965178418")
                .put("member_id", "10276657743932975437")
                .put("revision", Long.toString(revision))
                .put("raft_term", "2");
        return answer;
    }

    private static ObjectNode refusal(String why) {
        return NODES.objectNode().put("error", why).put("code", NOT_FOUND).put("message", why);
    }
}
