package io.farheap.live;

import io.farheap.base.FarheapException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What goes through the socket of a process that has pools open; big-endian:
 *
 * <pre>
 *   request   0 +-----------+-----------+
 *               | magic   8 | pool id 8 |      one magic for each question
 *               +-----------+-----------+
 *
 *   answers   0 +--------+----------+-----------+---------------+
 *               | type 4 | length 4 | number  8 | length bytes  |
 *               +--------+----------+-----------+---------------+
 *
 *   BEGIN     number: bytes of the image          a header of the pool, 4096 bytes
 *   RANGE     number: image offset                content
 *   COMPLETE  number: the pool's run_id           commits 8, nanoseconds held 8
 *   FAILED    number: 0                           a sentence
 *   FIGURES   number: nanoseconds of a clock      lines "name value"
 *   RELOADED  number: 0                           lines: the file, the replicas taken up
 * </pre>
 */
final class LiveMessages {
    static final int REQUEST_BYTES = 16;
    static final int HEAD_BYTES = 16;

    static final int BEGIN = 1;
    static final int RANGE = 2;
    static final int COMPLETE = 3;
    static final int FAILED = 4;
    static final int FIGURES = 5;
    static final int RELOADED = 6;

    static final int COMPLETE_BYTES = 16;
    static final int MOST_BYTES = 16 << 20;
    static final int MOST_FIGURES_BYTES = 1 << 16;

    /** "FHLIVE", and the version. */
    private static final long COPY = 0x46484c4956450001L;

    /** "FHFIGS", and the version. */
    private static final long LOOK = 0x4648464947530001L;

    /** "FHRELD", and the version. */
    private static final long RELOAD = 0x464852454c440001L;

    /** "FHRELA", and the version: this copy may be the only one. */
    private static final long RELOAD_ALONE = 0x464852454c410001L;

    private LiveMessages() {}

    static ByteBuffer requestForCopy(long poolId) {
        return request(COPY, poolId);
    }

    static ByteBuffer requestForFigures(long poolId) {
        return request(LOOK, poolId);
    }

    static ByteBuffer requestToReload(long poolId, boolean alone) {
        return request(alone ? RELOAD_ALONE : RELOAD, poolId);
    }

    private static ByteBuffer request(long magic, long poolId) {
        return ByteBuffer.allocate(REQUEST_BYTES).putLong(magic).putLong(poolId).flip();
    }

    static boolean asksForFigures(ByteBuffer request) {
        return request.getLong(0) == LOOK;
    }

    static boolean asksToReload(ByteBuffer request) {
        return request.getLong(0) == RELOAD || request.getLong(0) == RELOAD_ALONE;
    }

    static boolean mayBeAlone(ByteBuffer request) {
        return request.getLong(0) == RELOAD_ALONE;
    }

    /**
     * @return the pool's id
     * @throws FarheapException WRONG_USE for a request of another version
     */
    static long poolId(ByteBuffer request) {
        if (request.getLong(0) != COPY && !asksForFigures(request) && !asksToReload(request)) {
            throw FarheapException.wrongUse(
                    "the program has another version of Farheap than this command: use that one's");
        }
        return request.getLong(Long.BYTES);
    }

    static void send(WritableByteChannel to, int type, long number, MemorySegment content)
            throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        head.putInt(type).putInt((int) content.byteSize()).putLong(number).flip();
        writeFully(to, head);
        writeFully(to, content.asByteBuffer());
    }

    static void sendReloaded(WritableByteChannel to, ReloadedFile file) throws IOException {
        byte[] text = file.text().getBytes(StandardCharsets.UTF_8);
        send(to, RELOADED, 0, MemorySegment.ofArray(text));
    }

    static void sendFailure(WritableByteChannel to, String sentence) throws IOException {
        byte[] text = sentence.getBytes(StandardCharsets.UTF_8);
        send(to, FAILED, 0, MemorySegment.ofArray(text));
    }

    static void sendComplete(WritableByteChannel to, LivePoint point) throws IOException {
        ByteBuffer rest = ByteBuffer.allocate(COMPLETE_BYTES);
        rest.putLong(point.commits()).putLong(point.heldNanos()).flip();
        send(to, COMPLETE, point.runId(), MemorySegment.ofBuffer(rest));
    }

    static void sendFigures(WritableByteChannel to, Map<String, Long> figures) throws IOException {
        StringBuilder lines = new StringBuilder();
        figures.forEach((name, value) -> lines.append(name).append(' ').append(value).append('\n'));
        byte[] text = lines.toString().getBytes(StandardCharsets.UTF_8);
        send(to, FIGURES, System.nanoTime(), MemorySegment.ofArray(text));
    }

    static void writeFully(WritableByteChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int unused = to.write(bytes);
        }
    }

    static void readFully(ReadableByteChannel from, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (from.read(bytes) < 0) {
                throw new EOFException("the connection has ended");
            }
        }
        bytes.flip();
    }
}
