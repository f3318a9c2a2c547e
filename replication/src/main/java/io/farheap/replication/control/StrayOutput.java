package io.farheap.replication.control;

import io.farheap.base.FarheapException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes over a control connection between messages: the banner of a shell's start-up file, a
 * warning of the JVM. It is skipped, within bounds, and told. Used by the thread that reads; others
 * may ask what there was.
 */
final class StrayOutput {
    private static final Logger LOG = LoggerFactory.getLogger(StrayOutput.class);
    private static final byte[] GREETING =
            "{\"type\":\"greeting\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FIELD = "\"type\"".getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_LINES = 1000;
    private static final int MOST_BYTES = 1 << 16;
    private static final int MOST_TOLD = 200;

    private final String replica;
    private volatile String told = "";
    private int lines;
    private int bytes;

    StrayOutput(String replica) {
        this.replica = replica;
    }

    /**
     * The message of a line, which may stand behind what a shell printed without an end of line;
     * null: the line is none.
     *
     * @param greeted whether the agent has said its first word: from then on what looks like a JSON
     *     object is its own, and a fault where it is no message
     */
    byte[] messageIn(byte[] line, boolean greeted) {
        if (greeted) {
            // one whose brace was garbled is a message, too: its reader waits for nothing
            boolean message = startsObject(line) || indexOf(FIELD, line) >= 0;
            return message ? line : skipped(line, line.length);
        }
        int at = indexOf(GREETING, line);
        if (at == 0) {
            return line;
        }
        byte[] unused = skipped(line, at < 0 ? line.length : at);
        return at < 0 ? null : Arrays.copyOfRange(line, at, line.length);
    }

    private static boolean startsObject(byte[] line) {
        int at = 0;
        while (at < line.length && line[at] == ' ') {
            at++;
        }
        return at < line.length && line[at] == '{';
    }

    private static int indexOf(byte[] word, byte[] line) {
        for (int at = 0; at <= line.length - word.length; at++) {
            if (Arrays.equals(line, at, at + word.length, word, 0, word.length)) {
                return at;
            }
        }
        return -1;
    }

    private byte[] skipped(byte[] line, int length) {
        lines++;
        bytes += length;
        String text = readable(line, length);
        if (told.isEmpty() && !text.isEmpty()) {
            told = text;
            LOG.warn("replica {}: its remote shell prints: \"{}\"", replica, text);
        } else {
            LOG.debug("replica {}: its remote shell prints: \"{}\"", replica, text);
        }
        if (lines > MOST_LINES || bytes > MOST_BYTES) {
            throw FarheapException.badData(
                    "what comes from its remote shell is no message of an agent");
        }
        return null;
    }

    private static String readable(byte[] line, int length) {
        String text =
                new String(line, 0, Math.min(length, 4 * MOST_TOLD), StandardCharsets.UTF_8)
                        .replaceAll("\\p{Cntrl}\\[[0-9;]*m|\\p{Cntrl}|\\ufffd", " ")
                        .strip();
        return text.length() <= MOST_TOLD ? text : text.substring(0, MOST_TOLD - 1) + "…";
    }

    /** For the end of a message; "" where there was nothing. */
    String clause() {
        return told.isEmpty()
                ? ""
                : "; the remote shell prints: \""
                        + told
                        + "\" (what a shell's start-up file prints is to be kept from commands)";
    }
}
