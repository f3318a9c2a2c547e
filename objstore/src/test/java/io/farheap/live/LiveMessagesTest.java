package io.farheap.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A command and a program of two releases on one machine. */
class LiveMessagesTest {
    @Test
    void aQuestionOfALaterReleaseIsAnsweredWithWhatToDo() {
        ByteBuffer known = LiveMessages.requestForFigures(7);
        assertThat(LiveMessages.poolId(known)).isEqualTo(7);
        ByteBuffer later = known.putLong(0, known.getLong(0) + 1);
        assertThatThrownBy(() -> LiveMessages.poolId(later))
                .hasMessageContaining("another version of Farheap than this command")
                .hasMessageContaining("use that one's");
    }

    @Test
    void figuresThatALaterReleaseCountsBesidesDoNoHarm() {
        LiveFigures figures = LiveFigures.parse(1, "commits 5\ntides 7\n").orElseThrow();
        assertThat(figures.of("commits")).isEqualTo(5);
        assertThat(figures.of("what an earlier one does not count")).isZero();
    }
}
