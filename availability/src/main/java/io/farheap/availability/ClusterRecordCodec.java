package io.farheap.availability;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.base.FarheapException;
import io.farheap.replication.journal.LaterFields;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/**
 * A record as JSON, one object, for whoever looks into the store:
 *
 * <pre>
 *   {"format":1,"term":7,"writer":"a","set":["a","b"],"number":1234,"plan":3,"nonce":"00…",
 *    "id":4711}
 * </pre>
 *
 * Unknown fields are kept as they are, so that a later version may say more; one that must not be
 * ignored, or goes with another field, gets another format. A field of another kind, a value out of
 * its limits or anything behind the object is refused.
 */
final class ClusterRecordCodec {
    private static final int FORMAT = 1;
    private static final Set<String> KNOWN =
            Set.of("format", "term", "writer", "set", "number", "plan", "nonce", "id");
    private static final int MOST_BYTES = 16 << 10;
    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxDocumentLength(MOST_BYTES)
                                                    .maxNestingDepth(8)
                                                    .maxNumberLength(32)
                                                    .build())
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .build())
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private ClusterRecordCodec() {}

    static byte[] encode(ClusterRecord record) {
        ObjectNode object = JSON.createObjectNode();
        object.put("format", FORMAT).put("term", record.term()).put("writer", record.writer());
        ArrayNode set = object.putArray("set");
        record.set().forEach(set::add);
        object.put("number", record.number())
                .put("plan", record.planVersion())
                .put("nonce", record.nonce());
        if (record.id() != 0) {
            object.put("id", record.id());
        }
        LaterFields.put(record.later(), object);
        try {
            return JSON.writeValueAsBytes(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // a tree of texts and numbers can be written
        }
    }

    /**
     * @param key where it was found, for messages
     * @throws FarheapException category BAD_DATA for anything that is no record
     */
    static ClusterRecord decode(String key, byte[] value) {
        try {
            JsonNode object = JSON.readTree(value);
            if (object == null || !object.isObject()) {
                throw damaged(key, "no JSON object", null);
            }
            long format = number(object, "format");
            if (format != FORMAT) {
                throw FarheapException.badData(
                        "The record %s has format %d, and this release of Farheap knows %d: a later"
                                + " one wrote it; upgrade this node, which does not take over until"
                                + " then.",
                        key, format, FORMAT);
            }
            TreeSet<String> set = new TreeSet<>();
            JsonNode names = object.path("set");
            for (JsonNode name : names) {
                if (!name.isTextual() || !set.add(name.textValue())) {
                    throw new IllegalArgumentException("set");
                }
            }
            return new ClusterRecord(
                    number(object, "term"),
                    text(object, "writer"),
                    set,
                    number(object, "number"),
                    number(object, "plan"),
                    text(object, "nonce"),
                    object.has("id") ? number(object, "id") : 0,
                    LaterFields.of(object, KNOWN));
        } catch (IllegalArgumentException e) {
            throw damaged(key, "\"" + e.getMessage() + "\" is missing or out of its limits", e);
        } catch (JsonProcessingException e) {
            throw damaged(key, "no JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw damaged(key, e.getMessage(), e);
        }
    }

    private static long number(JsonNode object, String field) {
        JsonNode value = object.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new IllegalArgumentException(field);
        }
        return value.longValue();
    }

    private static String text(JsonNode object, String field) {
        JsonNode value = object.path(field);
        if (!value.isTextual()) {
            throw new IllegalArgumentException(field);
        }
        return value.textValue();
    }

    private static FarheapException damaged(String key, String how, Exception cause) {
        return FarheapException.badData(
                cause,
                "The record %s in the store can't be read (%s): nobody takes over and nobody changes"
                        + " it until a person has looked at it; commits go on.",
                key,
                how);
    }
}
