package io.farheap.replication.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalMessagesTest {
    private final MemorySegment buffer = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 64);

    @Test
    void everyMessageIsReadAsWritten() {
        int n = JournalMessages.flush(buffer, 7, 64, 192);
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.FLUSH);
        assertThat(JournalMessages.flushSequence(buffer, 0)).isEqualTo(7);
        assertThat(JournalMessages.flushFrom(buffer, 0)).isEqualTo(64);
        assertThat(JournalMessages.flushTo(buffer, 0)).isEqualTo(192);

        n = JournalMessages.durable(buffer, 7, 6, 640);
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.DURABLE);
        assertThat(JournalMessages.durableSequence(buffer, 0)).isEqualTo(7);
        assertThat(JournalMessages.appliedSequence(buffer, 0)).isEqualTo(6);
        assertThat(JournalMessages.appliedPosition(buffer, 0)).isEqualTo(640);

        MemorySegment source = MemorySegment.ofArray(new byte[] {9, 8, 7, 6});
        n = JournalMessages.putImage(buffer, 4096, source, 1, 3);
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.PUT_IMAGE);
        assertThat(JournalMessages.imageOffset(buffer, 0)).isEqualTo(4096);
        assertThat(JournalMessages.imageLength(buffer, 0)).isEqualTo(3);
        assertThat(buffer.asSlice(JournalMessages.HEADER_BYTES, 3).mismatch(source.asSlice(1)))
                .isEqualTo(-1);

        n = JournalMessages.sums(buffer, 0, 1000, 256);
        JournalMessages.putSum(buffer, 3, 55);
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.SUMS);
        assertThat(JournalMessages.sum(buffer, 0, 3)).isEqualTo(55);
        assertThat(n).isEqualTo(JournalMessages.HEADER_BYTES + 16);

        n = JournalMessages.refused(buffer, "nö: " + "x".repeat(9999));
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.REFUSED);
        assertThat(JournalMessages.refusal(buffer, 0, n)).startsWith("nö: xxx").hasSize(4095);
    }

    private int twoPieces() {
        MemorySegment source = MemorySegment.ofArray(new byte[] {9, 8, 7, 6, 5, 4, 3, 2, 1});
        int bytes = JournalMessages.addPiece(buffer, 0, 4096, source, 0, 9);
        bytes = JournalMessages.addPiece(buffer, bytes, 64, source, 2, 3);
        return JournalMessages.putPieces(buffer, 2, bytes);
    }

    @Test
    void piecesComeOutAsTheyWentIn() {
        int n = twoPieces();
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.PUT_PIECES);
        long first = JournalMessages.firstPiece(0);
        assertThat(JournalMessages.pieceOffset(buffer, first)).isEqualTo(4096);
        assertThat(JournalMessages.pieceLength(buffer, first)).isEqualTo(9);
        long second = JournalMessages.nextPiece(buffer, first);
        assertThat(JournalMessages.pieceOffset(buffer, second)).isEqualTo(64);
        byte[] content = new byte[3];
        MemorySegment.copy(
                buffer,
                ValueLayout.JAVA_BYTE,
                second + JournalMessages.PIECE_HEADER_BYTES,
                content,
                0,
                3);
        assertThat(content).containsExactly(7, 6, 5);
        assertThat(JournalMessages.nextPiece(buffer, second)).isEqualTo(n);
    }

    /** Whoever walks along them must not leave the message, nor stand still. */
    @ParameterizedTest
    @ValueSource(longs = {0, -1, -16, 25, 1 << 20, Long.MAX_VALUE, Long.MIN_VALUE})
    void piecesThatDoNotFillTheMessageAreRefused(long length) {
        int n = twoPieces();
        for (long piece = JournalMessages.firstPiece(0);
                piece < n;
                piece += JournalMessages.pieceBytes(9)) {
            long was = buffer.get(RecordLayout.LONG, piece + 8);
            buffer.set(RecordLayout.LONG, piece + 8, length);
            assertRefused(n);
            buffer.set(RecordLayout.LONG, piece + 8, was);
        }
        assertThat(JournalMessages.check(buffer, 0, n)).isEqualTo(JournalMessages.PUT_PIECES);
        buffer.set(RecordLayout.LONG, 8, 3);
        assertRefused(n);
    }

    @Test
    void messagesThatContradictThemselvesAreRefused() {
        assertRefused(JournalMessages.flush(buffer, 1, 2, 3) + 1);
        assertRefused(JournalMessages.flush(buffer, 1, 2, 3) - 1);
        assertRefused(0);
        assertRefused(JournalMessages.getImage(buffer, 0, JournalMessages.MAX_IMAGE_BYTES + 1));
        assertRefused(JournalMessages.getImage(buffer, 0, -1));
        assertRefused(JournalMessages.sumImage(buffer, 0, 1 << 30, 0));
        assertRefused(JournalMessages.sumImage(buffer, 0, Long.MAX_VALUE, 64));
        assertRefused(JournalMessages.sumImage(buffer, 0, -1, 64));
        int n = JournalMessages.putImage(buffer, 0, buffer, 64, 100);
        buffer.set(RecordLayout.LONG, 16, 99);
        assertRefused(n);
    }

    private void assertRefused(int received) {
        assertThatThrownBy(() -> JournalMessages.check(buffer, 0, received))
                .isInstanceOf(FarheapException.class)
                .hasMessageStartingWith("a message on the data connection");
    }

    private static final int MESSAGES = Boolean.getBoolean("test.deep") ? 100_000 : 25_000;

    @Test
    @Tag("sliced")
    void noBytesWhateverGiveAnythingButAVerdict() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < MESSAGES; round++) {
            for (int word = 0; word < 4; word++) {
                long value = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(2048);
                buffer.set(RecordLayout.LONG, word * 8L, value);
            }
            int received = random.nextInt(200);
            buffer.set(RecordLayout.INT, 0, random.nextInt(12));
            buffer.set(RecordLayout.INT, 4, received);
            try {
                JournalMessages.check(buffer, 0, received);
            } catch (FarheapException expected) {
                assertThat(expected.category())
                        .as("seed %d", seed)
                        .isEqualTo(FarheapException.Category.BAD_DATA);
            }
        }
    }
}
