package io.farheap.agent.config;

import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.base.FarheapException;
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
                throw FarheapException.badData(
                        "The configuration file %s is larger than 1 MiB: not read.", file);
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            if (required) {
                throw FarheapException.environment(e, "There is no configuration file %s.", file);
            }
            return Map.of();
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "Cannot read the configuration file %s: %s", file, e.getMessage());
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
        String all = values.containsKey(key) ? key.joined(values.get(key), value) : value;
        values.put(key, all);
    }

    private static FarheapException bad(Path file, int number, String line, FarheapException why) {
        return FarheapException.badData(
                why,
                "Invalid config file line at %s:%s: %s%s",
                file,
                number,
                line.strip(),
                why == null ? "" : " (" + why.getMessage() + ")");
    }
}
