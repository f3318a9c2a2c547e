package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/**
 * Moves pieces of a pool image over a data connection that carries no records at that time: several
 * requests are on their way at once, answers are taken in order, short pieces travel together. What
 * was put is durable after the next step on the control connection, not before. For one thread.
 */
public final class ImageClient {
    /** What a core's cache holds of one message on its way through each side's buffers. */
    private static final int PIECE = 1 << 18;

    private static final int WINDOW = 32;

    /** Bytes behind one checksum of a comparison. */
    static final long COMPARED = 1 << 20;

    /** How soon a wait notices another limit. */
    private static final Duration LOOK = Duration.ofMillis(100);

    /** Shorter pieces travel together, as many as these bytes hold. */
    private static final int SHORT = 4096;

    private static final int TOGETHER = 1 << 16;
    private static final MemorySegment ZEROS = Arena.global().allocate(PIECE);

    private static final Answer NOTHING = (memory, at) -> {};

    private final Connection connection;
    private final String replica;
    private final Duration patience;
    private final MemorySegment message = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
    private final MemorySegment body = message.asSlice(JournalMessages.HEADER_BYTES);
    private final MemorySegment gathered =
            Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES + TOGETHER, 8);
    private final Asked[] asked = new Asked[WINDOW];
    private final CompletionHandler handler = this::received;
    private volatile Deadline limit = Deadline.NONE;
    private Pacer pacer = Pacer.UNLIMITED;
    private int gatheredBytes;
    private long gatheredCount;
    private long askedCount;
    private long answeredCount;

    /** What takes an answer in. */
    private interface Answer {
        void take(MemorySegment memory, long at);
    }

    /**
     * A request on its way.
     *
     * @param kind of its answer
     */
    private record Asked(int kind, long first, long second, Answer answer) {}

    /** An image that stands still. */
    interface Source {
        /** Fills native memory with what is at an offset. */
        void read(long offset, MemorySegment target);
    }

    /**
     * @param patience how long the target may take for one answer
     */
    ImageClient(Connection connection, String replica, Duration patience) {
        this.connection = connection;
        this.replica = replica;
        this.patience = patience;
    }

    /** From now on no answer is waited for beyond this. */
    void within(Deadline end) {
        limit = end;
    }

    /**
     * From now on whole images, and checksums of them, take the time that their bytes are worth.
     */
    void pacedBy(Pacer rate) {
        pacer = rate;
    }

    /** Sends the local content of the ranges. */
    public void put(MemorySegment image, List<ByteRange> ranges) {
        for (ByteRange range : ranges) {
            long end = range.offset() + range.length();
            for (long offset = range.offset(); offset < end; offset += PIECE) {
                put(image, offset, offset, (int) Math.min(PIECE, end - offset));
            }
        }
        awaitStored();
    }

    /**
     * Sends content that is to be in the image at {@code offset}; what is short may wait for more.
     *
     * @param content from its start; at most one message's bytes
     */
    public void put(MemorySegment content, long offset, int length) {
        put(content, 0, offset, length);
    }

    private void put(MemorySegment source, long at, long offset, int length) {
        if (length < SHORT) {
            if (gatheredBytes + JournalMessages.pieceBytes(length) > TOGETHER) {
                sendGathered();
            }
            gatheredBytes =
                    JournalMessages.addPiece(gathered, gatheredBytes, offset, source, at, length);
            gatheredCount++;
            return;
        }
        sendGathered(); // first: it may be older content of the same place
        int bytes = JournalMessages.putImage(message, offset, source, at, length);
        ask(message, bytes, new Asked(JournalMessages.STORED, offset, length, NOTHING));
    }

    private void sendGathered() {
        if (gatheredCount > 0) {
            long count = gatheredCount;
            int bytes = gatheredBytes;
            gatheredCount = 0;
            gatheredBytes = 0;
            int length = JournalMessages.putPieces(gathered, count, bytes);
            ask(gathered, length, new Asked(JournalMessages.STORED, count, bytes, NOTHING));
        }
    }

    /** Waits until all that was sent is stored. */
    public void awaitStored() {
        sendGathered();
        awaitAll();
    }

    /**
     * Sends the local content of a whole image's ranges.
     *
     * @param skipZeros the target's image is all zero there: pieces of zeros need not travel
     * @param verify the target reads each {@link #COMPARED} bytes back once they are stored, and
     *     their checksum must be that of what was read here
     * @param done told the offset up to which all was dealt with
     */
    void putAll(
            Source image,
            List<ByteRange> ranges,
            boolean skipZeros,
            boolean verify,
            LongConsumer done) {
        for (ByteRange range : ranges) {
            long end = range.offset() + range.length();
            for (long offset = range.offset(); offset < end; offset += COMPARED) {
                long length = Math.min(COMPARED, end - offset);
                CRC32C crc = verify ? new CRC32C() : null;
                for (long at = 0; at < length; at += PIECE) {
                    int piece = (int) Math.min(PIECE, length - at);
                    pace(piece);
                    putRead(image, offset + at, piece, skipZeros, crc);
                }
                if (verify) {
                    compare(offset, length, (int) crc.getValue());
                }
                done.accept(offset + length);
            }
        }
        awaitStored();
    }

    /** Into the message at once. */
    private void putRead(Source image, long offset, int length, boolean skipZeros, CRC32C crc) {
        MemorySegment piece = body.asSlice(0, length);
        image.read(offset, piece);
        if (crc != null) {
            crc.update(piece.asByteBuffer());
        }
        if (skipZeros && piece.mismatch(ZEROS.asSlice(0, length)) == -1) {
            return;
        }
        if (length < SHORT) {
            put(piece, offset, length);
            return;
        }
        sendGathered();
        int bytes = JournalMessages.putImage(message, offset, length);
        ask(message, bytes, new Asked(JournalMessages.STORED, offset, length, NOTHING));
    }

    private void compare(long offset, long length, int sum) {
        sendGathered();
        Answer answer =
                (memory, at) -> {
                    if (JournalMessages.sum(memory, at, 0) != sum) {
                        throw differs(offset);
                    }
                };
        int bytes = JournalMessages.sumImage(message, offset, length, COMPARED);
        ask(message, bytes, new Asked(JournalMessages.SUMS, offset, length, answer));
    }

    /** What to throw where the two images are not equal. */
    FarheapException differs(long offset) {
        return FarheapException.replica(
                "replica %s: the copy differs from the original at offset %s; check the machines'"
                        + " memory and disks, then sync again",
                replica, offset);
    }

    /**
     * Fetches the target's image from {@code from} to {@code image}'s end.
     *
     * @param done told the offset up to which all is on its way
     */
    public void get(MemorySegment image, long from, LongConsumer done) {
        long end = image.byteSize();
        for (long offset = from; offset < end; offset += PIECE) {
            long to = offset;
            int length = (int) Math.min(PIECE, end - offset);
            pace(length);
            Answer answer =
                    (memory, at) ->
                            MemorySegment.copy(
                                    memory, at + JournalMessages.HEADER_BYTES, image, to, length);
            int bytes = JournalMessages.getImage(message, offset, length);
            ask(message, bytes, new Asked(JournalMessages.IMAGE, offset, length, answer));
            done.accept(offset);
        }
        awaitAll();
        done.accept(end);
    }

    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     */
    public int[] sums(long from, long length, long chunk) {
        int[] sums = new int[Math.toIntExact(JournalMessages.sumCount(length, chunk))];
        // a request is answered at once when all of it was summed: keep each one short
        long most = pacer.isUnlimited() ? 64L * PIECE : COMPARED;
        long step = Math.max(chunk, most / chunk * chunk);
        for (long offset = from; offset < from + length; offset += step) {
            long part = Math.min(step, from + length - offset);
            int first = (int) ((offset - from) / chunk);
            pace(part);
            long count = JournalMessages.sumCount(part, chunk);
            Answer answer =
                    (memory, at) -> {
                        for (int i = 0; i < count; i++) {
                            sums[first + i] = JournalMessages.sum(memory, at, i);
                        }
                    };
            int bytes = JournalMessages.sumImage(message, offset, part, chunk);
            ask(message, bytes, new Asked(JournalMessages.SUMS, offset, part, answer));
        }
        awaitAll();
        return sums;
    }

    private void ask(MemorySegment request, int bytes, Asked what) {
        while (askedCount - answeredCount == WINDOW || !connection.canSend(bytes)) {
            awaitSome();
        }
        asked[(int) (askedCount++ % WINDOW)] = what;
        connection.send(request, 0, bytes);
        connection.post();
    }

    /** The target finds nobody slow: what it answers is taken in before the wait. */
    private void pace(long bytes) {
        long wait = pacer.claim(bytes);
        if (wait > 0) {
            awaitAll();
            pacer.await(wait);
        }
    }

    private void awaitAll() {
        while (answeredCount < askedCount) {
            awaitSome();
        }
    }

    private void awaitSome() {
        long begin = System.nanoTime();
        Deadline end = Deadline.in(patience);
        while (connection.await(handler, limit.left(end.left(LOOK)).toNanos()) == 0) {
            if (end.isOver() || limit.isOver()) {
                throw fault(
                        "has not answered on the data connection for "
                                + Math.round((System.nanoTime() - begin) / 1e9)
                                + " s; look at its agent's log");
            }
        }
    }

    private void received(MemorySegment memory, long at, int length) {
        int got = JournalMessages.check(memory, at, length);
        if (got == JournalMessages.REFUSED) {
            throw fault("refused: " + JournalMessages.refusal(memory, at, length));
        }
        Asked next = answeredCount < askedCount ? asked[(int) (answeredCount % WINDOW)] : null;
        if (next == null
                || got != next.kind()
                || JournalMessages.imageOffset(memory, at) != next.first()
                || JournalMessages.imageLength(memory, at) != next.second()) {
            throw fault("answered out of order on the data connection");
        }
        next.answer().take(memory, at);
        answeredCount++;
    }

    private FarheapException fault(String what) {
        return FarheapException.replica("replica %s %s", replica, what);
    }
}
