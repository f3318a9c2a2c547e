package io.farheap.tools.objects;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.farheap.objects.dump.HeapDump;
import io.farheap.objects.dump.ObjectSink;
import io.farheap.objects.dump.StoredReference;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeDescriptor.Field;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;

/**
 * Writes a heap as lines of JSON (docs/format.md#dumps). What is not ASCII is escaped, so the lines
 * are the same whatever the character set of the output.
 */
final class DumpWriter implements ObjectSink, AutoCloseable {
    private static final int OBJECTS_BETWEEN_LOOKS = 1000;

    private final PrintWriter out;
    private final JsonGenerator json;
    private String collection;
    private boolean hasOrder;
    private boolean arePairs;
    private int objects;

    DumpWriter(PrintWriter out) {
        this.out = out;
        JsonFactory factory =
                JsonFactory.builder()
                        .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                        .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                        .build();
        try {
            this.json = factory.createGenerator(out);
            json.setRootValueSeparator(new SerializedString(""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Something that writes JSON. */
    private interface Writing {
        void run() throws IOException;
    }

    private static void write(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- what is before the objects ----

    void head(HeapDump dump) {
        write(
                () -> {
                    json.writeStartObject();
                    json.writeStringField("farheap", DumpReader.WHAT);
                    json.writeNumberField("format", DumpReader.FORMAT);
                    json.writeNumberField("types", dump.table().size());
                    json.writeNumberField("deleted", dump.deleted());
                    json.writeNumberField("root", dump.root());
                    endLine();
                    for (TypeDescriptor type : dump.table()) {
                        type(type, dump.count(type));
                    }
                });
    }

    private void endLine() throws IOException {
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void type(TypeDescriptor type, long count) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", type.versionedName());
        json.writeStringField("kind", type.kind().name().toLowerCase(Locale.ROOT));
        json.writeStringField("java", type.javaName());
        json.writeArrayFieldStart("super");
        for (String name : type.superTypes()) {
            json.writeString(name);
        }
        json.writeEndArray();
        json.writeNumberField("size", type.size());
        json.writeNumberField("alignment", type.alignment());
        json.writeNumberField("objects", count);
        json.writeArrayFieldStart("fields");
        for (Field field : type.fields()) {
            json.writeStartObject();
            json.writeStringField("name", field.name());
            json.writeStringField("type", field.type());
            json.writeNumberField("offset", field.offset());
            json.writeNumberField("size", field.size());
            json.writeNumberField("null bit", field.nullBit());
            json.writeBooleanField("required", field.isRequired());
            json.writeEndObject();
        }
        json.writeEndArray();
        endLine();
    }

    // ---- objects ----

    /**
     * @return false where nobody reads what is written any more
     */
    boolean objects(HeapDump dump, TypeDescriptor type) {
        try {
            dump.each(type, this);
            return !out.checkError();
        } catch (NobodyReads e) {
            return false;
        }
    }

    /** Ends the walk through a heap whose lines go nowhere. */
    private static final class NobodyReads extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NobodyReads() {
            super(null, null, false, false);
        }
    }

    @Override
    public void begin(long id, TypeDescriptor type) {
        if (++objects % OBJECTS_BETWEEN_LOOKS == 0 && out.checkError()) {
            throw new NobodyReads();
        }
        write(
                () -> {
                    json.writeStartObject();
                    json.writeNumberField("id", id);
                    json.writeStringField("type", type.versionedName());
                    json.writeObjectFieldStart("fields");
                });
    }

    @Override
    public void value(Field field, Object value) {
        write(
                () -> {
                    json.writeFieldName(field.name());
                    value(value);
                });
    }

    @Override
    public void beginCollection(Field field, String order) {
        collection = field.type();
        hasOrder = order != null;
        arePairs = DumpReader.hasPairs(collection);
        write(
                () -> {
                    json.writeFieldName(field.name());
                    if (hasOrder) {
                        json.writeStartObject();
                        json.writeStringField("order", order);
                        json.writeFieldName("entries");
                    }
                    if (!collection.equals(DumpReader.COUNTER)) {
                        json.writeStartArray();
                    }
                });
    }

    @Override
    public void entry(Object key, Object value) {
        write(
                () -> {
                    if (arePairs) {
                        json.writeStartArray();
                        value(key);
                        value(value);
                        json.writeEndArray();
                    } else {
                        value(key);
                    }
                });
    }

    @Override
    public void endCollection() {
        write(
                () -> {
                    if (!collection.equals(DumpReader.COUNTER)) {
                        json.writeEndArray();
                    }
                    if (hasOrder) {
                        json.writeEndObject();
                    }
                });
    }

    @Override
    public void end() {
        write(
                () -> {
                    json.writeEndObject();
                    endLine();
                });
    }

    private void value(Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean) {
            json.writeBoolean((Boolean) value);
        } else if (value instanceof Float) {
            json.writeNumber((Float) value);
        } else if (value instanceof Double) {
            json.writeNumber((Double) value);
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof StoredReference) {
            json.writeNumber(((StoredReference) value).id());
        } else if (value instanceof byte[]) {
            json.writeBinary((byte[]) value);
        } else if (value instanceof Object[]) {
            json.writeStartArray();
            for (Object element : (Object[]) value) {
                value(element);
            }
            json.writeEndArray();
        } else if (value instanceof Map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> component : ((Map<?, ?>) value).entrySet()) {
                json.writeFieldName((String) component.getKey());
                value(component.getValue());
            }
            json.writeEndObject();
        } else {
            json.writeString(value.toString());
        }
    }

    /** The output stays open. */
    @Override
    public void close() {
        write(json::close);
        out.flush();
    }
}
