package io.farheap.replication.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.base.FarheapException;
import io.farheap.pool.SideFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;

/**
 * What a node keeps beside the first part of its copy (docs/high-availability.md#the-term-file).
 *
 * <pre>
 *   {"format":1,"term":7,"current":1230,"next":1234,"store":"…","revision":55,
 *    "record":{"id":4711,"term":7}}
 * </pre>
 *
 * @param term the highest that the node has written in; 0: none
 * @param current the number of its copy when that was prepared for {@code next}
 * @param store the identity of the store that it has seen; null: none yet
 * @param revision the newest one that it has seen of that
 * @param recordId of the record that the term is of; 0: not known
 * @param later {@link LaterFields}, kept as they are
 */
public record KeptTerm(
        long term,
        long current,
        long next,
        String store,
        long revision,
        long recordId,
        String later) {
    /** Of a node that has written nothing yet. */
    public static final KeptTerm NONE = new KeptTerm(0, 0, 0, null, 0);

    private static final int FORMAT = 1;
    private static final Set<String> KNOWN =
            Set.of("format", "term", "current", "next", "store", "revision", "record");
    private static final long MOST_BYTES = 4096;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    public KeptTerm(long term, long current, long next, String store, long revision) {
        this(term, current, next, store, revision, 0, LaterFields.NONE);
    }

    /** The same of a node that has written in that term of a record. */
    public KeptTerm raised(long newTerm, long ofRecord) {
        return new KeptTerm(newTerm, current, next, store, revision, ofRecord, later);
    }

    /** The same with what its copy was prepared for. */
    public KeptTerm prepared(long has, long number) {
        return new KeptTerm(term, has, number, store, revision, recordId, later);
    }

    /** The same with what it has seen of a store. */
    public KeptTerm seen(String newStore, long newRevision) {
        return new KeptTerm(term, current, next, newStore, newRevision, recordId, later);
    }

    /**
     * What the node keeps that has this part: where it is named by a symbolic link, the newer of
     * what stands beside the file and beside the link.
     *
     * @return {@link #NONE} where there is nothing
     * @throws FarheapException category BAD_DATA when it can't be read, or is of two records: then
     *     this node must not write until a person has looked
     */
    public static KeptTerm beside(Path firstPart) {
        KeptTerm kept = NONE;
        for (Path place : new SideFiles(firstPart).terms()) {
            KeptTerm found = read(place);
            boolean bothAreKnown = kept.recordId != 0 && found.recordId != 0;
            if (bothAreKnown && kept.recordId != found.recordId) {
                throw FarheapException.badData(
                        "%s says that this node has written under another record than the file"
                                + " beside the link %s: this node does not write until a person has"
                                + " looked; move the one to another directory that is of the"
                                + " earlier record, and keep it until you know",
                        new SideFiles(firstPart).term(), firstPart);
            }
            kept = kept.equals(NONE) || found.term > kept.term ? found : kept;
        }
        return kept;
    }

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
            if (object == null || !object.isObject()) {
                throw damaged(file, null);
            }
            long format = number(object, "format");
            if (format != FORMAT) {
                throw FarheapException.badData(
                        "%s has format %d, and this release of Farheap knows %d: a later one wrote"
                                + " it; upgrade this node, which does not write until then",
                        file, format, FORMAT);
            }
            JsonNode store = object.path("store");
            return new KeptTerm(
                    number(object, "term"),
                    number(object, "current"),
                    number(object, "next"),
                    store.isTextual() ? store.textValue() : null,
                    store.isTextual() ? number(object, "revision") : 0,
                    recordId(object),
                    LaterFields.of(object, KNOWN));
        } catch (NoSuchFileException e) {
            return NONE;
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw damaged(file, e);
        } catch (IOException e) {
            throw FarheapException.environment(e, "%s can't be read: %s", file, e);
        }
    }

    /** An earlier release keeps it beside a term that it raises, of whatever record that is. */
    private static long recordId(JsonNode object) {
        JsonNode record = object.path("record");
        return record.isMissingNode() || number(record, "term") != number(object, "term")
                ? 0
                : number(record, "id");
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
                "%s does not say what this node has written in: this node does not write, and nobody"
                        + " overwrites what it has, until a person has looked; its newest commits"
                        + " may be in the copy here: to have it made anew by the node that writes,"
                        + " move its files to another directory, this one with them, and keep them"
                        + " until you know",
                file);
    }

    /** Whether a copy that has the one number has the content of the other one, too. */
    public boolean isPrepared(long has, long number) {
        return has != number && current == has && next == number && next != 0;
    }

    /** As it stands in the file. */
    public byte[] encode() {
        ObjectNode object = JSON.createObjectNode();
        object.put("format", FORMAT).put("term", term).put("current", current).put("next", next);
        if (store != null) {
            object.put("store", store).put("revision", revision);
        }
        if (recordId != 0) {
            object.putObject("record").put("id", recordId).put("term", term);
        }
        LaterFields.put(later, object);
        try {
            return JSON.writeValueAsBytes(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
