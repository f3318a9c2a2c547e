package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.it.failover.Acknowledgements.One;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the judge of all rounds finds. */
class AcknowledgementsTest {
    private static final One FIRST = new One("a", 1, 1, 10, 20);
    private static final One SECOND = new One("a", 2, 1, 30, 40);
    private static final One THIRD = new One("b", 4, 2, 70, 80);

    private static void requireWrong(String content, One... acknowledged) {
        assertThatThrownBy(() -> Acknowledgements.judge(List.of(acknowledged), content))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aCommitThatDidNotReturnMayBeThere() {
        assertThatCode(() -> Acknowledgements.judge(List.of(FIRST, SECOND, THIRD), "4 1:1-3 2:4-4"))
                .doesNotThrowAnyException();
    }

    @Test
    void aCommitThatReturnedIsMissing() {
        requireWrong("1 1:1-1", FIRST, SECOND);
    }

    @Test
    void aCommitThatReturnedIsAnotherWriters() {
        requireWrong("4 1:1-1 2:2-4", FIRST, SECOND, THIRD);
    }

    @Test
    void aNumberReturnedTwice() {
        requireWrong("4 1:1-3 2:4-4", FIRST, SECOND, new One("b", 2, 2, 70, 80));
    }

    @Test
    void twoNodesHaveOneTerm() {
        requireWrong("2 1:1-2", FIRST, new One("b", 2, 1, 30, 40));
    }

    @Test
    void anEarlierWriterBeginsACommitWhenALaterOneHasAcknowledged() {
        requireWrong("4 1:1-3 2:4-4", FIRST, new One("a", 3, 1, 90, 95), THIRD);
    }

    @Test
    void aHoleIsThere() {
        requireWrong("a hole at 2", FIRST);
    }
}
