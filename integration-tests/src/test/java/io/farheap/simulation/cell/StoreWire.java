package io.farheap.simulation.cell;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.function.Consumer;

/** What a process sends to a store, and what comes back. */
public interface StoreWire {
    /** The answer; empty: none came within so many nanoseconds. */
    Optional<JsonNode> ask(String path, JsonNode request, long nanos);

    /**
     * Begins a stream.
     *
     * @param line gets each line of it, on no thread: it must not block
     * @return ends it
     */
    Runnable watch(JsonNode request, Consumer<String> line);
}
