package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.INT;
import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The messages of the data connection. Each request is answered, in order, by its answer or by
 * REFUSED, after which the target closes the connection.
 *
 * <pre>
 *   0  kind 4 | length of the message 4
 *
 *   initiator -> target                     target -> initiator
 *   1 FLUSH      sequence, from, to         2 DURABLE    durable sequence,
 *                                                        applied sequence, applied position
 *   3 PUT_IMAGE  offset, length, bytes      4 STORED     offset, length
 *   5 GET_IMAGE  offset, length             6 IMAGE      offset, length, bytes
 *   7 SUM_IMAGE  offset, length, chunk      8 SUMS       offset, length, one CRC32C per chunk, 4 each
 *                                           9 REFUSED    a sentence, UTF-8
 *  10 PUT_PIECES count, bytes of them     4 STORED     count, bytes of them
 *     each: offset 8, length 8, bytes, padded to 8
 * </pre>
 *
 * <p>Fields are 8 bytes, little-endian. FLUSH names the stream positions {@code from..to} whose
 * records the target makes durable before it answers; an empty range asks for the figures only.
 * Offsets of the others are image offsets; what PUT_IMAGE stores is durable when the control
 * connection's next step says so. Writing methods return the message's length; reading ones are
 * used after {@link #check}. No method allocates, except to throw and for text.
 */
public final class JournalMessages {
    public static final int FLUSH = 1;
    public static final int DURABLE = 2;
    public static final int PUT_IMAGE = 3;
    public static final int STORED = 4;
    public static final int GET_IMAGE = 5;
    public static final int IMAGE = 6;
    public static final int SUM_IMAGE = 7;
    public static final int SUMS = 8;
    public static final int REFUSED = 9;
    public static final int PUT_PIECES = 10;

    /** The most image bytes one message carries. */
    public static final int MAX_IMAGE_BYTES = 1 << 20;

    /** The smallest chunk that a checksum may be asked for. */
    static final int MIN_CHUNK_BYTES = 64;

    /** Bytes before the image bytes, the checksums or the text. */
    public static final int HEADER_BYTES = 32;

    /** Bytes before the bytes of each piece of PUT_PIECES. */
    public static final int PIECE_HEADER_BYTES = 16;

    /** The longest message. */
    public static final int MAX_BYTES = HEADER_BYTES + MAX_IMAGE_BYTES;

    private static final int LENGTH = 4;
    private static final int FIRST = 8;
    private static final int SECOND = 16;
    private static final int THIRD = 24;
    private static final int MAX_TEXT_BYTES = 4096;

    private JournalMessages() {}

    private static int message(
            MemorySegment to, int kind, long first, long second, long third, long length) {
        to.set(INT, 0, kind);
        to.set(INT, LENGTH, (int) length);
        to.set(LONG, FIRST, first);
        to.set(LONG, SECOND, second);
        to.set(LONG, THIRD, third);
        return (int) length;
    }

    /** Asks for the durability of the stream's positions {@code from} up to {@code end}. */
    public static int flush(MemorySegment to, long sequence, long from, long end) {
        return message(to, FLUSH, sequence, from, end, HEADER_BYTES);
    }

    public static int durable(
            MemorySegment to, long durableSequence, long appliedSequence, long appliedPosition) {
        return message(
                to, DURABLE, durableSequence, appliedSequence, appliedPosition, HEADER_BYTES);
    }

    /** Image bytes; at most {@link #MAX_IMAGE_BYTES}. */
    public static int putImage(
            MemorySegment to, long offset, MemorySegment source, long sourceOffset, int length) {
        MemorySegment.copy(source, sourceOffset, to, HEADER_BYTES, length);
        return message(to, PUT_IMAGE, offset, length, 0, HEADER_BYTES + (long) length);
    }

    /** The same where the bytes are behind the header already. */
    public static int putImage(MemorySegment to, long offset, int length) {
        return message(to, PUT_IMAGE, offset, length, 0, HEADER_BYTES + (long) length);
    }

    /**
     * Adds a piece to a PUT_PIECES message that is not complete.
     *
     * @param bytes of the pieces that are in it
     * @return the same with this one
     */
    public static int addPiece(
            MemorySegment to,
            int bytes,
            long offset,
            MemorySegment source,
            long sourceOffset,
            int length) {
        long at = HEADER_BYTES + (long) bytes;
        to.set(LONG, at, offset);
        to.set(LONG, at + 8, length);
        MemorySegment.copy(source, sourceOffset, to, at + PIECE_HEADER_BYTES, length);
        return bytes + pieceBytes(length);
    }

    /** What a piece takes in a message. */
    public static int pieceBytes(int length) {
        return PIECE_HEADER_BYTES + ((length + 7) & -8);
    }

    /** Completes a message of {@link #addPiece}; at most {@link #MAX_IMAGE_BYTES}. */
    public static int putPieces(MemorySegment to, long count, int bytes) {
        return message(to, PUT_PIECES, count, bytes, 0, HEADER_BYTES + (long) bytes);
    }

    public static int stored(MemorySegment to, long offset, long length) {
        return message(to, STORED, offset, length, 0, HEADER_BYTES);
    }

    public static int getImage(MemorySegment to, long offset, int length) {
        return message(to, GET_IMAGE, offset, length, 0, HEADER_BYTES);
    }

    public static int image(
            MemorySegment to, long offset, MemorySegment source, long sourceOffset, int length) {
        MemorySegment.copy(source, sourceOffset, to, HEADER_BYTES, length);
        return message(to, IMAGE, offset, length, 0, HEADER_BYTES + (long) length);
    }

    /** Asks for the checksums of {@code length} bytes, {@code chunk} bytes each (the last less). */
    public static int sumImage(MemorySegment to, long offset, long length, long chunk) {
        return message(to, SUM_IMAGE, offset, length, chunk, HEADER_BYTES);
    }

    /** How many checksums answer that request. */
    public static long sumCount(long length, long chunk) {
        return (length + chunk - 1) / chunk;
    }

    /** Begins the answer to SUM_IMAGE; {@link #putSum} fills in the checksums. */
    public static int sums(MemorySegment to, long offset, long length, long chunk) {
        return message(
                to,
                SUMS,
                offset,
                length,
                chunk,
                HEADER_BYTES + sumCount(length, chunk) * Integer.BYTES);
    }

    public static void putSum(MemorySegment to, long index, int crc) {
        to.set(INT, HEADER_BYTES + index * Integer.BYTES, crc);
    }

    /** A sentence for a person; cut off where it would be too long. */
    public static int refused(MemorySegment to, String sentence) {
        byte[] text = sentence.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_TEXT_BYTES);
        MemorySegment.copy(MemorySegment.ofArray(text), 0, to, HEADER_BYTES, length);
        return message(to, REFUSED, 0, 0, 0, HEADER_BYTES + (long) length);
    }

    /**
     * Validates a received message as far as its own form goes.
     *
     * @return its kind
     * @throws FarheapException category BAD_DATA
     */
    public static int check(MemorySegment message, long at, int received) {
        if (received < HEADER_BYTES
                || received > MAX_BYTES
                || message.get(INT, at + LENGTH) != received) {
            throw bad("has " + received + " bytes and does not say so");
        }
        int kind = message.get(INT, at);
        long second = message.get(LONG, at + SECOND);
        long third = message.get(LONG, at + THIRD);
        long expected = HEADER_BYTES;
        switch (kind) {
            case FLUSH, DURABLE, REFUSED -> expected = kind == REFUSED ? received : expected;
            case STORED, GET_IMAGE -> checkImageBytes(kind, second);
            case PUT_IMAGE, IMAGE -> expected += checkImageBytes(kind, second);
            case PUT_PIECES -> {
                expected += checkImageBytes(kind, second);
                checkPieces(message, at, received);
            }
            case SUM_IMAGE -> checkSums(second, third);
            case SUMS -> expected += checkSums(second, third) * Integer.BYTES;
            default -> throw bad("is of unknown kind " + kind);
        }
        if (received != expected) {
            throw bad("of kind " + kind + " has " + received + " bytes instead of " + expected);
        }
        return kind;
    }

    private static long checkImageBytes(int kind, long length) {
        if (length < 0 || length > MAX_IMAGE_BYTES) {
            throw bad("of kind " + kind + " is about " + length + " image bytes at once");
        }
        return length;
    }

    /** They fill the message exactly. */
    private static void checkPieces(MemorySegment message, long at, int received) {
        long end = at + received;
        long piece = at + HEADER_BYTES;
        long count = 0;
        while (piece < end) {
            long room = end - piece - PIECE_HEADER_BYTES;
            if (room < 0 || pieceLength(message, piece) < 1 || pieceLength(message, piece) > room) {
                throw bad("has a piece that is longer than the message, or empty");
            }
            piece = nextPiece(message, piece);
            count++;
        }
        if (piece != end || count != message.get(LONG, at + FIRST)) {
            throw bad("has other pieces than it says");
        }
    }

    private static long checkSums(long length, long chunk) {
        if (length < 0
                || chunk < MIN_CHUNK_BYTES
                || length > Long.MAX_VALUE - chunk
                || sumCount(length, chunk) > MAX_IMAGE_BYTES / Integer.BYTES) {
            throw bad("asks for checksums of " + length + " bytes by " + chunk);
        }
        return sumCount(length, chunk);
    }

    private static FarheapException bad(String what) {
        return FarheapException.badData(
                "a message on the data connection %s; do both sides have one version?", what);
    }

    public static long flushSequence(MemorySegment message, long at) {
        return message.get(LONG, at + FIRST);
    }

    public static long flushFrom(MemorySegment message, long at) {
        return message.get(LONG, at + SECOND);
    }

    public static long flushTo(MemorySegment message, long at) {
        return message.get(LONG, at + THIRD);
    }

    public static long durableSequence(MemorySegment message, long at) {
        return message.get(LONG, at + FIRST);
    }

    public static long appliedSequence(MemorySegment message, long at) {
        return message.get(LONG, at + SECOND);
    }

    public static long appliedPosition(MemorySegment message, long at) {
        return message.get(LONG, at + THIRD);
    }

    /** The image offset of any image message. */
    public static long imageOffset(MemorySegment message, long at) {
        return message.get(LONG, at + FIRST);
    }

    /** The image bytes that any image message is about. */
    public static long imageLength(MemorySegment message, long at) {
        return message.get(LONG, at + SECOND);
    }

    /** Where the first piece of PUT_PIECES is; they end where the message does. */
    public static long firstPiece(long at) {
        return at + HEADER_BYTES;
    }

    /** Where the piece after the one at {@code piece} is. */
    public static long nextPiece(MemorySegment message, long piece) {
        return piece + pieceBytes((int) pieceLength(message, piece));
    }

    /** The image offset of the piece at {@code piece}. */
    public static long pieceOffset(MemorySegment message, long piece) {
        return message.get(LONG, piece);
    }

    /** The length of the piece at {@code piece}, whose bytes are behind its header. */
    public static long pieceLength(MemorySegment message, long piece) {
        return message.get(LONG, piece + 8);
    }

    /** The chunk of SUM_IMAGE and SUMS. */
    public static long chunk(MemorySegment message, long at) {
        return message.get(LONG, at + THIRD);
    }

    /** A checksum of SUMS. */
    public static int sum(MemorySegment message, long at, long index) {
        return message.get(INT, at + HEADER_BYTES + index * Integer.BYTES);
    }

    /** The sentence of REFUSED. */
    public static String refusal(MemorySegment message, long at, int received) {
        byte[] text = new byte[received - HEADER_BYTES];
        MemorySegment.copy(message, at + HEADER_BYTES, MemorySegment.ofArray(text), 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
    }
}
