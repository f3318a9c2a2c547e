package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The writer stops at any step, whatever the store answers: the recorded copies have everything.
 */
@Timeout(900)
class CrashedWriterTest {
    private static final int EVERY_OF_TWO = Boolean.getBoolean("test.deep") ? 3 : 17;
    private static final int EVERY = Boolean.getBoolean("test.deep") ? 7 : 29;

    /** A history that nothing cuts has about 70 of them. */
    private static final int MOST_EVENTS = 90;

    @TempDir private Path directory;

    private CrashedWriter.Beginning beginning;
    private Path nodes;

    @BeforeEach
    void begin() throws IOException {
        nodes = directory.resolve("nodes");
        beginning = CrashedWriter.begin(nodes);
    }

    /** Some stops in each build; all of them in the long one. */
    @ParameterizedTest
    @EnumSource
    @Tag("sliced")
    void whereverItStopsTheOthersHaveEveryCommitThatReturned(Fate fate) throws IOException {
        assertThat(firstWrong(BrokenRule.NONE, fate, 0, EVERY)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("long")
    void whereverItStopsAtAll(Fate fate) throws IOException {
        assertThat(firstWrong(BrokenRule.NONE, fate, 0, 1)).isNull();
    }

    /** Both ways round; each stop in the long build. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    @Tag("sliced")
    void whereverWhoTakesOverStopsBothThatAreLeftGoOn(String again) throws IOException {
        assertThat(firstWrongOfTwo(again, EVERY_OF_TWO)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    @Tag("long")
    void whereverWhoTakesOverStopsAtAll(String again) throws IOException {
        assertThat(firstWrongOfTwo(again, 1)).isNull();
    }

    private String firstWrongOfTwo(String again, int step) throws IOException {
        int events = 0;
        for (int at = 0; at <= events; at += step) {
            List<String> seen = new ArrayList<>();
            String wrong =
                    new CrashedWriter(nodes, BrokenRule.NONE)
                            .runWithTwoLeft(beginning, new CrashPoint(at), again, seen);
            if (wrong != null) {
                return "stopped at " + at + ": " + wrong + "\n" + String.join("\n", seen);
            }
            events = seen.size() < at ? 0 : at + step; // to where it is not cut any more
        }
        return null;
    }

    @Test
    @Tag("deep")
    void withoutPrepareSelfAStopIsFoundAfterWhichItsCopyCouldNotTakeOver() throws IOException {
        assertThat(firstWrong(BrokenRule.PREPARE_SELF, Fate.ANSWERED, 0, 1))
                .contains("a could not take over");
    }

    @Test
    void withoutRecordBeforeAckACommitIsLost() throws IOException {
        assertThat(firstWrong(BrokenRule.RECORD_BEFORE_ACK, Fate.ANSWERED, 0, 1)).isNotNull();
    }

    @Test
    @Tag("deep")
    void whoTakesAnUnknownOutcomeForARecordLosesACommit() throws IOException {
        assertThat(firstWrong(BrokenRule.KNOWN_CAS, Fate.CUT, 0, 1)).isNotNull();
    }

    @Test
    @Tag("deep")
    void whoDoesNotSettleFirstLeavesARecordThatNobodyIsPreparedFor() throws IOException {
        assertThat(firstWrong(BrokenRule.SETTLE_FIRST, Fate.LATE, 0, 1)).isNotNull();
    }

    private String firstWrong(BrokenRule rule, Fate fate, int from, int step) throws IOException {
        int histories = 0;
        for (int at = from; at < MOST_EVENTS; at += step) {
            List<String> events = new ArrayList<>();
            String wrong =
                    new CrashedWriter(nodes, rule)
                            .run(beginning, new CrashPoint(at), faults(fate, at), events);
            histories++;
            if (wrong != null) {
                return "stopped at "
                        + at
                        + ": "
                        + wrong
                        + "\n"
                        + String.join(
                                "\n",
                                events.subList(Math.max(0, events.size() - 20), events.size()));
            }
        }
        System.out.println(rule + ", " + fate + ": " + histories + " histories, each right");
        return null;
    }

    /** Every third request fares badly, after the first ones, by which the writer is named. */
    private static StoreFaults faults(Fate fate, int seed) {
        Random random = new Random(seed);
        int[] requests = new int[1];
        return () -> requests[0]++ > 4 && random.nextInt(3) == 0 ? fate : Fate.ANSWERED;
    }
}
