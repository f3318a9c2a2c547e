package io.farheap.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Where a key lies. Its parts between slashes are directories, nodes that have children and no
 * value; the last part's node has the value and no children, and a name that begins with {@code =}:
 * so {@code a} and {@code a/b} may both be keys, and {@code a/b} be announced. What ZooKeeper
 * allows in no name, and {@code % = ~}, is written as the {@code %XX} of its UTF-8 bytes; a part
 * that is empty is {@code %}.
 */
final class NodePaths {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final String NO_NAME = "%";
    private static final char VALUE = '=';

    private final String base;

    /**
     * @param base all lies below it; empty: the root
     */
    NodePaths(String base) {
        this.base = base;
    }

    String of(String key) {
        int slash = key.lastIndexOf('/');
        return directory(key.substring(0, slash + 1)) + "/" + VALUE + encode(key, slash + 1);
    }

    /** The directory that all keys with this prefix lie in or below. */
    String directoryOf(String prefix) {
        String path = directory(prefix.substring(0, prefix.lastIndexOf('/') + 1));
        return path.isEmpty() ? "/" : path;
    }

    /**
     * @param parts each with a slash behind it
     */
    private String directory(String parts) {
        StringBuilder path = new StringBuilder(base);
        int from = 0;
        for (int slash = parts.indexOf('/'); slash >= 0; slash = parts.indexOf('/', from)) {
            path.append('/').append(name(parts.substring(from, slash)));
            from = slash + 1;
        }
        return path.toString();
    }

    private static String name(String part) {
        return part.isEmpty() ? NO_NAME : encode(part, 0);
    }

    /** Whether a name is a value's, and no directory's. */
    static boolean isValue(String name) {
        return name.charAt(0) == VALUE;
    }

    /** Whether it is a directory of keys, and no node of Farheap's own or of ZooKeeper. */
    static boolean isDirectory(String name) {
        return !isValue(name) && name.charAt(0) != StoreIdentity.MARK && !name.equals("zookeeper");
    }

    /** The part of a key that a name stands for. */
    static String part(String name) {
        if (name.equals(NO_NAME)) {
            return "";
        }
        byte[] bytes = name.substring(isValue(name) ? 1 : 0).getBytes(StandardCharsets.UTF_8);
        byte[] decoded = new byte[bytes.length];
        int length = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (isEscape(bytes, i)) {
                decoded[length++] =
                        (byte)
                                (HexFormat.fromHexDigit(bytes[i + 1]) << 4
                                        | HexFormat.fromHexDigit(bytes[i + 2]));
                i += 2;
            } else {
                decoded[length++] = bytes[i];
            }
        }
        return new String(decoded, 0, length, StandardCharsets.UTF_8);
    }

    /** Names that others have made may have anything. */
    private static boolean isEscape(byte[] name, int at) {
        return name[at] == '%'
                && at + 2 < name.length
                && HexFormat.isHexDigit(name[at + 1])
                && HexFormat.isHexDigit(name[at + 2]);
    }

    private static String encode(String key, int from) {
        StringBuilder name = new StringBuilder();
        String part = key.substring(from);
        boolean reserved = part.equals(".") || part.equals("..") || part.equals("zookeeper");
        part.codePoints()
                .forEach(
                        c -> {
                            if (isPlain(c) && !(reserved && name.isEmpty())) {
                                name.appendCodePoint(c);
                            } else {
                                escape(name, c);
                            }
                        });
        return name.toString();
    }

    private static boolean isPlain(int c) {
        return Character.isLetterOrDigit(c) && c < 0xD800
                || c > ' ' && c < 0x7F && c != '%' && c != VALUE && c != StoreIdentity.MARK;
    }

    private static void escape(StringBuilder name, int c) {
        for (byte one : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
            name.append('%').append(HEX.toHexDigits(one));
        }
    }
}
