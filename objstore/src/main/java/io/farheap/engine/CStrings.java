package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Strings as C programs on Linux find them in objects. */
public final class CStrings {
    private static final Charset UTF_32LE = Charset.forName("UTF-32LE");

    private CStrings() {}

    /** A char string: UTF-8 and a zero byte. */
    public static byte[] narrow(String text) {
        return terminated(text, StandardCharsets.UTF_8, 1);
    }

    /** A wchar_t string: 4 bytes for each code point, little-endian, and a zero. */
    public static byte[] wide(String text) {
        return terminated(text, UTF_32LE, Integer.BYTES);
    }

    private static byte[] terminated(String text, Charset charset, int zeroes) {
        if (text == null) {
            throw FarheapException.wrongUse(
                    "The string to duplicate is null; \"\" is the empty one.");
        }
        if (text.indexOf('\0') >= 0) {
            throw FarheapException.wrongUse(
                    "The string to duplicate has a zero character at index %s, which would"
                            + " end it for every reader; write it as bytes with their number.",
                    text.indexOf('\0'));
        }
        byte[] bytes = text.getBytes(charset);
        return Arrays.copyOf(bytes, bytes.length + zeroes);
    }
}
