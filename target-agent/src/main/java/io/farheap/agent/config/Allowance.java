package io.farheap.agent.config;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.Request;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.PatternSyntaxException;

/**
 * A line {@code allow = WHO POOLSET... [read|write|administer]} of the configuration.
 *
 * @param who a name that a certificate has ({@code CertificateNames})
 * @param poolsets patterns of poolset names, {@code *} for any but a slash
 * @param right the most that it may do with them
 */
public record Allowance(String who, List<String> poolsets, Right right) {

    /** Each includes those before it. */
    public enum Right {
        /** To see what a replica is. */
        READ,
        /** To keep a replica, or remote memory, and to compare it. */
        WRITE,
        /** To overwrite, promote and remove one, and to end the right of whoever has it. */
        ADMINISTER;

        /** What a hello asks for. */
        public static Right of(Request.Hello hello) {
            if (hello.takeOver() || hello.overwrite()) {
                return ADMINISTER;
            }
            return switch (hello.purpose()) {
                case INSPECT -> READ;
                case ATTACH, RESUME, RETURN, VERIFY, CREATE_MEMORY, OPEN_MEMORY -> WRITE;
                case RESTORE, REMOVE -> ADMINISTER;
            };
        }

        /** As a configuration file has it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Keeps a copy of the patterns. */
    public Allowance {
        poolsets = List.copyOf(poolsets);
    }

    /**
     * Reads one line's value. A name with blanks stands in quotation marks.
     *
     * @throws FarheapException category WRONG_USE saying what it should be
     */
    static Allowance parse(String text) {
        String rest = text.strip();
        String who;
        int end = rest.startsWith("\"") ? rest.indexOf('"', 1) : rest.indexOf(' ');
        if (end < 0) {
            throw wrong(text);
        }
        who = rest.startsWith("\"") ? rest.substring(1, end) : rest.substring(0, end);
        if (!who.matches("(CN=|DNS:|URI:).+")) {
            throw wrong(text);
        }
        Right right = Right.WRITE;
        List<String> poolsets = new ArrayList<>();
        for (String word : rest.substring(end + 1).strip().split("\\s+", -1)) {
            Right named = ConfigurationValues.constant(Right.class, word);
            if (named != null) {
                right = named;
            } else if (!word.isEmpty()) {
                poolsets.add(word);
                requirePattern(word, text);
            }
        }
        if (poolsets.isEmpty()) {
            throw wrong(text);
        }
        return new Allowance(who, poolsets, right);
    }

    private static void requirePattern(String pattern, String text) {
        try {
            PathMatcher unused = matcher(pattern);
        } catch (PatternSyntaxException e) {
            throw FarheapException.wrongUse(
                    e, "In allow = %s, \"%s\" is no pattern of names.", text, pattern);
        }
    }

    private static PathMatcher matcher(String pattern) {
        return FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    }

    private static FarheapException wrong(String text) {
        return FarheapException.wrongUse(
                "The setting allow must be a name of a certificate (CN=, DNS:, URI:), poolset"
                        + " names, and read, write or administer, such as CN=app-bank bank*.set"
                        + " write; not \"%s\".",
                text);
    }

    /** Whether this lets one of these names do that with the poolset. */
    public boolean lets(List<String> names, Right wanted, String poolset) {
        if (right.compareTo(wanted) < 0 || !names.contains(who)) {
            return false;
        }
        try {
            Path path = Path.of(poolset);
            for (Path part : path) {
                // A link in front of it might lead to another file than the name seems to be.
                if (part.toString().equals("..")) {
                    return false;
                }
            }
            return poolsets.stream().anyMatch(each -> matcher(each).matches(path.normalize()));
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
