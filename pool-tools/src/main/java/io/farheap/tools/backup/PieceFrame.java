package io.farheap.tools.backup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * The content of some pieces, one behind the other in the image; little-endian:
 *
 * <pre>
 *   0 +---------+---------------+----------------+
 *     | magic 4 | compression 4 | first piece  8 |  compression: 0 none, 1 deflate
 *  16 +---------+---------------+----------------+
 *     | count 4 | stored      4 | CRC32C       4 |  of the stored bytes
 *  28 +---------+---------------+----------------+
 *     | CRC32C of the 28 bytes before          4 |
 *  32 +------------------------------------------+
 *     | stored bytes                             |
 * </pre>
 *
 * <p>Deflate is the JDK's: it is there on every machine, without a native library that has to be
 * unpacked and loaded first.
 *
 * @param first piece
 * @param count of pieces
 * @param isCompressed whether the stored bytes are
 * @param stored how many bytes there are behind this header
 * @param crc of the stored bytes
 */
record PieceFrame(long first, int count, boolean isCompressed, int stored, int crc) {
    static final int HEAD_BYTES = 32;

    /** So that an image's pieces are read, and its frames unpacked, a MiB at a time. */
    static final int MOST_PIECES = 64;

    static final int MOST_BYTES = MOST_PIECES * BackupHeader.PIECE;

    private static final int MAGIC = 0x45434950; // "PIEC"
    private static final int COMPRESSION = 4;
    private static final int FIRST = 8;
    private static final int COUNT = 16;
    private static final int STORED = 20;
    private static final int CRC = 24;
    private static final int HEAD_CRC = 28;

    /**
     * Packs pieces.
     *
     * @param from where they begin in {@code raw}
     * @param to gets head and stored bytes
     */
    static void pack(
            long first, byte[] raw, int from, int count, Deflater deflater, ByteBuffer to) {
        int bytes = count * BackupHeader.PIECE;
        int head = to.position();
        int begin = head + HEAD_BYTES;
        deflater.reset();
        deflater.setInput(raw, from, bytes);
        deflater.finish();
        // More room than the content itself takes is never needed: it is stored as it is then.
        int stored = deflater.deflate(to.array(), begin, bytes - 1);
        boolean compressed = deflater.finished();
        if (!compressed) {
            stored = bytes;
            System.arraycopy(raw, from, to.array(), begin, bytes);
        }
        int crc = crc(to.array(), begin, stored);
        to.putInt(head, MAGIC).putInt(head + COMPRESSION, compressed ? 1 : 0);
        to.putLong(head + FIRST, first).putInt(head + COUNT, count);
        to.putInt(head + STORED, stored).putInt(head + CRC, crc);
        to.putInt(head + HEAD_CRC, crc(to.array(), head, HEAD_CRC));
        to.position(begin + stored);
    }

    /**
     * @param head 32 bytes of a file
     * @param offset where they are in it
     * @param end of the frames in it
     */
    static PieceFrame decode(Path file, byte[] head, long offset, long end) {
        ByteBuffer from = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int compression = from.getInt(COMPRESSION);
        PieceFrame frame =
                new PieceFrame(
                        from.getLong(FIRST),
                        from.getInt(COUNT),
                        compression == 1,
                        from.getInt(STORED),
                        from.getInt(CRC));
        boolean right =
                from.getInt(0) == MAGIC
                        && from.getInt(HEAD_CRC) == crc(head, 0, HEAD_CRC)
                        && (compression == 0 || compression == 1)
                        && frame.count > 0
                        && frame.count <= MOST_PIECES
                        && frame.stored > 0
                        && frame.stored <= frame.bytes()
                        && (frame.isCompressed || frame.stored == frame.bytes())
                        && frame.stored <= end - offset - HEAD_BYTES;
        if (!right) {
            throw BackupHeader.damaged(file, "what begins at byte " + offset + " is no content");
        }
        return frame;
    }

    private int bytes() {
        return count * BackupHeader.PIECE;
    }

    /**
     * Unpacks the pieces, never more than they are.
     *
     * @param bytes the stored ones
     * @param to has room for {@link #MOST_BYTES}
     */
    void unpack(Path file, byte[] bytes, Inflater inflater, byte[] to) {
        if (crc(bytes, 0, stored) != crc) {
            throw BackupHeader.damaged(file, "pieces from " + first + " on have a wrong checksum");
        }
        if (!isCompressed) {
            System.arraycopy(bytes, 0, to, 0, stored);
            return;
        }
        try {
            inflater.reset();
            inflater.setInput(bytes, 0, stored);
            int length = inflater.inflate(to, 0, bytes());
            // Whether it ends there shows when more is asked for.
            boolean whole = length == bytes() && (inflater.finished() || isAtEnd(inflater));
            if (whole && inflater.getRemaining() == 0) {
                return;
            }
        } catch (DataFormatException e) {
            throw BackupHeader.damaged(file, "pieces from " + first + " on can't be unpacked");
        }
        throw BackupHeader.damaged(file, "pieces from " + first + " on unpack to another size");
    }

    private static boolean isAtEnd(Inflater inflater) throws DataFormatException {
        return inflater.inflate(new byte[1]) == 0 && inflater.finished();
    }

    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
