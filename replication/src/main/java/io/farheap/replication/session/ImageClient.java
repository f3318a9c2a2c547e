package io.farheap.replication.session;

import io.farheap.base.FarheapException;
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

/**
 * Moves pieces of a pool image over a data connection that carries no records at that time: several
 * requests are on their way at once, answers are taken in order, short pieces travel together. What
 * was put is durable after the next step on the control connection, not before. For one thread.
 */
public final class ImageClient {
    /** What a core's cache holds of one message on its way through each side's buffers. */
    private static final int PIECE = 1 << 18;

    private static final int WINDOW = 32;

    /** How soon a wait notices another limit. */
    private static final Duration LOOK = Duration.ofMillis(100);

    /** Shorter pieces travel together, as many as these bytes hold. */
    private static final int SHORT = 4096;

    private static final int TOGETHER = 1 << 16;
    private static final MemorySegment ZEROS = Arena.global().allocate(PIECE);

    private final Connection connection;
    private final String replica;
    private final Duration patience;
    private final MemorySegment message = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
    private final MemorySegment gathered =
            Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES + TOGETHER, 8);
    private final ByteRange[] expected = new ByteRange[WINDOW];
    private volatile Deadline limit = Deadline.NONE;
    private int gatheredBytes;
    private long gatheredCount;
    private long asked;
    private long answered;

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

    /** Sends the local content of the ranges. */
    public void put(MemorySegment image, List<ByteRange> ranges) {
        CompletionHandler stored = stored();
        for (ByteRange range : ranges) {
            putPieces(image, range.offset(), range.offset() + range.length(), stored);
        }
        sendGathered(stored);
        awaitAll(stored);
    }

    /**
     * Sends content that is to be in the image at {@code offset}; what is short may wait for more.
     *
     * @param content from its start; at most one message's bytes
     */
    public void put(MemorySegment content, long offset, int length) {
        put(content, 0, offset, length, stored());
    }

    private void put(
            MemorySegment source, long at, long offset, int length, CompletionHandler stored) {
        if (length < SHORT) {
            if (gatheredBytes + JournalMessages.pieceBytes(length) > TOGETHER) {
                sendGathered(stored);
            }
            gatheredBytes =
                    JournalMessages.addPiece(gathered, gatheredBytes, offset, source, at, length);
            gatheredCount++;
            return;
        }
        sendGathered(stored); // first: it may be older content of the same place
        int bytes = JournalMessages.putImage(message, offset, source, at, length);
        ask(message, bytes, offset, length, stored);
    }

    private void sendGathered(CompletionHandler stored) {
        if (gatheredCount > 0) {
            long count = gatheredCount;
            int bytes = gatheredBytes;
            gatheredCount = 0;
            gatheredBytes = 0;
            int length = JournalMessages.putPieces(gathered, count, bytes);
            ask(gathered, length, count, bytes, stored);
        }
    }

    /** Waits until all that was sent is stored. */
    public void awaitStored() {
        CompletionHandler stored = stored();
        sendGathered(stored);
        awaitAll(stored);
    }

    private CompletionHandler stored() {
        return answers(JournalMessages.STORED, (memory, at, range) -> {});
    }

    /**
     * Sends the local content of a whole image's ranges.
     *
     * @param skipZeros the target's image is all zero there: pieces of zeros need not travel
     * @param done told the offset up to which all was dealt with
     */
    void putAll(MemorySegment image, List<ByteRange> ranges, boolean skipZeros, LongConsumer done) {
        CompletionHandler stored = stored();
        for (ByteRange range : ranges) {
            long end = range.offset() + range.length();
            for (long offset = range.offset(); offset < end; offset += PIECE) {
                long length = Math.min(PIECE, end - offset);
                if (!skipZeros || !isZero(image, offset, length)) {
                    putPieces(image, offset, offset + length, stored);
                }
                done.accept(offset + length);
            }
        }
        sendGathered(stored);
        awaitAll(stored);
    }

    private void putPieces(MemorySegment image, long from, long end, CompletionHandler stored) {
        for (long offset = from; offset < end; offset += PIECE) {
            put(image, offset, offset, (int) Math.min(PIECE, end - offset), stored);
        }
    }

    /**
     * Fetches the target's image from {@code from} to {@code image}'s end.
     *
     * @param done told the offset up to which all is on its way
     */
    public void get(MemorySegment image, long from, LongConsumer done) {
        CompletionHandler arrived =
                answers(
                        JournalMessages.IMAGE,
                        (memory, at, range) ->
                                MemorySegment.copy(
                                        memory,
                                        at + JournalMessages.HEADER_BYTES,
                                        image,
                                        range.offset(),
                                        range.length()));
        long end = image.byteSize();
        for (long offset = from; offset < end; offset += PIECE) {
            int length = (int) Math.min(PIECE, end - offset);
            int bytes = JournalMessages.getImage(message, offset, length);
            ask(message, bytes, offset, length, arrived);
            done.accept(offset);
        }
        awaitAll(arrived);
        done.accept(end);
    }

    /**
     * CRC32C of each {@code chunk} bytes of {@code length} bytes at {@code from}; the last less.
     */
    public int[] sums(long from, long length, long chunk) {
        int[] sums = new int[Math.toIntExact(JournalMessages.sumCount(length, chunk))];
        CompletionHandler arrived =
                answers(
                        JournalMessages.SUMS,
                        (memory, at, range) -> {
                            int first = (int) ((range.offset() - from) / chunk);
                            long count = JournalMessages.sumCount(range.length(), chunk);
                            for (int i = 0; i < count; i++) {
                                sums[first + i] = JournalMessages.sum(memory, at, i);
                            }
                        });
        // a request is answered at once when all of it was summed: keep each one short
        long step = Math.max(chunk, 64L * PIECE / chunk * chunk);
        for (long offset = from; offset < from + length; offset += step) {
            long part = Math.min(step, from + length - offset);
            int bytes = JournalMessages.sumImage(message, offset, part, chunk);
            ask(message, bytes, offset, part, arrived);
        }
        awaitAll(arrived);
        return sums;
    }

    private void ask(
            MemorySegment request, int bytes, long offset, long length, CompletionHandler answers) {
        while (asked - answered == WINDOW || !connection.canSend(bytes)) {
            awaitSome(answers);
        }
        expected[(int) (asked++ % WINDOW)] = new ByteRange(offset, length);
        connection.send(request, 0, bytes);
        connection.post();
    }

    private void awaitAll(CompletionHandler answers) {
        while (answered < asked) {
            awaitSome(answers);
        }
    }

    private void awaitSome(CompletionHandler answers) {
        long begin = System.nanoTime();
        Deadline end = Deadline.in(patience);
        while (connection.await(answers, limit.left(end.left(LOOK)).toNanos()) == 0) {
            if (end.isOver() || limit.isOver()) {
                throw fault(
                        "has not answered on the data connection for "
                                + Math.round((System.nanoTime() - begin) / 1e9)
                                + " s; look at its agent's log");
            }
        }
    }

    private interface Answer {
        void take(MemorySegment memory, long at, ByteRange range);
    }

    private CompletionHandler answers(int kind, Answer answer) {
        return (memory, at, length) -> {
            int got = JournalMessages.check(memory, at, length);
            if (got == JournalMessages.REFUSED) {
                throw fault("refused: " + JournalMessages.refusal(memory, at, length));
            }
            ByteRange range = answered < asked ? expected[(int) (answered % WINDOW)] : null;
            if (got != kind
                    || range == null
                    || JournalMessages.imageOffset(memory, at) != range.offset()
                    || JournalMessages.imageLength(memory, at) != range.length()) {
                throw fault("answered out of order on the data connection");
            }
            answer.take(memory, at, range);
            answered++;
        };
    }

    private FarheapException fault(String what) {
        return FarheapException.replica("replica %s %s", replica, what);
    }

    private static boolean isZero(MemorySegment image, long offset, long length) {
        return MemorySegment.mismatch(image, offset, offset + length, ZEROS, 0, length) == -1;
    }
}
