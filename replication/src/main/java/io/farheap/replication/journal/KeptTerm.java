package io.farheap.replication.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What a node keeps beside the first part of its copy (docs/high-availability.md#the-term-file).
 *
 * <pre>
 *   {"format":1,"term":7,"current":1230,"next":1234,"store":"…","revision":55}
 * </pre>
 *
 * With {@code "rebased":9} where the store was an older one once, and a person has said in which
 * term it counts again.
 *
 * @param term the highest that the node has written in; 0: none
 * @param current the number of its copy when that was prepared for {@code next}
 * @param store the identity of the store that it has seen; null: none yet
 * @param revision the newest one that it has seen of that
 * @param rebased the term of the last record that a person has written over an older store, as far
 *     as the node has seen; 0: none
 */
public record KeptTerm(
        long term, long current, long next, String store, long revision, long rebased) {
    /** Of a node that has written nothing yet. */
    public static final KeptTerm NONE = new KeptTerm(0, 0, 0, null, 0, 0);

    private static final int FORMAT = 1;
    private static final long MOST_BYTES = 4096;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * @return {@link #NONE} where there is no such file
     * @throws FarheapException category BAD_DATA when it can't be read: then this node must not
     *     write until a person has looked
     */
    public static KeptTerm read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw damaged(file, null);
            }
            JsonNode object = JSON.readTree(Files.readAllBytes(file));
            if (object == null || number(object, "format") != FORMAT) {
                throw damaged(file, null);
            }
            JsonNode store = object.path("store");
            return new KeptTerm(
                    number(object, "term"),
                    number(object, "current"),
                    number(object, "next"),
                    store.isTextual() ? store.textValue() : null,
                    store.isTextual() ? number(object, "revision") : 0,
                    object.has("rebased") ? number(object, "rebased") : 0);
        } catch (NoSuchFileException e) {
            return NONE;
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw damaged(file, e);
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be read: %s", file, e);
        }
    }

    private static long number(JsonNode object, String field) {
        JsonNode value = object.path(field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new IllegalArgumentException(field);
        }
        return value.longValue();
    }

    private static FarheapException damaged(Path file, Exception cause) {
        return FarheapException.badData(
                cause,
                "%s does not say what this node has written in: this node does not write until"
                        + " another one has taken over and the copy here was made anew",
                file);
    }

    /** Whether a copy that has the one number has the content of the other one, too. */
    public boolean isPrepared(long has, long number) {
        return has != number && current == has && next == number && next != 0;
    }

    /** The same of a node that has written in that term. */
    public KeptTerm inTerm(long written) {
        return new KeptTerm(written, current, next, store, revision, rebased);
    }

    /** The same of a copy that is prepared for a number. */
    public KeptTerm prepared(long has, long number) {
        return new KeptTerm(term, has, number, store, revision, rebased);
    }

    /** The same of a node that has seen that of the store. */
    public KeptTerm seen(String identity, long newest, long lastRebased) {
        return new KeptTerm(term, current, next, identity, newest, lastRebased);
    }

    /** As it stands in the file. */
    public byte[] encode() {
        ObjectNode object = JSON.createObjectNode();
        object.put("format", FORMAT).put("term", term).put("current", current).put("next", next);
        if (store != null) {
            object.put("store", store).put("revision", revision);
        }
        if (rebased != 0) {
            object.put("rebased", rebased);
        }
        try {
            return JSON.writeValueAsBytes(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
