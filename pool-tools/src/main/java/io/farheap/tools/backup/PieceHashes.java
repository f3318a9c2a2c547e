package io.farheap.tools.backup;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * What each piece of an image is: its SHA-256, or zeros for a piece of zeros. Those of zeros take
 * no room, so that a file's claim to be of a large image costs nothing. For one thread that writes.
 */
final class PieceHashes {
    static final int BYTES = 32;
    private static final byte[] ZERO = new byte[BYTES];

    /** As many as are packed together. */
    private static final int PAGE = PieceFrame.MOST_PIECES;

    private final byte[][] pages;

    /** Of an image of zeros. */
    PieceHashes(long imageBytes) {
        pages = new byte[(int) ((BackupHeader.pieces(imageBytes) + PAGE - 1) / PAGE)][];
    }

    void put(long piece, byte[] hash) {
        int page = (int) (piece / PAGE);
        if (pages[page] == null) {
            if (Arrays.equals(hash, ZERO)) {
                return;
            }
            pages[page] = new byte[PAGE * BYTES];
        }
        System.arraycopy(hash, 0, pages[page], offset(piece), BYTES);
    }

    boolean is(long piece, byte[] hash) {
        byte[] page = pages[(int) (piece / PAGE)];
        if (page == null) {
            return Arrays.equals(hash, ZERO);
        }
        int at = offset(piece);
        return Arrays.equals(page, at, at + BYTES, hash, 0, BYTES);
    }

    void copyTo(long piece, ByteBuffer to) {
        byte[] page = pages[(int) (piece / PAGE)];
        if (page == null) {
            to.put(ZERO);
        } else {
            to.put(page, offset(piece), BYTES);
        }
    }

    private static int offset(long piece) {
        return (int) (piece % PAGE) * BYTES;
    }

    /** SHA-256. */
    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }

    /**
     * The hash of a piece.
     *
     * @param from where it begins in {@code bytes}
     */
    static byte[] of(MessageDigest digest, byte[] bytes, int from) {
        if (isZero(bytes, from)) {
            return ZERO;
        }
        digest.update(bytes, from, BackupHeader.PIECE);
        return digest.digest();
    }

    private static boolean isZero(byte[] bytes, int from) {
        for (int i = from; i < from + BackupHeader.PIECE; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
