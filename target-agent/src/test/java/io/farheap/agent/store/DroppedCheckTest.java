package io.farheap.agent.store;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.records.RecordIntake;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.replication.journal.SlotLayout;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every checksum, epoch, number and sequence that the agent checks is needed: with one of them
 * gone, something that must hold does not.
 */
class DroppedCheckTest {
    /** The lives of replicas take long, and other scenarios miss the same checks. */
    static Stream<Arguments> checks() {
        return Stream.of(
                        check(RecordReader.class, "isIntact", "everyCrashIsSurvived"),
                        check(RecordReader.class, "isIntact", "noDamagedBitOfARecordIsApplied"),
                        check(RecordReader.class, "isOfEpoch", "recordsOfAnotherEpochDoNotCount"),
                        check(RecordReader.class, "isNext", "recordsOfAnotherLapDoNotCount"),
                        check(SlotLayout.class, "isIntact", "everyCrashIsSurvived"),
                        check(SlotLayout.class, "isIntact", "noDamagedBitOfASlotCounts"),
                        check(JournalLayout.class, "isIntact", "noDamagedBitOfTheHeaderIsAccepted"),
                        check(SlotReport.class, "isCurrent", "aStrangerIsNotRecognised"),
                        check(SlotReport.class, "isPreparedFor", "aStrangerIsNotRecognised"),
                        check(
                                SlotEvents.class,
                                "isPreparedFor",
                                "onlyTheOnePreparedForIsConfirmed"),
                        check(SlotEvents.class, "isFresh", "aNumberIsUsedOnce"),
                        check(SlotEvents.class, "isOwn", "aReplicaThatWasOpenedIsNotRecognised"),
                        check(ReplicaSwitch.class, "isWithinTail", "itDrainsToARecordThatItHas"),
                        check(RecordIntake.class, "followsTail", "aGapInTheStreamIsRefused"))
                .filter(
                        check ->
                                Boolean.getBoolean("test.deep")
                                        || !check.get()[2].equals("everyCrashIsSurvived"));
    }

    private static Arguments check(Class<?> owner, String check, String scenario) {
        return Arguments.of(owner, check, scenario);
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("checks")
    void isMissedByWhatItUpholds(Class<?> owner, String check, String scenario) {
        assertThatCode(() -> new WithoutCheck(owner, null).run(scenario))
                .as("with all checks")
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> new WithoutCheck(owner, check).run(scenario))
                .as("without %s.%s", owner.getSimpleName(), check)
                .matches(
                        // of another class loader
                        e ->
                                e instanceof AssertionError
                                        || e.getClass().getSimpleName().equals("Violation"));
    }
}
