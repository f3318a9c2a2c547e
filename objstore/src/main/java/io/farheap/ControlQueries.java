package io.farheap;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.StringTokenizer;

/**
 * Control queries as text, with libpmemobj's grammar (docs/libpmemobj.md#controls): {@code
 * name=value}, separated by semicolons. In a file, blanks and line ends mean nothing, and a number
 * sign begins a comment; in a variable every character counts.
 */
final class ControlQueries {
    private static final String VARIABLE = "PMEMOBJ_CONF";
    private static final String FILE_VARIABLE = "PMEMOBJ_CONF_FILE";
    private static final long LARGEST_FILE = 1 << 20;

    private ControlQueries() {}

    /**
     * The options changed by what {@code PMEMOBJ_CONF} says, then by the file that {@code
     * PMEMOBJ_CONF_FILE} names.
     *
     * @throws FarheapException WRONG_USE naming variable or file and the query that is not possible
     */
    static PoolOptions ofEnvironment(PoolOptions options, Map<String, String> environment) {
        PoolOptions changed = options;
        String queries = environment.get(VARIABLE);
        if (queries != null) {
            changed = apply(changed, queries, VARIABLE);
        }
        String file = environment.get(FILE_VARIABLE);
        if (file != null) {
            changed = apply(changed, withoutComments(read(file)), FILE_VARIABLE + " " + file);
        }
        return changed;
    }

    /** The options changed by some queries. */
    static PoolOptions apply(PoolOptions options, String queries) {
        return apply(options, queries, "the queries");
    }

    private static PoolOptions apply(PoolOptions options, String queries, String source) {
        PoolOptions changed = options;
        StringTokenizer each = new StringTokenizer(queries, ";");
        while (each.hasMoreTokens()) {
            String query = each.nextToken();
            try {
                changed = one(changed, query);
            } catch (FarheapException | IllegalArgumentException e) {
                throw FarheapException.wrongUse(
                        e,
                        "%s: the query \"%s\" is not possible: %s",
                        source,
                        query,
                        e.getMessage());
            }
        }
        return changed;
    }

    /** Several equal signs count as one, as in C; a value has none. */
    private static PoolOptions one(PoolOptions options, String query) {
        StringTokenizer sides = new StringTokenizer(query, "=");
        if (sides.countTokens() != 2) {
            throw new IllegalArgumentException("it must read name=value");
        }
        PoolOptionsBuilder changed = options.toBuilder();
        ControlName.set(changed, sides.nextToken(), sides.nextToken());
        return changed.build();
    }

    private static String read(String file) {
        Path path = Path.of(file);
        try {
            if (Files.size(path) > LARGEST_FILE) {
                throw FarheapException.wrongUse(
                        "%s %s has more than %s bytes", FILE_VARIABLE, file, LARGEST_FILE);
            }
            return Files.readString(path, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw FarheapException.wrongUse(
                    e, "%s names %s, which can't be read: %s", FILE_VARIABLE, file, e);
        }
    }

    private static String withoutComments(String text) {
        StringBuilder queries = new StringBuilder();
        boolean comment = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            comment = c == '#' || comment && c != '\n';
            boolean blank = c == ' ' || c >= '\t' && c <= '\r';
            if (!comment && !blank) {
                queries.append(c);
            }
        }
        return queries.toString();
    }
}
