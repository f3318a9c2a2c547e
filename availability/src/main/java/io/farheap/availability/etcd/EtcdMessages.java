package io.farheap.availability.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * etcd's messages as its gateway has them: 64-bit numbers are strings, fields that are false or 0
 * are missing, keys and values are base64.
 */
final class EtcdMessages {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private EtcdMessages() {}

    /**
     * Reads one key. Nothing says {@code serializable}: the answer is as new as the cluster's
     * leader.
     */
    static ObjectNode range(String key) {
        return NODES.objectNode().put("key", encoded(key));
    }

    /**
     * Reads some keys, in their order.
     *
     * @param from the first of them
     * @param end the first that is not wanted any more
     * @param revision at which they are read; 0: the newest
     */
    static ObjectNode range(byte[] from, byte[] end, int limit, long revision) {
        return NODES.objectNode()
                .put("key", encoded(from))
                .put("range_end", encoded(end))
                .put("limit", Integer.toString(limit))
                .put("revision", Long.toString(revision));
    }

    /**
     * Sets a key if it was changed last in this revision.
     *
     * @param lease 0: none
     */
    static ObjectNode put(String key, long version, byte[] value, long lease) {
        ObjectNode transaction = onlyIf(NODES.objectNode(), key, version);
        return withPut(transaction, key, value, lease);
    }

    /** The same transaction, if this key, too, was changed last in this revision. */
    static ObjectNode onlyIf(ObjectNode transaction, String key, long version) {
        transaction
                .withArray("compare")
                .addObject()
                .put("key", encoded(key))
                .put("target", "MOD")
                .put("result", "EQUAL")
                .put("mod_revision", Long.toString(version));
        return transaction;
    }

    /** Sets a key that was set with the same lease before. */
    static ObjectNode putAgain(String key, byte[] value, long lease) {
        ObjectNode transaction = NODES.objectNode();
        transaction
                .putArray("compare")
                .addObject()
                .put("key", encoded(key))
                .put("target", "LEASE")
                .put("result", "EQUAL")
                .put("lease", Long.toString(lease));
        return withPut(transaction, key, value, lease);
    }

    /** Takes a key away that has this value. */
    static ObjectNode remove(String key, byte[] value) {
        ObjectNode transaction = NODES.objectNode();
        transaction
                .putArray("compare")
                .addObject()
                .put("key", encoded(key))
                .put("target", "VALUE")
                .put("result", "EQUAL")
                .put("value", encoded(value));
        transaction
                .putArray("success")
                .addObject()
                .putObject("request_delete_range")
                .put("key", encoded(key));
        return transaction;
    }

    private static ObjectNode withPut(
            ObjectNode transaction, String key, byte[] value, long lease) {
        ObjectNode put = transaction.putArray("success").addObject().putObject("request_put");
        put.put("key", encoded(key)).put("value", encoded(value));
        if (lease != 0) {
            put.put("lease", Long.toString(lease));
        }
        return transaction;
    }

    static ObjectNode grant(long ttlSeconds) {
        return NODES.objectNode().put("TTL", Long.toString(ttlSeconds));
    }

    /** Names a lease, for whatever is asked of it. */
    static ObjectNode lease(long id) {
        return NODES.objectNode().put("ID", Long.toString(id));
    }

    static ObjectNode login(StoreSettings.Login login) {
        return NODES.objectNode().put("name", login.user()).put("password", login.password());
    }

    static ObjectNode watch(String prefix) {
        ObjectNode request = NODES.objectNode();
        request.putObject("create_request")
                .put("key", encoded(prefix))
                .put("range_end", encoded(endOf(prefix)));
        return request;
    }

    /** The first key behind all those with the prefix: text in UTF-8 never ends in 0xff. */
    static byte[] endOf(String prefix) {
        byte[] bytes = prefix.getBytes(StandardCharsets.UTF_8);
        byte[] end = Arrays.copyOf(bytes, bytes.length);
        end[end.length - 1]++;
        return end;
    }

    static Versioned versioned(JsonNode answer) throws EtcdFailure {
        JsonNode found = answer.path("kvs").path(0);
        StoreStamp stamp = stamp(answer);
        if (found.isMissingNode()) {
            return new Versioned(Optional.empty(), 0, stamp);
        }
        return new Versioned(Optional.of(value(found)), number(found, "mod_revision"), stamp);
    }

    /** The lease of the key that was read; 0: none. */
    static long leaseOf(JsonNode answer) throws EtcdFailure {
        return number(answer.path("kvs").path(0), "lease");
    }

    static boolean succeeded(JsonNode answer) {
        return answer.path("succeeded").asBoolean(false);
    }

    static StoreStamp stamp(JsonNode answer) throws EtcdFailure {
        JsonNode header = answer.path("header");
        String identity = header.path("cluster_id").asText("");
        if (identity.isEmpty()) {
            throw EtcdFailure.noAnswer("an answer without a cluster_id: is this etcd?", null);
        }
        return new StoreStamp(identity, number(header, "revision"));
    }

    /** A string, a number, or missing, which is 0. */
    static long number(JsonNode place, String field) throws EtcdFailure {
        JsonNode value = place.path(field);
        if (value.isMissingNode()) {
            return 0;
        }
        try {
            return Long.parseLong(value.asText());
        } catch (NumberFormatException e) {
            throw EtcdFailure.noAnswer("\"" + field + "\" is no number: is this etcd?", e);
        }
    }

    private static byte[] value(JsonNode found) throws EtcdFailure {
        return bytes(found, "value");
    }

    static byte[] bytes(JsonNode found, String field) throws EtcdFailure {
        try {
            return Base64.getDecoder().decode(found.path(field).asText(""));
        } catch (IllegalArgumentException e) {
            throw EtcdFailure.noAnswer("a " + field + " that is no base64: is this etcd?", e);
        }
    }

    private static String encoded(String key) {
        return encoded(key.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
