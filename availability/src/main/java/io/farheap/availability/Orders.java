package io.farheap.availability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

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
 */
record Orders(boolean paused, Optional<String> to, long version) {
    private static final int FORMAT = 1;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Nothing. */
    static final Orders NONE = new Orders(false, Optional.empty(), 0);

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

    /**
     * Those of a listing, which may be looked at only.
     *
     * @throws FarheapException category BAD_DATA when they can't be understood
     */
    static Orders of(PoolKeys keys, Optional<byte[]> value) {
        return value.map(found -> decode(keys.order(), found, 0)).orElse(NONE);
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
                    version);
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
        return new Orders(newPaused, to, version);
    }

    Orders withTo(Optional<String> newTo) {
        return new Orders(paused, newTo, version);
    }

    /**
     * In place of those that were read.
     *
     * @return what became of it; after LOST others are read and this is tried again
     */
    Swap.Outcome write(Coordinator store, PoolKeys keys) {
        ObjectNode object = JSON.createObjectNode().put("format", FORMAT).put("paused", paused);
        to.ifPresent(node -> object.put("to", node));
        byte[] value = object.toString().getBytes(StandardCharsets.UTF_8);
        return store.compareAndSet(keys.order(), version, value).outcome();
    }
}
