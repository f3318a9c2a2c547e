package io.farheap.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Pools that libpmemobj 1.12.1 made, with the facts it tells of them (README.md beside them says
 * what each is). One object is one pool, unpacked into a directory.
 */
public record GoldenVectors(String name, Path pool, List<Path> parts, JsonNode facts) {
    private static final Path DIRECTORY = directory();

    /** Other modules' tests run in their own directory, beside this one. */
    private static Path directory() {
        Path here = Path.of("src/test/resources/vectors");
        return Files.isDirectory(here) ? here : Path.of("../objstore").resolve(here);
    }

    /** The names of all vectors. */
    public static List<String> names() {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .map(name -> name.substring(0, name.length() - ".json".length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unpacks the files of one vector; a poolset names them where they are. */
    public static GoldenVectors unpack(String name, Path target) {
        try {
            JsonNode facts =
                    new ObjectMapper().readTree(DIRECTORY.resolve(name + ".json").toFile());
            List<Path> parts =
                    facts.get("files")
                            .valueStream()
                            .map(file -> unpackFile(file.get("file").asText(), target))
                            .toList();
            String set = facts.path("poolset").asText("");
            Path pool = set.endsWith(".in") ? unpackSet(set, target) : parts.get(0);
            return new GoldenVectors(name, pool, parts, facts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path unpackFile(String name, Path target) {
        Path file = target.resolve(name);
        try (InputStream in =
                        new GZIPInputStream(Files.newInputStream(DIRECTORY.resolve(name + ".gz")));
                OutputStream out = Files.newOutputStream(file)) {
            in.transferTo(out);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path unpackSet(String name, Path target) throws IOException {
        String text = Files.readString(DIRECTORY.resolve(name));
        Path file = target.resolve(name.replace(".set.in", ".set"));
        return Files.writeString(file, text.replace("@DIR@", target.toAbsolutePath().toString()));
    }
}
