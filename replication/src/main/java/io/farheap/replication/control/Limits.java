package io.farheap.replication.control;

import java.util.List;

/** The bounds of the control protocol: both sides refuse what exceeds them. */
public final class Limits {
    /** One message, its line feed included. */
    public static final int MAX_LINE_BYTES = 1 << 20;

    /** Ranges in one page of a footprint. */
    public static final int MAX_RANGES = 16384;

    /** Image bytes in one message of the control connection. */
    public static final int MAX_READ_BYTES = 1 << 16;

    /**
     * Image bytes in one checksum of the control connection, for which apply stands still: few
     * messages, and nobody waits long.
     */
    public static final int MAX_SUM_BYTES = 1 << 18;

    /** The pool header page, which travels whole. */
    public static final int HEADER_BYTES = 4096;

    /** Characters of a name, a reason or an address. */
    public static final int MAX_TEXT = 8192;

    /** Heartbeats that may be missed before the other side counts as gone. */
    public static final int MISSED_HEARTBEATS = 5;

    /** Texts in one list. */
    public static final int MAX_TEXTS = 64;

    static final int MAX_NESTING = 8;
    public static final int MIN_HEARTBEAT_MILLIS = 10;
    public static final int MAX_HEARTBEAT_MILLIS = 60_000;

    private Limits() {}

    /** The text as far as it may travel: what quotes others may have become too long. */
    public static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT - 1) + "…";
    }

    static void require(boolean condition, String field) {
        if (!condition) {
            throw new IllegalArgumentException("field \"" + field + "\" has no usable value");
        }
    }

    /** Text that must be there, if only empty. */
    static void requireText(String text, String field) {
        require(text != null && text.length() <= MAX_TEXT, field);
    }

    /** A list of texts that must be there, if only empty. */
    static void requireTexts(List<String> texts, String field) {
        require(texts != null && texts.size() <= MAX_TEXTS, field);
        texts.forEach(text -> requireText(text, field));
    }

    static void requirePoolsetUuid(String uuid) {
        require(uuid != null && uuid.matches("|[0-9a-f]{32}"), "poolsetUuid");
    }

    static void requireHeader(Blob header) {
        require(
                header != null && (header.length() == 0 || header.length() == HEADER_BYTES),
                "header");
    }
}
