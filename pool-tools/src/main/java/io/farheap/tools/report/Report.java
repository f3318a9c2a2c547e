package io.farheap.tools.report;

import java.io.PrintWriter;
import java.util.List;

/**
 * Where facts go, in the order in which they are found: titled groups of labelled values. The same
 * calls give {@link TextReport text} and {@link JsonReport JSON}.
 */
public interface Report extends AutoCloseable {
    /** One that writes what it is told at once, and leaves {@code out} open. */
    static Report to(PrintWriter out, boolean json) {
        return json ? new JsonReport(out) : new TextReport(out);
    }

    /** A group of facts, up to its {@link #end}. */
    void begin(String title);

    /** A group of {@link #item items}, up to its end. */
    void beginList(String title);

    /** One of a list; ends as a group does. */
    void item(String title);

    void end();

    /**
     * One fact.
     *
     * @param value a String, a number, a Boolean, or a List of Strings
     * @param text the same for people
     */
    void line(String label, Object value, String text);

    /** A fact that people have from a title or another fact already. */
    void hidden(String label, Object value);

    default void line(String label, Object value) {
        line(label, value, String.valueOf(value));
    }

    /** A number that is an address, or bits. */
    default void hex(String label, long value) {
        line(label, hex(value));
    }

    /** Lines that are laid out already. */
    void rows(String title, List<String> rows);

    @Override
    void close();

    static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }
}
