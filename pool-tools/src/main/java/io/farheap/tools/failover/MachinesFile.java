package io.farheap.tools.failover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.base.FarheapException;
import io.farheap.poolset.PartSize;
import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.placement.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The machines that may have copies, as docs/high-availability.md#where-copies-go has the file. */
final class MachinesFile {
    /** Of nodes and pools: they are parts of keys, and of file names. */
    static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}");

    private static final Pattern WORD = Pattern.compile("[^\\s#]+");
    private static final String STEP = "[^/\\s\\p{Cntrl}#]+";
    private static final Pattern DIRECTORY = Pattern.compile("/|(/" + STEP + ")+");
    private static final Pattern RELATIVE = Pattern.compile("(" + STEP + "(/" + STEP + ")*)?");
    private static final long MOST_BYTES = 16 << 20;
    private static final double MOST_WEIGHT = 1e9;
    private static final Set<String> FIELDS =
            Set.of(
                    "node",
                    "address",
                    "directory",
                    "poolsets",
                    "labels",
                    "weight",
                    "room",
                    "inspect");

    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    /**
     * One of them.
     *
     * @param machine as the file has it
     * @param inspect whose agent says how much is free, by this poolset; null: it is not asked
     */
    record Entry(Machine machine, RemoteReplica inspect) {}

    /**
     * All of it.
     *
     * @param spread the label in which the copies of a pool differ; empty: the file says none
     */
    record Content(String spread, List<Entry> entries) {}

    private static final int SSH_PORT = 22;

    private final Path file;
    private final Map<String, String> nodes = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private String where = "";

    private MachinesFile(Path file) {
        this.file = file;
    }

    /**
     * Reads it.
     *
     * @throws FarheapException BAD_DATA naming machine and field
     */
    static Content read(Path file) throws IOException {
        return new MachinesFile(file).content();
    }

    private Content content() throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw wrong("it has more than 16 MiB, and is no list of machines");
        }
        JsonNode root;
        try {
            root = MAPPER.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw FarheapException.badData(
                    e,
                    "%s: line %d, column %d: %s",
                    file,
                    e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
                    e.getLocation() == null ? 1 : e.getLocation().getColumnNr(),
                    e.getOriginalMessage());
        }
        JsonNode list = root.path("machines");
        boolean more = root.size() > (root.has("spread") ? 2 : 1);
        if (!list.isArray() || list.isEmpty() || more) {
            throw wrong(
                    "it must be {\"spread\": LABEL, \"machines\": [...]}, with a machine at least");
        }
        String spread = text(root, "spread", "");
        List<Entry> entries = new ArrayList<>();
        for (JsonNode each : list) {
            where = "machine " + (entries.size() + 1) + ": ";
            Entry entry = entry(each);
            requireApart(entry.machine());
            entries.add(entry);
        }
        return new Content(spread, entries);
    }

    /** One machine under two names would have two copies of a pool. */
    private void requireApart(Machine machine) {
        String node = machine.node();
        String other = nodes.putIfAbsent(node.toLowerCase(Locale.ROOT), node);
        if (other != null) {
            throw wrong(
                    "there is another one named "
                            + other
                            + (other.equals(node) ? "" : ", which differs in upper case only"));
        }
        RemoteReplica at = RemoteReplica.at(machine.address(), "any").orElseThrow();
        int port = at.port() == 0 ? SSH_PORT : at.port();
        String same = addresses.putIfAbsent(at.host().toLowerCase(Locale.ROOT) + " " + port, node);
        if (same != null) {
            throw wrong("its host and port are those of " + same + ": it is the same machine");
        }
    }

    private Entry entry(JsonNode object) {
        for (String field : object.propertyStream().map(Map.Entry::getKey).toList()) {
            if (!FIELDS.contains(field)) {
                throw wrong("there is no field \"" + field + "\"");
            }
        }
        String address = text(object, "address", null);
        RemoteReplica host =
                RemoteReplica.at(address, "any")
                        .filter(any -> WORD.matcher(address).matches())
                        .orElseThrow(() -> wrong("\"address\" is no [user@]host[:port]"));
        String node = matching(NAME, object, "node", host.host());
        where = "machine " + node + ": ";
        Machine machine =
                new Machine(
                        node,
                        address,
                        matching(DIRECTORY, object, "directory", null),
                        matching(RELATIVE, object, "poolsets", ""),
                        labels(object.path("labels")),
                        weight(object.path("weight")),
                        room(object),
                        "");
        return new Entry(machine, inspected(object, address).orElse(null));
    }

    private Optional<RemoteReplica> inspected(JsonNode object, String address) {
        String poolset = matching(RELATIVE, object, "inspect", "");
        if (!poolset.isEmpty() && object.has("room")) {
            throw wrong(
                    "either its agent says what is free (\"inspect\"), or this file (\"room\")");
        }
        return poolset.isEmpty() ? Optional.empty() : RemoteReplica.at(address, poolset);
    }

    private Map<String, String> labels(JsonNode object) {
        Map<String, String> labels = new TreeMap<>();
        if (!object.isMissingNode() && !object.isObject()) {
            throw wrong("\"labels\" must be an object, such as {\"zone\": \"east\"}");
        }
        object.propertyStream()
                .forEach(
                        label -> {
                            String value = label.getValue().asText("");
                            if (!label.getValue().isTextual() || value.isBlank()) {
                                throw wrong("the label " + label.getKey() + " must be a text");
                            }
                            labels.put(label.getKey(), value);
                        });
        return labels;
    }

    private Double weight(JsonNode value) {
        if (value.isMissingNode()) {
            return null;
        }
        if (!value.isNumber() || value.asDouble() < 0 || value.asDouble() > MOST_WEIGHT) {
            throw wrong("\"weight\" must be a number of GiB, or 0 for none");
        }
        return value.asDouble();
    }

    private Long room(JsonNode object) {
        String text = text(object, "room", "");
        if (text.isEmpty()) {
            return null;
        }
        long bytes = PartSize.parse(text);
        if (bytes < 0) {
            throw wrong("\"room\" is no size, such as 500G");
        }
        return bytes;
    }

    private String matching(Pattern pattern, JsonNode object, String field, String usual) {
        String text = text(object, field, usual);
        boolean up = List.of(text.split("/")).contains("..");
        if (up || !pattern.matcher(text).matches()) {
            throw wrong(
                    String.format(
                            "\"%s\" can't be \"%s\": %s",
                            field,
                            text,
                            pattern == NAME
                                    ? "say a name of letters, digits, dots, hyphens and underscores"
                                            + " as \"node\""
                                    : pattern == DIRECTORY
                                            ? "say an absolute path without blanks and #"
                                            : "say a path under the agent's poolset directory"));
        }
        return text;
    }

    /**
     * @param usual what holds where the field is not there; null: it must be
     */
    private String text(JsonNode object, String field, String usual) {
        JsonNode value = object.path(field);
        if (value.isMissingNode() && usual != null) {
            return usual;
        }
        if (!value.isTextual()) {
            throw wrong(
                    "\"" + field + "\" must be " + (usual == null ? "there, and " : "") + "a text");
        }
        return value.asText();
    }

    private FarheapException wrong(String what) {
        return FarheapException.badData("%s: %s%s", file, where, what);
    }
}
