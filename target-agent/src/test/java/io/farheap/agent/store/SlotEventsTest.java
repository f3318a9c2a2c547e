package io.farheap.agent.store;

import static io.farheap.replication.journal.ReplicaState.INSYNC;
import static io.farheap.replication.journal.ReplicaState.MEMORY;
import static io.farheap.replication.journal.ReplicaState.NEW;
import static io.farheap.replication.journal.ReplicaState.PROMOTED;
import static io.farheap.replication.journal.ReplicaState.SYNCING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.Refusal;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SlotEventsTest {
    private static final long L = 1000;
    private static final long N = 5000;
    private static final long OTHER = 7000;

    /** What the replica's own descriptor says, unless a program opened it. */
    private static final long RUN_ID = 2;

    private static ReplicaSlot slot(ReplicaState state, long cur, long next, long epoch) {
        return new ReplicaSlot(state, cur, next, epoch, 17, 4096, RUN_ID, 9, false, 0);
    }

    private static void assertSlot(
            ReplicaSlot slot, ReplicaState state, long cur, long next, long epoch, long applied) {
        assertThat(slot)
                .extracting(
                        ReplicaSlot::state,
                        ReplicaSlot::cur,
                        ReplicaSlot::next,
                        ReplicaSlot::journalEpoch,
                        ReplicaSlot::appliedSequence,
                        ReplicaSlot::generation)
                .containsExactly(state, cur, next, epoch, applied, 10L);
        assertThat(slot.appliedPosition()).isEqualTo(applied == 0 ? 0 : 4096);
    }

    private static void assertRefused(Code code, ThrowingCallable event) {
        assertThatThrownBy(event)
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
    }

    @Nested
    class ATerm {
        @Test
        void isKeptWhenItIsHigher() {
            ReplicaSlot slot = slot(INSYNC, L, N, L).withTerm(7);

            ReplicaSlot greeted = SlotEvents.greeted(slot, 9, 0);

            assertThat(greeted).isEqualTo(slot.withTerm(9));
            assertThat(greeted.generation()).isEqualTo(slot.generation() + 1);
        }

        @Test
        void isNotWrittenWhenItIsKnown() {
            ReplicaSlot slot = slot(INSYNC, L, 0, L).withTerm(7);
            assertThat(SlotEvents.greeted(slot, 7, 0)).isSameAs(slot);
            ReplicaSlot without = slot(SYNCING, 0, 0, 0);
            assertThat(SlotEvents.greeted(without, 0, 0)).isSameAs(without);
        }

        @Test
        void isRefusedWhenItIsLower() {
            ReplicaSlot slot = slot(INSYNC, L, 0, L).withTerm(7);
            assertRefused(Code.TERM_OVER, () -> SlotEvents.greeted(slot, 6, 0));
            assertRefused(Code.TERM_OVER, () -> SlotEvents.greeted(slot, 0, 0));
        }

        @Test
        void staysThroughEveryOtherEvent() {
            ReplicaSlot member = slot(INSYNC, L, 0, L).withTerm(7);
            ReplicaSlot prepared = SlotEvents.switching(member, L, N, RUN_ID);
            ReplicaSlot confirmed = SlotEvents.confirmed(prepared, N, true);
            ReplicaSlot copied =
                    SlotEvents.syncComplete(
                            SlotEvents.syncStarted(confirmed, RUN_ID), OTHER + 1000);
            ReplicaSlot promoted = SlotEvents.owned(member);

            assertThat(
                            List.of(
                                    prepared,
                                    confirmed,
                                    confirmed.caughtUp(),
                                    confirmed.withApplied(18, 8192),
                                    copied,
                                    SlotEvents.switching(
                                            copied, OTHER + 1000, OTHER + 3000, RUN_ID),
                                    promoted,
                                    SlotEvents.opened(promoted, OTHER + 2000),
                                    SlotEvents.restored(promoted, OTHER + 3000)))
                    .extracting(ReplicaSlot::term)
                    .containsOnly(7L);
        }

        @Test
        void countsForAFormerWritersCopyToo() {
            ReplicaSlot writers = slot(PROMOTED, RUN_ID, 0, OTHER).withTerm(7);
            assertThat(SlotEvents.returned(writers, RUN_ID, RUN_ID, 3, 640).term()).isEqualTo(7);
        }

        @Test
        void endsWithAPersonsPromotion() {
            ReplicaSlot member = slot(INSYNC, L, 0, L).withTerm(7);
            ReplicaSlot promoted = SlotEvents.promoted(member, OTHER + 1000, 17, 4096);
            assertThat(promoted.term()).isZero();
            assertThat(promoted.generation()).isEqualTo(member.generation() + 1);
        }

        @Test
        void isPassedOverByWhoKnowsOfItOnly() {
            ReplicaSlot member = slot(INSYNC, L, 0, L).withTerm(7);
            assertRefused(Code.TERM_OVER, () -> SlotEvents.requireNoRecord(member, 0));
            assertRefused(Code.TERM_OVER, () -> SlotEvents.requireNoRecord(member, 6));
            SlotEvents.requireNoRecord(member, 7);
            SlotEvents.requireNoRecord(slot(INSYNC, L, 0, L), 0);
        }
    }

    @Nested
    class AFormerWritersCopy {
        @Test
        void takesRecordsFromWhereAllCopiesAre() {
            ReplicaSlot slot =
                    SlotEvents.returned(slot(PROMOTED, RUN_ID, 0, L), RUN_ID, RUN_ID, 3, 640);

            assertThat(slot.state()).isEqualTo(INSYNC);
            assertThat(slot.cur()).isEqualTo(RUN_ID);
            assertThat(slot.next()).isZero();
            assertThat(slot.journalEpoch()).isEqualTo(RUN_ID);
            assertThat(slot.appliedSequence()).isEqualTo(3);
            assertThat(slot.appliedPosition()).isEqualTo(640);
            assertThat(slot.uncompared()).isTrue();
        }

        @Test
        void hasItsOwnTailAgainWhereNothingWasCommittedInIt() {
            ReplicaSlot member = slot(INSYNC, RUN_ID, 0, RUN_ID);

            ReplicaSlot slot =
                    SlotEvents.returned(SlotEvents.owned(member), RUN_ID, RUN_ID, 3, 640);

            assertThat(slot.appliedSequence()).isEqualTo(17);
            assertThat(slot.appliedPosition()).isEqualTo(4096);
        }

        @Test
        void isComparedWhenItIsConfirmed() {
            ReplicaSlot slot =
                    SlotEvents.returned(slot(PROMOTED, RUN_ID, 0, L), RUN_ID, RUN_ID, 3, 640);
            ReplicaSlot prepared = SlotEvents.switching(slot, RUN_ID, N, RUN_ID);
            assertThat(prepared.uncompared()).isTrue();
            assertThat(SlotEvents.switching(prepared, RUN_ID, OTHER + 1000, RUN_ID).uncompared())
                    .as("a later attempt")
                    .isTrue();
            assertThat(SlotEvents.confirmed(prepared, N, false).uncompared()).isFalse();
        }

        @Test
        void isLeftAsItIsWithAnyOtherNumber() {
            assertRefused(
                    Code.WRONG_NUMBER,
                    () -> SlotEvents.returned(slot(PROMOTED, RUN_ID, 0, L), L, RUN_ID, 0, 0));
            assertRefused(
                    Code.WRONG_NUMBER,
                    () -> SlotEvents.returned(slot(PROMOTED, L, 0, L), L, RUN_ID, 0, 0));
            assertRefused(
                    Code.WRONG_NUMBER,
                    () -> SlotEvents.returned(slot(SYNCING, RUN_ID, 0, L), RUN_ID, RUN_ID, 0, 0));
        }
    }

    @Nested
    class TheVerdict {
        private AttachDecision on(ReplicaState state, long cur, long next) {
            return SlotEvents.report(slot(state, cur, next, cur), 17, RUN_ID)
                    .decisionOn(L, List.of());
        }

        @Test
        void isNewWithoutContent() {
            assertThat(on(NEW, 0, 0)).isEqualTo(AttachDecision.NEW);
        }

        @Test
        void recognisesTheCurrentNumber() {
            assertThat(on(INSYNC, L, 0)).isEqualTo(AttachDecision.CURRENT);
            assertThat(on(INSYNC, L, OTHER)).isEqualTo(AttachDecision.CURRENT);
        }

        @Test
        void recognisesTheNumberItWasPreparedForInAnyState() {
            assertThat(on(INSYNC, OTHER, L)).isEqualTo(AttachDecision.CURRENT);
            assertThat(on(SYNCING, 0, L)).isEqualTo(AttachDecision.CURRENT);
            assertThat(on(PROMOTED, OTHER, L)).isEqualTo(AttachDecision.CURRENT);
        }

        @Test
        void callsNeitherOlderNorYoungerNumbersComparable() {
            assertThat(on(INSYNC, L - 2, 0)).isEqualTo(AttachDecision.NOT_COMPARABLE);
            assertThat(on(INSYNC, L + 2, L + 4)).isEqualTo(AttachDecision.NOT_COMPARABLE);
        }

        @Test
        void findsACopyThatNeverEnded() {
            assertThat(on(SYNCING, 0, 0)).isEqualTo(AttachDecision.SYNC_INTERRUPTED);
            assertThat(on(SYNCING, 0, OTHER)).isEqualTo(AttachDecision.SYNC_INTERRUPTED);
        }

        @Test
        void neverTakesATakenOverPoolBackByItsCurrentNumber() {
            assertThat(on(PROMOTED, L, 0)).isEqualTo(AttachDecision.TAKEN_OVER);
            assertThat(on(PROMOTED, OTHER, N)).isEqualTo(AttachDecision.TAKEN_OVER);
        }

        @Test
        void doesNotTakeNoNumberForTheMissingNextOne() {
            assertThat(
                            SlotEvents.report(slot(SYNCING, 0, 0, 0), 17, RUN_ID)
                                    .decisionOn(0, List.of()))
                    .isEqualTo(AttachDecision.SYNC_INTERRUPTED);
        }

        @Test
        void noticesAProgramThatOpenedTheFiles() {
            for (ReplicaState state : new ReplicaState[] {NEW, INSYNC, SYNCING}) {
                assertThat(
                                SlotEvents.report(slot(state, L, 0, L), 17, RUN_ID + 2)
                                        .decisionOn(L, List.of()))
                        .isEqualTo(AttachDecision.OPENED_ON_TARGET);
            }
            assertThat(
                            SlotEvents.report(slot(PROMOTED, OTHER, L, 0), 17, RUN_ID + 2)
                                    .decisionOn(L, List.of()))
                    .as("a promoted pool may be opened")
                    .isEqualTo(AttachDecision.CURRENT);
        }
    }

    @Nested
    class Hello {
        @Test
        void byTheCurrentNumberKeepsTheTail() {
            ReplicaSlot after = SlotEvents.switching(slot(INSYNC, L, 0, L), L, N, RUN_ID);
            assertSlot(after, INSYNC, L, N, L, 17);
        }

        @Test
        void byTheNextNumberMovesTheCurrentOneAndKeepsTheTail() {
            ReplicaSlot after = SlotEvents.switching(slot(INSYNC, OTHER, L, OTHER), L, N, RUN_ID);
            assertSlot(after, INSYNC, L, N, OTHER, 17);
        }

        @Test
        void makesACompleteCopyAMemberWithAnEmptyJournal() {
            ReplicaSlot after = SlotEvents.switching(slot(SYNCING, 0, L, 0), L, N, RUN_ID);
            assertSlot(after, INSYNC, L, N, L, 0);
        }

        @Test
        void takesAPromotedPoolBackWithItsOwnRunId() {
            ReplicaSlot after = SlotEvents.switching(slot(PROMOTED, OTHER, L, 0), L, N, OTHER);
            assertSlot(after, INSYNC, L, N, L, 0);
            assertThat(after.poolRunId()).isEqualTo(OTHER);
        }

        @Test
        void refusesANumberThatIsNotFresh() {
            ReplicaSlot before = slot(INSYNC, L, OTHER, N);
            for (long seen : new long[] {L, OTHER, N, 0, N + 1}) {
                assertRefused(
                        Code.WRONG_NUMBER, () -> SlotEvents.switching(before, L, seen, RUN_ID));
            }
        }
    }

    @Nested
    class Confirm {
        @Test
        void startsTheEpochWithAnEmptyJournal() {
            assertSlot(SlotEvents.confirmed(slot(INSYNC, L, N, L), N, false), INSYNC, N, 0, N, 0);
            assertSlot(SlotEvents.confirmed(slot(SYNCING, 0, N, 0), N, false), INSYNC, N, 0, N, 0);
        }

        @Test
        void isRefusedForAnyOtherNumber() {
            assertRefused(
                    Code.WRONG_NUMBER,
                    () -> SlotEvents.confirmed(slot(INSYNC, L, OTHER, L), N, false));
            assertRefused(
                    Code.WRONG_NUMBER, () -> SlotEvents.confirmed(slot(INSYNC, L, 0, L), 0, false));
        }

        @Test
        void isRefusedOncePromoted() {
            assertRefused(
                    Code.WRONG_NUMBER,
                    () -> SlotEvents.confirmed(slot(PROMOTED, L, N, 0), N, false));
        }
    }

    @Nested
    class Copy {
        @Test
        void forgetsAllNumbersBeforeItsFirstByte() {
            for (ReplicaState state : new ReplicaState[] {NEW, INSYNC, SYNCING, PROMOTED}) {
                ReplicaSlot after = SlotEvents.syncStarted(slot(state, L, N, L), RUN_ID + 2);
                assertSlot(after, SYNCING, 0, 0, 0, 0);
                assertThat(after.poolRunId()).isEqualTo(RUN_ID + 2);
            }
        }

        @Test
        void isNeverMadeToAProgramsMemory() {
            ReplicaSlot memory = slot(MEMORY, L, 0, L);
            assertRefused(Code.WRONG_POOL, () -> SlotEvents.syncStarted(memory, RUN_ID));
            assertRefused(Code.WRONG_POOL, () -> SlotEvents.switching(memory, L, N, RUN_ID));
            assertRefused(Code.WRONG_NUMBER, () -> SlotEvents.confirmed(memory, N, false));
            assertRefused(Code.WRONG_STATE, () -> SlotEvents.promoted(memory, OTHER, 17, 4096));
            assertRefused(Code.WRONG_STATE, () -> SlotEvents.restored(memory, N));
        }

        @Test
        void isKnownByTheNextNumberWhenComplete() {
            assertSlot(SlotEvents.syncComplete(slot(SYNCING, 0, 0, 0), N), SYNCING, 0, N, 0, 17);
        }

        @Test
        void cannotBeCompletedUnlessBegun() {
            assertRefused(
                    Code.WRONG_STATE, () -> SlotEvents.syncComplete(slot(INSYNC, L, 0, L), N));
        }
    }

    @Nested
    class Memory {
        @Test
        void startsWithAnEmptyJournalOfAFreshNumber() {
            ReplicaSlot after = SlotEvents.memoryStarted(slot(MEMORY, L, 0, L), N);
            assertSlot(after, MEMORY, N, 0, N, 0);
        }

        @Test
        void needsANumberThatNoRecordOfItsJournalHas() {
            assertRefused(
                    Code.WRONG_NUMBER, () -> SlotEvents.memoryStarted(slot(MEMORY, L, 0, L), L));
        }

        @Test
        void isNeverMadeOfAReplica() {
            for (ReplicaState state : new ReplicaState[] {NEW, INSYNC, SYNCING, PROMOTED}) {
                assertRefused(
                        Code.WRONG_POOL, () -> SlotEvents.memoryStarted(slot(state, L, 0, L), N));
            }
        }
    }

    @Nested
    class Promotion {
        @Test
        void makesAPoolOfItsOwnAndKeepsTheOldRunIdUntilTheNewOneIsStored() {
            ReplicaSlot after = SlotEvents.promoted(slot(INSYNC, L, N, L), OTHER, 17, 4096);
            assertSlot(after, PROMOTED, OTHER, 0, L, 17);
            assertThat(after.poolRunId()).isEqualTo(RUN_ID);
        }

        @Test
        void isRefusedWithoutWholeContent() {
            for (ReplicaState state : new ReplicaState[] {NEW, SYNCING}) {
                assertRefused(
                        Code.WRONG_STATE,
                        () -> SlotEvents.promoted(slot(state, 0, N, 0), OTHER, 0, 0));
            }
        }

        @Test
        void followsTheOwnersNumberWhenThePoolWasOpened() {
            ReplicaSlot after = SlotEvents.opened(slot(PROMOTED, L, N, OTHER), 88);
            assertSlot(after, PROMOTED, 88, 0, OTHER, 0);
            assertThat(after.poolRunId()).isEqualTo(88);
        }

        @Test
        void isGivenBackUnderAFreshNumberOnly() {
            assertSlot(SlotEvents.restored(slot(PROMOTED, L, 0, 0), N), PROMOTED, L, N, 0, 17);
            assertRefused(Code.WRONG_NUMBER, () -> SlotEvents.restored(slot(PROMOTED, L, N, 0), N));
            assertRefused(Code.WRONG_STATE, () -> SlotEvents.restored(slot(INSYNC, L, 0, L), N));
        }
    }
}
