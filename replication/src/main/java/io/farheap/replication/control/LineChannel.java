package io.farheap.replication.control;

import io.farheap.base.FarheapException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Lines of bytes over a pair of streams, with the limit of {@link Limits#MAX_LINE_BYTES} on both
 * ways. One thread reads; any thread writes, a line is never cut by another.
 */
public final class LineChannel {
    private final InputStream in;
    private final OutputStream out;
    private final Object writing = new Object();

    public LineChannel(InputStream in, OutputStream out) {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.out = out;
    }

    /**
     * The next line without its line feed, or null at the end.
     *
     * @throws EOFException when the stream ends within a line
     * @throws FarheapException category BAD_DATA when a line exceeds the limit
     */
    public byte[] readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return line.toByteArray();
            }
            if (line.size() + 1 >= Limits.MAX_LINE_BYTES) {
                throw FarheapException.badData(
                        "a control message is longer than %s bytes: the other side doesn't"
                                + " speak this protocol",
                        Limits.MAX_LINE_BYTES);
            }
            line.write(b);
        }
        if (line.size() > 0) {
            throw new EOFException("the control connection ended within a message");
        }
        return null;
    }

    /** Writes one line and flushes it. */
    public void writeLine(byte[] line) throws IOException {
        if (line.length + 1 > Limits.MAX_LINE_BYTES) {
            throw new IllegalArgumentException("control message of " + line.length + " bytes");
        }
        byte[] terminated = new byte[line.length + 1];
        System.arraycopy(line, 0, terminated, 0, line.length);
        terminated[line.length] = '\n';
        synchronized (writing) {
            out.write(terminated);
            out.flush();
        }
    }
}
