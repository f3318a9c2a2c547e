package io.farheap.tools.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The demo's data set, which is real: Unicode characters with their names, from the Unicode
 * Character Database as the JDK has it. It comes in columns of the code charts, up to 16 characters
 * each.
 */
final class UnicodeCharacters {
    static final String SOURCE = "the Unicode Character Database 16.0";

    private static final String RESOURCE = "/io/farheap/tools/unicode-characters.tsv";
    private static final int HEX = 16;

    /**
     * One character.
     *
     * @param codePoint its number
     * @param block the block it belongs to
     * @param name its name
     */
    record Entry(int codePoint, String block, String name) {}

    private UnicodeCharacters() {}

    /** All columns, in the order of code points. */
    static List<List<Entry>> columns() {
        List<List<Entry>> columns = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                UnicodeCharacters.class.getResourceAsStream(RESOURCE),
                                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    columns.add(column(line.split("\t")));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return columns;
    }

    private static List<Entry> column(String[] fields) {
        List<Entry> column = new ArrayList<>();
        for (int i = 1; i < fields.length; i++) {
            int blank = fields[i].indexOf(' ');
            int codePoint = Integer.parseInt(fields[i].substring(0, blank), HEX);
            column.add(new Entry(codePoint, fields[0], fields[i].substring(blank + 1)));
        }
        return column;
    }
}
