package io.farheap.poolset;

import io.farheap.poolset.PoolSet.Option;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The state of one parse: takes the lines in order, then says what is wrong with the whole. */
final class LineParser {
    /** Of UTF-8; its bytes as they are read here. */
    static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

    private static final String OPTION = "OPTION";
    private static final String REPLICA = "REPLICA";
    private static final String OPTION_NAMES =
            "one or more of " + Arrays.toString(Option.values()) + " separated by blanks";
    private static final long DAX_PAGE_BYTES = 4096;

    private final String file;
    private final PartProbe probe;
    private final List<Line> lines = new ArrayList<>();
    private final Set<Path> directories = new HashSet<>();
    private int line;
    private boolean remote;
    private boolean singleHeader;
    private int replicas = 1;
    private int partsOfReplica;
    private int partsOfSet;
    private long bytesOfReplica;
    private Part.Kind firstKindOfSet;
    private Part.Kind firstKindOfReplica;
    private int coarseDaxLine;

    LineParser(String file, PartProbe probe) {
        this.file = file;
        this.probe = probe;
    }

    /** Takes the next line. */
    void accept(String text, String end) {
        line++;
        lines.add(new Line(text, end, line == 1 ? signature(text) : content(text)));
    }

    /** The lines, when the set is complete. */
    List<Line> finish() {
        line++;
        if (line == 1) {
            signature("");
        }
        closeReplica();
        // More than one header would lie at an address that a coarser mapping cannot start at.
        if (coarseDaxLine > 0 && !singleHeader && partsOfSet > 1) {
            line = coarseDaxLine;
            throw error(
                    1,
                    "Multiple DAX devices with alignment other than 4KB. Use the SINGLEHDR poolset"
                            + " option.",
                    "OPTION SINGLEHDR");
        }
        return lines;
    }

    private Line.Content signature(String text) {
        if (text.startsWith(BYTE_ORDER_MARK)) {
            throw error(1, "the file begins with a byte order mark", "UTF-8 without one");
        }
        if (!text.equals(PoolSet.SIGNATURE)) {
            throw error(
                    1,
                    "the first line must be exactly 'PMEMPOOLSET'",
                    "these 11 letters and nothing after them");
        }
        return null;
    }

    private Line.Content content(String text) {
        if (text.isEmpty() || text.charAt(0) == '#') {
            return null;
        }
        int comment = text.indexOf('#');
        String code = comment < 0 ? text : text.substring(0, comment);
        if (code.startsWith(OPTION)) {
            return options(code);
        }
        return code.startsWith(REPLICA) ? replica(code) : part(code);
    }

    private Line.Options options(String code) {
        List<Option> names = new ArrayList<>();
        for (Token token : tokens(code, OPTION.length())) {
            names.add(option(token));
        }
        if (names.isEmpty()) {
            throw error(code.length() + 1, "missing option name", OPTION_NAMES);
        }
        return new Line.Options(names);
    }

    private Option option(Token token) {
        for (Option option : Option.values()) {
            if (option.name().equals(token.text)) {
                singleHeader |= option == Option.SINGLEHDR;
                return option;
            }
        }
        throw error(token.column, "unknown option '" + utf8(token) + "'", OPTION_NAMES);
    }

    private Line.Content replica(String code) {
        if (code.length() > REPLICA.length() && !isBlank(code.charAt(REPLICA.length()))) {
            throw error(
                    REPLICA.length() + 1,
                    "exactly 'REPLICA' expected",
                    "REPLICA alone, or followed by a blank, [user@]host[:port] and a poolset path");
        }
        closeReplica();
        replicas++;
        partsOfReplica = 0;
        bytesOfReplica = 0;
        firstKindOfReplica = null;
        remote = code.length() > REPLICA.length();
        return remote ? remoteReplica(code) : new Line.ReplicaStart();
    }

    private Line.Remote remoteReplica(String code) {
        List<Token> tokens = tokens(code, REPLICA.length());
        if (tokens.size() < 2) {
            throw error(
                    code.length() + 1,
                    "address of remote node and descriptor of remote pool set expected",
                    "REPLICA [user@]host[:port] path-of-poolset-on-that-host");
        }
        if (tokens.size() > 2) {
            throw invalidToken(tokens.get(2).column, "nothing after the descriptor");
        }
        Token descriptor = tokens.get(1);
        if (descriptor.text.startsWith("/")) {
            throw error(
                    descriptor.column,
                    "incorrect descriptor (must be a relative path)",
                    "a path relative to the poolset directory of that host");
        }
        Token node = tokens.get(0);
        RemoteReplica replica = NodeAddress.parse(utf8(node), utf8(descriptor));
        if (replica == null) {
            throw error(
                    node.column,
                    "incorrect address of remote node '" + utf8(node) + "'",
                    NodeAddress.EXPECTED);
        }
        return new Line.Remote(replica);
    }

    private void closeReplica() {
        if (partsOfReplica > 0 || remote) {
            return;
        }
        if (replicas == 1) {
            throw error(1, "no pool set parts", "at least one line 'SIZE PATH' for the master");
        }
        throw error(1, "no replica parts", "at least one line 'SIZE PATH' after REPLICA");
    }

    private Line.PartLine part(String code) {
        List<Token> tokens = tokens(code, 0);
        if (tokens.size() != 2) {
            int column = tokens.size() > 2 ? tokens.get(2).column : code.length() + 1;
            throw invalidToken(column, "SIZE PATH");
        }
        Token size = tokens.get(0);
        boolean auto = size.text.equals("AUTO");
        long bytes = auto ? 0 : PartSize.parse(size.text);
        if (bytes < 0) {
            throw error(
                    size.column,
                    "incorrect format of size '" + utf8(size) + "'",
                    "a positive number with one of the units B K M G T P KiB MiB GiB TiB PiB kB MB"
                            + " GB TB PB or none, or AUTO");
        }
        Part part = part(path(tokens.get(1)), bytes, auto, size.column, tokens.get(1).column);
        partsOfReplica++;
        partsOfSet++;
        return new Line.PartLine(part);
    }

    private Part part(Path path, long bytes, boolean auto, int sizeColumn, int pathColumn) {
        if (remote) {
            throw error(1, "unexpected parts for remote replica", "a REPLICA line before them");
        }
        Part.Kind kind;
        long size = bytes;
        try {
            kind = probe.kindOf(path);
            if (auto && kind == Part.Kind.DEVICE_DAX) {
                size = probe.size(path);
            }
            checkKind(path, kind, pathColumn);
        } catch (IOException e) {
            throw cannotLookAt(path, pathColumn, e);
        }
        if (auto && (kind != Part.Kind.DEVICE_DAX || size <= 0)) {
            throw error(
                    sizeColumn,
                    "cannot determine size of a part",
                    "a number, since " + path + " is no Device DAX that tells its size");
        }
        if (Long.MAX_VALUE - bytesOfReplica < size) {
            throw error(
                    sizeColumn, "incorrect format of size", "a replica below 2^63 bytes in all");
        }
        bytesOfReplica += size;
        return new Part(path, size, auto, kind);
    }

    private Path path(Token token) {
        try {
            Path path = Path.of(utf8(token));
            if (!path.isAbsolute()) {
                throw error(
                        token.column,
                        "incorrect path (must be an absolute one) '" + utf8(token) + "'",
                        File.separatorChar == '/'
                                ? "a path that starts with /"
                                : "a path that starts with a drive, such as C:/");
            }
            return path;
        } catch (InvalidPathException e) {
            throw error(
                    token.column,
                    "incorrect path (" + e.getReason() + ")",
                    "a path that this process's locale can express");
        }
    }

    /** Directories and files do not mix in a set, devices and files not in a replica. */
    private void checkKind(Path path, Part.Kind kind, int column) throws IOException {
        if (firstKindOfSet == null) {
            firstKindOfSet = kind;
        }
        if (firstKindOfReplica == null) {
            firstKindOfReplica = kind;
        }
        boolean directory = kind == Part.Kind.DIRECTORY;
        if (directory != (firstKindOfSet == Part.Kind.DIRECTORY)) {
            throw error(
                    column,
                    path
                            + (directory ? " is a directory" : " is no directory")
                            + ", and the parts before it are"
                            + (directory ? " files" : " directories")
                            + ": cannot mix directories and files in a set",
                    directory ? "a file, as the part before" : "a directory, as the part before");
        }
        if (directory && !directories.add(probe.realPath(path))) {
            throw error(column, "cannot use the same directory twice", "another directory");
        }
        if ((kind == Part.Kind.DEVICE_DAX) != (firstKindOfReplica == Part.Kind.DEVICE_DAX)) {
            throw error(
                    column,
                    "either all the parts must be Device DAX or none",
                    "the same kind as the first part of this replica");
        }
        if (kind == Part.Kind.DEVICE_DAX && probe.alignment(path) != DAX_PAGE_BYTES) {
            coarseDaxLine = line;
        }
    }

    private PoolSetSyntaxException cannotLookAt(Path path, int column, IOException cause) {
        PoolSetSyntaxException e =
                error(column, "cannot examine " + path + " (" + cause + ")", "a readable part");
        e.initCause(cause);
        return e;
    }

    private PoolSetSyntaxException invalidToken(int column, String expected) {
        return error(column, "invalid token found in the current line", expected);
    }

    private PoolSetSyntaxException error(int column, String problem, String expected) {
        return new PoolSetSyntaxException(file, line, column, problem, expected);
    }

    /** The token's bytes as UTF-8, the encoding of paths and host names here. */
    private String utf8(Token token) {
        byte[] bytes = token.text.getBytes(StandardCharsets.ISO_8859_1);
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.indexOf('\0') < 0) {
                return text;
            }
        } catch (CharacterCodingException e) {
            PoolSetSyntaxException error = notText(token);
            error.initCause(e);
            throw error;
        }
        throw notText(token);
    }

    private PoolSetSyntaxException notText(Token token) {
        return invalidToken(token.column, "text in UTF-8 without NUL bytes");
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static List<Token> tokens(String code, int from) {
        List<Token> tokens = new ArrayList<>();
        int i = from;
        while (i < code.length()) {
            int start = i;
            while (i < code.length() && !isBlank(code.charAt(i))) {
                i++;
            }
            if (i > start) {
                tokens.add(new Token(code.substring(start, i), start + 1));
            }
            i++;
        }
        return tokens;
    }

    /** Bytes between blanks and the column of the first. */
    private record Token(String text, int column) {}
}
