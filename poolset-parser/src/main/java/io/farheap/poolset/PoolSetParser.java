package io.farheap.poolset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads poolset files: the grammar, the messages and the order of checks of libpmemobj 1.12
 * (docs/format.md#grammar). Any input gives a {@link PoolSet} or a {@link PoolSetSyntaxException}.
 *
 * <p>What stands at a part's path is looked at (it may be a directory or a Device DAX); nothing is
 * opened or changed. Rules that depend on the use of the set are in {@link PoolSetRules}.
 */
public final class PoolSetParser {
    /** A poolset file above this is taken for something else. */
    static final int MAX_FILE_BYTES = 16 << 20;

    private static final byte[] SIGNATURE = PoolSet.SIGNATURE.getBytes(StandardCharsets.ISO_8859_1);

    private PoolSetParser() {}

    /**
     * Whether the first 11 bytes of {@code file} say that it is a poolset file. One that an editor
     * put a byte order mark before is taken for one with this mistake, not for something else.
     */
    public static boolean isPoolSet(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(SIGNATURE.length);
            return Arrays.equals(start, SIGNATURE)
                    || new String(start, StandardCharsets.ISO_8859_1)
                            .startsWith(LineParser.BYTE_ORDER_MARK + "PMEM");
        }
    }

    /**
     * Parses {@code file}.
     *
     * @throws IOException when it cannot be read
     */
    public static PoolSet parse(Path file) throws IOException {
        byte[] content;
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(SIGNATURE.length);
            if (!Arrays.equals(start, SIGNATURE)) {
                return parse(file.toString(), start);
            }
            byte[] rest = in.readNBytes(MAX_FILE_BYTES - start.length + 1);
            content = Arrays.copyOf(start, start.length + rest.length);
            System.arraycopy(rest, 0, content, start.length, rest.length);
        }
        return parse(file.toString(), content);
    }

    /** Parses {@code content}; {@code file} is for messages. */
    public static PoolSet parse(String file, String content) {
        return parse(file, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Parses the bytes of a poolset file; {@code file} is for messages. */
    public static PoolSet parse(String file, byte[] content) {
        return parse(file, content, new PartProbe());
    }

    static PoolSet parse(String file, byte[] content, PartProbe probe) {
        if (content.length > MAX_FILE_BYTES) {
            throw new PoolSetSyntaxException(
                    file, 1, 1, "the file is too large", "at most " + MAX_FILE_BYTES + " bytes");
        }
        LineParser parser = new LineParser(file, probe);
        String text = new String(content, StandardCharsets.ISO_8859_1);
        for (int start = 0; start < text.length() || start == 0; ) {
            int lf = text.indexOf('\n', start);
            int next = lf < 0 ? Math.max(text.length(), 1) : lf + 1;
            int end =
                    lf < 0
                            ? text.length()
                            : lf > start && text.charAt(lf - 1) == '\r' ? lf - 1 : lf;
            parser.accept(
                    text.substring(start, end), text.substring(end, Math.min(next, text.length())));
            start = next;
        }
        return new PoolSet(file, parser.finish());
    }
}
