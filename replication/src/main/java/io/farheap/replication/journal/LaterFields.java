package io.farheap.replication.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/**
 * What a later release has written into an object that this one writes, too: the fields that this
 * one does not know, as JSON text. Whoever rewrites the object keeps them as they are. A field that
 * must not be kept so, since it goes with another one, comes with another format of the object.
 */
public final class LaterFields {
    /** No such fields. */
    public static final String NONE = "";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private LaterFields() {}

    /** All fields of an object but those that are known. */
    public static String of(JsonNode object, Set<String> known) {
        ObjectNode rest = object.<ObjectNode>deepCopy().remove(known);
        return rest.isEmpty() ? NONE : rest.toString();
    }

    /** Puts what {@link #of} found behind the others. */
    public static void put(String later, ObjectNode into) {
        if (!later.isEmpty()) {
            try {
                into.setAll((ObjectNode) JSON.readTree(later));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e); // it was made of an object
            }
        }
    }
}
