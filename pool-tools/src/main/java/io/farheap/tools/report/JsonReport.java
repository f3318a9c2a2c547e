package io.farheap.tools.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * One JSON object, written as facts come: a pool may have more objects than fit into memory. Names
 * are the labels in camel case.
 */
final class JsonReport implements Report {
    private final JsonGenerator json;

    /** What each open group is: an object or an array. */
    private final Deque<Boolean> objects = new ArrayDeque<>();

    JsonReport(PrintWriter out) {
        try {
            json =
                    JsonMapper.builder()
                            .configure(JsonWriteFeature.ESCAPE_NON_ASCII, false)
                            .build()
                            .createGenerator(out)
                            .useDefaultPrettyPrinter()
                            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.writeStartObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

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

    @Override
    public void begin(String title) {
        objects.push(true);
        write(() -> json.writeObjectFieldStart(name(title)));
    }

    @Override
    public void beginList(String title) {
        objects.push(false);
        write(() -> json.writeArrayFieldStart(name(title)));
    }

    @Override
    public void item(String title) {
        objects.push(true);
        write(json::writeStartObject);
    }

    @Override
    public void end() {
        if (objects.pop()) {
            write(json::writeEndObject);
        } else {
            write(json::writeEndArray);
        }
    }

    @Override
    public void line(String label, Object value, String text) {
        write(() -> json.writePOJOField(name(label), value));
    }

    @Override
    public void hidden(String label, Object value) {
        line(label, value);
    }

    @Override
    public void rows(String title, List<String> rows) {
        line(title, rows);
    }

    @Override
    public void close() {
        write(
                () -> {
                    json.writeEndObject();
                    json.writeRaw('\n');
                    json.close();
                });
    }

    /** {@code Pool set UUID} is {@code poolSetUuid}. */
    static String name(String label) {
        StringBuilder name = new StringBuilder();
        for (String word : label.split("[^A-Za-z0-9]+")) {
            if (!word.isEmpty()) {
                String lower = word.toLowerCase(Locale.ROOT);
                name.append(
                        name.isEmpty()
                                ? lower
                                : Character.toUpperCase(lower.charAt(0)) + lower.substring(1));
            }
        }
        return name.toString();
    }
}
