package io.farheap.agent;

import io.farheap.agent.AgentConfiguration.Key;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A file of {@code key = value} lines with {@code #} comments,
 * docs/settings.md#the-target-the-agents-configuration.
 */
final class ConfigurationFile {
    static final long MAX_BYTES = 1 << 20;

    private ConfigurationFile() {}

    /**
     * The settings of one file; every value was checked.
     *
     * @param required whether a missing file is an error
     */
    static Map<Key, String> read(Path file, boolean required, Path home) {
        String text;
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new FarheapException(
                        Category.BAD_DATA,
                        "The configuration file " + file + " is larger than 1 MiB: not read.");
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            if (required) {
                throw new FarheapException(
                        Category.ENVIRONMENT, "There is no configuration file " + file + ".", e);
            }
            return Map.of();
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "Cannot read the configuration file " + file + ": " + e.getMessage(),
                    e);
        }
        Map<Key, String> values = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            readLine(file, number, line, values, home);
        }
        return values;
    }

    private static void readLine(
            Path file, int number, String line, Map<Key, String> values, Path home) {
        int comment = line.indexOf('#');
        String content = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (content.isEmpty()) {
            return;
        }
        int equals = content.indexOf('=');
        Key key = equals < 0 ? null : Key.of(content.substring(0, equals).strip());
        if (key == null) {
            throw bad(file, number, line, null);
        }
        String value = content.substring(equals + 1).strip();
        try {
            AgentConfiguration unused = AgentConfiguration.of(Map.of(key, value), home);
        } catch (FarheapException e) {
            throw bad(file, number, line, e);
        }
        values.put(key, value);
    }

    private static FarheapException bad(Path file, int number, String line, FarheapException why) {
        return new FarheapException(
                Category.BAD_DATA,
                "Invalid config file line at "
                        + file
                        + ":"
                        + number
                        + ": "
                        + line.strip()
                        + (why == null ? "" : " (" + why.getMessage() + ")"),
                why);
    }
}
