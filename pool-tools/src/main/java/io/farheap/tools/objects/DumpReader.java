package io.farheap.tools.objects;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.base.FarheapException;
import io.farheap.objects.dump.HeapLoad;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads what {@link DumpWriter} writes, and loads it. */
final class DumpReader {
    static final String WHAT = "dump of typed objects";
    static final int FORMAT = 1;
    static final String COUNTER = "counter";

    private static final String NO_DUMP =
            "this is no dump: its first line is not that of \"farheap dump\" without --type";

    private final JsonParser json;
    private final HeapLoad load;
    private final JsonValues values;
    private boolean begun;

    DumpReader(InputStream in, HeapLoad load) throws IOException {
        StreamReadConstraints large =
                StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build();
        JsonFactory factory = JsonFactory.builder().streamReadConstraints(large).build();
        this.json = factory.createParser(in);
        json.setCodec(JsonMapper.builder().build());
        this.load = load;
        this.values = new JsonValues(json, load);
    }

    /** Whether entries of a collection are pairs of a key and a value. */
    static boolean hasPairs(String collection) {
        return collection.startsWith("map<") || collection.startsWith("sortedmap<");
    }

    /**
     * Loads all of it.
     *
     * @return how many objects there are
     * @throws FarheapException BAD_DATA with the line
     */
    long load() throws IOException {
        try {
            head();
            while (json.nextToken() != null) {
                object();
            }
            return load.finish();
        } catch (JsonProcessingException e) {
            String what = begun ? "" : NO_DUMP + ": ";
            throw FarheapException.badData(
                    e, "line %d: %s%s", line(), what, e.getOriginalMessage());
        } catch (FarheapException e) {
            throw e.category() == FarheapException.Category.ENVIRONMENT
                    ? e
                    : FarheapException.badData(e, "line %d: %s", line(), e.getMessage());
        }
    }

    private int line() {
        return json.currentTokenLocation().getLineNr();
    }

    private static void require(boolean isSo, String otherwise, Object... values) {
        if (!isSo) {
            throw FarheapException.badData(otherwise, values);
        }
    }

    // ---- what is before the objects ----

    private void head() throws IOException {
        JsonNode head = node();
        require(head.path("farheap").asText().equals(WHAT), NO_DUMP);
        begun = true;
        require(
                head.path("format").asInt() == FORMAT,
                "the dump has format %s, and this release reads %d",
                head.path("format"),
                FORMAT);
        long types = number(head, "types");
        List<TypeDescriptor> table = new ArrayList<>();
        Map<TypeDescriptor, Long> counts = new HashMap<>();
        for (long i = 0; i < types; i++) {
            JsonNode line = node();
            TypeDescriptor type = type(line, TypeDescriptor.FIRST_ID + i);
            counts.put(type, number(line, "objects"));
            table.add(type);
        }
        load.types(table, counts::get, number(head, "deleted"), number(head, "root"));
    }

    private JsonNode node() throws IOException {
        require(json.nextToken() == JsonToken.START_OBJECT, "a line is missing: the dump was cut");
        return json.readValueAsTree();
    }

    private static long number(JsonNode node, String name) {
        JsonNode found = node.path(name);
        require(
                found.isIntegralNumber() && found.canConvertToLong() && found.asLong() >= 0,
                "%s is missing, or no number",
                name);
        return found.asLong();
    }

    private static int place(JsonNode node, String name) {
        JsonNode found = node.path(name);
        require(found.isIntegralNumber() && found.canConvertToInt(), "%s is no number", name);
        return found.asInt();
    }

    private static TypeDescriptor type(JsonNode line, long id) {
        String versionedName = line.path("type").asText();
        int mark = versionedName.lastIndexOf('#');
        require(versionedName.matches(".*#[1-9][0-9]{0,8}"), "a type has no name and version");
        List<String> superTypes = new ArrayList<>();
        line.path("super").forEach(name -> superTypes.add(name.asText()));
        List<Field> fields = new ArrayList<>();
        for (JsonNode field : line.path("fields")) {
            fields.add(
                    new Field(
                            field.path("name").asText(),
                            field.path("type").asText(),
                            place(field, "offset"),
                            place(field, "size"),
                            place(field, "null bit"),
                            field.path("required").asBoolean()));
        }
        return new TypeDescriptor(
                id,
                kind(line.path("kind").asText()),
                Integer.parseInt(versionedName.substring(mark + 1)),
                versionedName.substring(0, mark),
                line.path("java").asText(),
                superTypes,
                place(line, "size"),
                place(line, "alignment"),
                fields);
    }

    private static Kind kind(String text) {
        for (Kind kind : Kind.values()) {
            if (kind.name().toLowerCase(Locale.ROOT).equals(text)) {
                return kind;
            }
        }
        throw FarheapException.badData("there is no kind of types %s", text);
    }

    // ---- objects ----

    private void object() throws IOException {
        require(json.currentToken() == JsonToken.START_OBJECT, "an object is expected");
        require("id".equals(json.nextFieldName()), "an object begins with its id");
        long id = json.nextLongValue(0);
        require("type".equals(json.nextFieldName()), "the type follows the id of an object");
        String name = json.nextTextValue();
        TypeDescriptor type = name == null ? null : load.type(name);
        require(type != null, "there is no type %s", name);
        require("fields".equals(json.nextFieldName()), "the fields follow the type of an object");
        require(json.nextToken() == JsonToken.START_OBJECT, "the fields are no JSON object");
        load.begin(id, type);
        for (String one = json.nextFieldName(); one != null; one = json.nextFieldName()) {
            Field field = type.field(one);
            require(field != null, "%s has no field %s", name, one);
            json.nextToken();
            field(field);
        }
        load.end();
        require(json.nextToken() == JsonToken.END_OBJECT, "something follows the fields");
    }

    private void field(Field field) throws IOException {
        if (!load.isCollection(field)) {
            load.value(field, values.read(field.type()));
        } else if (json.currentToken() != JsonToken.VALUE_NULL) {
            collection(field);
        }
    }

    private void collection(Field field) throws IOException {
        boolean hasOrder = json.currentToken() == JsonToken.START_OBJECT;
        String order = null;
        if (hasOrder) {
            require("order".equals(json.nextFieldName()), "the order is missing");
            order = json.nextTextValue();
            require(order != null, "the order is no class");
            require("entries".equals(json.nextFieldName()), "the entries are missing");
            json.nextToken();
        }
        load.beginCollection(field, order);
        if (field.type().equals(COUNTER)) {
            load.entry(values.read("long"), null);
        } else {
            entries(field);
        }
        load.endCollection();
        if (hasOrder) {
            require(json.nextToken() == JsonToken.END_OBJECT, "something follows the entries");
        }
    }

    private void entries(Field field) throws IOException {
        require(json.currentToken() == JsonToken.START_ARRAY, "%s is no array", field.name());
        String[] types = elementTypes(field.type());
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (types.length == 1) {
                load.entry(present(types[0]), null);
                continue;
            }
            require(json.currentToken() == JsonToken.START_ARRAY, "an entry is no pair");
            json.nextToken();
            Object key = present(types[0]);
            json.nextToken();
            load.entry(key, present(types[1]));
            require(json.nextToken() == JsonToken.END_ARRAY, "an entry is no pair");
        }
    }

    private static String[] elementTypes(String collection) {
        int begin = collection.indexOf('<');
        return begin < 0
                ? new String[] {"byte[]"} // of a blob
                : collection.substring(begin + 1, collection.length() - 1).split(", ");
    }

    private Object present(String type) throws IOException {
        Object value = values.read(type);
        require(value != null, "a collection has no null");
        return value;
    }
}
