package io.farheap.simulation.cell;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.RecyclerPool;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What the product's calls become that read and write JSON: Jackson keeps buffers for each thread
 * that does, and there are many.
 */
public final class CellJson {
    private static final RecyclerPool<BufferRecycler> BUFFERS =
            JsonRecyclerPools.newConcurrentDequePool();

    private static final JsonMapper JSON =
            new JsonMapper(JsonFactory.builder().recyclerPool(BUFFERS).build());

    private CellJson() {}

    /** {@code build}. */
    public static ObjectMapper mapper(JsonMapper.Builder builder) {
        JsonMapper mapper = builder.build();
        var unused = mapper.getFactory().setRecyclerPool(BUFFERS);
        return mapper;
    }

    /** {@code toString}. */
    public static String text(ObjectNode json) {
        return text((JsonNode) json);
    }

    static String text(JsonNode json) {
        try {
            return JSON.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
