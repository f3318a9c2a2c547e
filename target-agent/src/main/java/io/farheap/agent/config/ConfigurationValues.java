package io.farheap.agent.config;

import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.base.FarheapException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads typed values out of the text that a configuration file or the command line gave. */
public final class ConfigurationValues {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([KMGT]?)(?:iB|B)?");

    private static final String NONE = "none";

    private final Map<Key, String> values;
    private final Path home;

    ConfigurationValues(Map<Key, String> values, Path home) {
        this.values = values;
        this.home = home;
    }

    /** As files and options have it: in small letters, with hyphens. */
    public static String textOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The constant written as {@code text}, or null. */
    static <E extends Enum<E>> E constant(Class<E> type, String text) {
        for (E each : type.getEnumConstants()) {
            if (textOf(each).equals(text)) {
                return each;
            }
        }
        return null;
    }

    boolean yesNo(Key key, boolean preset) {
        String text = values.get(key);
        if (text == null) {
            return preset;
        }
        if (text.equals("yes") || text.equals("no")) {
            return text.equals("yes");
        }
        throw bad(key, text, "yes or no");
    }

    /** Whether the value is {@code yes} rather than {@code no}, two words; no is the default. */
    boolean flag(Key key, String no, String yes) {
        String text = values.getOrDefault(key, no);
        if (text.equals(no) || text.equals(yes)) {
            return text.equals(yes);
        }
        throw bad(key, text, no + " or " + yes);
    }

    /** An address of IPv4 in digits, never a name; null for the default's word. */
    InetAddress address(Key key, String preset) {
        String text = values.getOrDefault(key, preset);
        if (text.equals(preset)) {
            return null;
        }
        try {
            if (text.matches("\\d{1,3}(\\.\\d{1,3}){3}")) {
                return InetAddress.getByName(text);
            }
        } catch (UnknownHostException e) {
            throw FarheapException.wrongUse(
                    e, "The setting %s is no address: %s", key.text(), text);
        }
        throw bad(key, text, preset + " or an address such as 10.0.0.1");
    }

    <E extends Enum<E>> E oneOf(Key key, Class<E> type, E preset) {
        String text = values.get(key);
        if (text == null) {
            return preset;
        }
        E constant = constant(type, text);
        if (constant == null) {
            String all =
                    Arrays.stream(type.getEnumConstants())
                            .map(ConfigurationValues::textOf)
                            .collect(Collectors.joining(", "));
            throw bad(key, text, "one of " + all);
        }
        return constant;
    }

    Path path(Key key, Path preset) {
        String text = values.get(key);
        if (text == null) {
            return preset;
        }
        int at = text.indexOf("$HOME");
        String expanded =
                at < 0
                        ? text
                        : text.substring(0, at) + home + text.substring(at + "$HOME".length());
        try {
            if (!expanded.isEmpty()) {
                return Path.of(expanded).toAbsolutePath();
            }
        } catch (InvalidPathException e) {
            throw FarheapException.wrongUse(e, "The setting %s is no path: %s", key.text(), text);
        }
        throw bad(key, text, "a path");
    }

    /** Null for none, which is the default. */
    Path pathOrNone(Key key) {
        String text = values.getOrDefault(key, NONE);
        if (text.equals("-")) {
            throw bad(key, text, NONE + " or a path");
        }
        return text.equals(NONE) ? null : path(key, null);
    }

    /** Absolute paths with blanks in between; none is the default. */
    List<Path> paths(Key key, String none) {
        String text = values.getOrDefault(key, none);
        if (text.equals(none)) {
            return List.of();
        }
        List<Path> paths = new ArrayList<>();
        for (String word : text.strip().split("\\s+", -1)) {
            if (!word.startsWith("/") || word.indexOf('\0') >= 0) {
                throw bad(key, text, none + ", or absolute paths with blanks in between");
            }
            paths.add(Path.of(word));
        }
        return List.copyOf(paths);
    }

    /** One a line. */
    <T> List<T> lines(Key key, Function<String, T> parse) {
        return values.getOrDefault(key, "")
                .lines()
                .filter(line -> !line.isBlank() && !line.equals(NONE))
                .map(parse)
                .toList();
    }

    long size(Key key, long preset, long min, long max) {
        String text = values.get(key);
        if (text == null) {
            return preset;
        }
        Matcher m = SIZE.matcher(text);
        if (m.matches()) {
            int exponent = m.group(2).isEmpty() ? 0 : 1 + "KMGT".indexOf(m.group(2));
            long unit = 1L << 10 * exponent;
            long count = Long.parseLong(m.group(1));
            if (count <= max / unit && count * unit >= min) {
                return count * unit;
            }
        }
        throw bad(key, text, "a size from " + min + " to " + max + " bytes, such as 64M");
    }

    long number(Key key, long preset, long min, long max) {
        String text = values.get(key);
        if (text == null) {
            return preset;
        }
        if (text.matches("\\d{1,18}")) {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw bad(key, text, "a number from " + min + " to " + max);
    }

    private static FarheapException bad(Key key, String text, String expected) {
        return FarheapException.wrongUse(
                "The setting %s must be %s, not \"%s\".", key.text(), expected, text);
    }
}
