package io.farheap.availability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import io.farheap.replication.journal.LaterFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/**
 * What a person has ordered for a pool. It says when nodes stand, never who may: a wrong or a lost
 * order costs time only.
 *
 * <pre>
 *   {"format":1,"paused":false,"to":"b"}
 * </pre>
 *
 * @param paused nobody takes over
 * @param to who is to be the next writer, before anybody else; empty: whoever may
 * @param version of the key, 0: there is none
 * @param later {@link LaterFields}, kept as they are
 */
record Orders(boolean paused, Optional<String> to, long version, String later) {
    private static final int FORMAT = 1;
    private static final Set<String> KNOWN = Set.of("format", "paused", "to");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Nothing. */
    static final Orders NONE = new Orders(false, Optional.empty(), 0);

    Orders(boolean paused, Optional<String> to, long version) {
        this(paused, to, version, LaterFields.NONE);
    }

    /**
     * @throws io.farheap.availability.coordinator.StoreUnavailableException the store does not
     *     answer
     * @throws FarheapException category BAD_DATA when they can't be understood
     */
    static Orders read(Coordinator store, PoolKeys keys) {
        Versioned found = store.read(keys.order());
        return found.value().isEmpty()
                ? new Orders(false, Optional.empty(), found.version())
                : decode(keys.order(), found.value().get(), found.version());
    }

    static Orders decode(String key, byte[] value, long version) {
        try {
            JsonNode object = JSON.readTree(value);
            if (object == null || object.path("format").asInt() != FORMAT) {
                throw unreadable(key, null);
            }
            String to = object.path("to").asText("");
            return new Orders(
                    object.path("paused").asBoolean(false),
                    to.isEmpty() ? Optional.empty() : Optional.of(to),
                    version,
                    LaterFields.of(object, KNOWN));
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    private static FarheapException unreadable(String key, Exception cause) {
        return FarheapException.badData(
                cause,
                "%s in the store is no order that this version understands: nobody takes the pool"
                        + " over on this node until it is",
                key);
    }

    Orders withPaused(boolean newPaused) {
        return new Orders(newPaused, to, version, later);
    }

    Orders withTo(Optional<String> newTo) {
        return new Orders(paused, newTo, version, later);
    }

    /**
     * In place of those that were read.
     *
     * @return what became of it; after LOST others are read and this is tried again
     */
    Swap.Outcome write(Coordinator store, PoolKeys keys) {
        ObjectNode object = JSON.createObjectNode().put("format", FORMAT).put("paused", paused);
        to.ifPresent(node -> object.put("to", node));
        LaterFields.put(later, object);
        byte[] value = object.toString().getBytes(StandardCharsets.UTF_8);
        return store.compareAndSet(keys.order(), version, value).outcome();
    }
}
