package io.farheap.it.vectors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** One golden pool, made by libpmemobj 1.12.1, with the facts it must give. */
record Vector(String name, JsonNode facts) {
    private static final Path DIRECTORY = Path.of("../objstore/src/test/resources/vectors");

    static List<Vector> all() {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .map(Vector::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Vector read(Path json) {
        try {
            JsonNode facts = new ObjectMapper().readTree(json.toFile());
            return new Vector(facts.get("name").asText(), facts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isPoolSet() {
        return !facts.get("poolset").isNull();
    }

    /** Unpacks the files and returns what to open: the poolset file or the single pool file. */
    Path unpack(Path directory) throws IOException {
        for (JsonNode file : facts.get("files")) {
            String fileName = file.get("file").asText();
            try (InputStream packed = Files.newInputStream(DIRECTORY.resolve(fileName + ".gz"));
                    InputStream bytes = new GZIPInputStream(packed)) {
                Files.copy(bytes, directory.resolve(fileName));
            }
        }
        if (!isPoolSet()) {
            return directory.resolve(facts.get("files").get(0).get("file").asText());
        }
        String template = Files.readString(DIRECTORY.resolve(facts.get("poolset").asText()));
        Path set = directory.resolve(name + ".set");
        return Files.writeString(set, template.replace("@DIR@", directory.toString()));
    }

    @Override
    public String toString() {
        return name;
    }
}
