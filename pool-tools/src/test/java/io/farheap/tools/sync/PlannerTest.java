package io.farheap.tools.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.survey.NumberedPool;
import io.farheap.tools.survey.RemoteFinding;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What follows from what was found: real local parts, remote replicas as agents describe them. */
class PlannerTest {
    private static final long L = 1000;
    private static final long OTHER = 7000;
    private static final RemoteReplica ONE = new RemoteReplica(null, "one", 0, "copy.set");
    private static final RemoteReplica TWO = new RemoteReplica("me", "two", 22, "copy.set");

    @TempDir Path dir;

    private final List<RemoteFinding> remotes = new ArrayList<>();
    private Path set;
    private Blob header;

    /** Master: a and b; local replica: c. The remote ones exist only as findings. */
    @BeforeEach
    void createPool() throws IOException {
        set = NumberedPool.create(dir, "one copy.set", "me@two:22 copy.set");
        header = NumberedPool.run(set, L);
    }

    @Nested
    class LocalParts {
        @Test
        void nothingIsToBeDoneWhereAllIsHealthy() {
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(plan.problems()).isEmpty();
            assertThat(plan.steps()).isEmpty();
        }

        @Test
        void aMissingPartComesFromTheOtherReplica() throws IOException {
            lose("b");
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(plan.problems())
                    .containsExactly("replica 0 part 1: " + dir.resolve("b") + " is missing");
            assertThat(plan.steps()).containsExactly(partsFrom(1));
        }

        @Test
        void soDoesOneWithABrokenHeader() throws IOException {
            damage("c", 100);
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(plan.problems()).hasSize(1);
            assertThat(plan.problems().get(0))
                    .startsWith("replica 1 part 0: " + dir.resolve("c"))
                    .contains("checksum");
            assertThat(plan.steps()).containsExactly(partsFrom(0));
        }

        @Test
        void nothingCanBeDoneWhereEveryReplicaLostOne() throws IOException {
            lose("a");
            damage("c", 100);
            assertThat(refusal(Category.BAD_DATA))
                    .contains("no healthy replica found", dir.resolve("a") + " is missing");
        }

        @Test
        void aPartInUseIsNotTouched() throws IOException {
            lose("b");
            try (var unused = io.farheap.memory.NativeFile.open(dir.resolve("c"))) {
                unused.lock();
                assertThat(refusal(Category.ENVIRONMENT))
                        .contains(dir.resolve("c").toString(), "in use by this process");
            }
        }

        @Test
        void anOlderReplicaIsNotCopiedOverANewerOneThatLostAPart() throws IOException {
            Path old = Files.copy(dir.resolve("c"), dir.resolve("old"));
            NumberedPool.run(set, L + 2);
            Files.move(old, dir.resolve("c"), StandardCopyOption.REPLACE_EXISTING);
            lose("b");
            assertThat(refusal(Category.BAD_DATA))
                    .contains("later run (number 1002)", "replica 1 (number 1000)", "move");

            lose("a");
            assertThat(plan(SyncOptions.NONE).steps()).containsExactly(partsFrom(1));
        }

        @Test
        void anOlderReplicaIsNotCopiedOverANewerOneWhoseHeaderIsBroken() throws IOException {
            Path old = Files.copy(dir.resolve("c"), dir.resolve("old"));
            NumberedPool.run(set, L + 2);
            Files.move(old, dir.resolve("c"), StandardCopyOption.REPLACE_EXISTING);
            damage("a", 100);
            assertThat(refusal(Category.BAD_DATA))
                    .contains("later run (number 1002)", "replica 1 (number 1000)", "move");
        }

        @Test
        void aNewerReplicaIsNotMixedIntoAnOlderOneThatLostAPart() throws IOException {
            Path old = Files.copy(dir.resolve("a"), dir.resolve("old"));
            NumberedPool.run(set, L + 2);
            Files.move(old, dir.resolve("a"), StandardCopyOption.REPLACE_EXISTING);
            lose("b");
            assertThat(refusal(Category.BAD_DATA))
                    .contains("earlier run (number 1000)", "replica 1 (number 1002)", "move");
        }

        @Test
        void healthyReplicasOfDifferentRunsAreLeftAlone() throws IOException {
            Path old = Files.copy(dir.resolve("c"), dir.resolve("old"));
            NumberedPool.run(set, L + 2);
            damage("c", 9 << 20); // both are of one run: sync does not look further
            assertThat(plan(SyncOptions.NONE).steps()).isEmpty();

            Files.move(old, dir.resolve("c"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(plan(SyncOptions.NONE).steps()).as("only the numbers differ").isEmpty();

            damage("c", 9 << 20);
            assertThat(refusal(Category.BAD_DATA))
                    .contains(
                            "replica 0 (" + dir.resolve("a") + ") has number 1002",
                            "replica 1 (" + dir.resolve("c") + ") has number 1000",
                            "farheap sync " + set);
        }

        @Test
        void partsOfTwoPoolsAreNotMixed() throws IOException {
            Path other = dir.resolve("other.set");
            Files.writeString(other, "PMEMPOOLSET\n5M %1$s/oa\n5M %1$s/ob\n".formatted(dir));
            PoolFiles.create(PoolSource.of(other), CreateOptions.withLayout("x"), memory -> {})
                    .close();
            Files.move(dir.resolve("ob"), dir.resolve("b"), StandardCopyOption.REPLACE_EXISTING);
            lose("c");
            assertThat(refusal(Category.BAD_DATA)).contains(dir.resolve("b").toString());
        }

        private SyncStep partsFrom(int source) {
            return new SyncStep.RestoreParts(source, "restore these parts from replica " + source);
        }
    }

    /** The local pool is there and has the number L. */
    @Nested
    class RemoteReplicas {
        @ParameterizedTest(name = "{0} cur={1} next={2}: {3}")
        @CsvSource({
            "INSYNC,   1000, 0,    nothing",
            "INSYNC,   1000, 7000, nothing",
            "INSYNC,   7000, 1000, nothing",
            "NEW,      0,    0,    copy",
            "SYNCING,  0,    0,    copy",
            "SYNCING,  0,    7000, copy",
            "SYNCING,  0,    1000, attach",
            "PROMOTED, 7000, 1000, attach",
            "PROMOTED, 7000, 0,    refused",
            "INSYNC,   7000, 0,    refused",
            "INSYNC,   999,  1001, refused",
        })
        void areBroughtUpAsTheirNumbersAllow(
                ReplicaState state, long cur, long next, String outcome) {
            found(ONE, slot(state, cur, next));
            switch (outcome) {
                case "nothing" -> assertThat(plan(SyncOptions.NONE).steps()).isEmpty();
                case "attach" -> assertThat(attach(SyncOptions.NONE).fullCopies()).isZero();
                case "copy" -> {
                    assertThat(attach(SyncOptions.NONE).fullCopies()).isOne();
                    assertThat(attach(SyncOptions.NONE).overwrite()).isEmpty();
                }
                default -> {
                    assertThat(refusal(Category.REPLICA))
                            .contains(
                                    "one copy.set",
                                    "number " + L,
                                    "number " + cur,
                                    "to keep the local pool: farheap sync --overwrite",
                                    "to keep the replica:");
                    assertThat(attach(overwriting(ONE)).overwrite()).containsExactly(ONE);
                }
            }
        }

        @Test
        void getAFullCopyWhereTheTargetHasNothing() {
            found(ONE, null);
            assertThat(attach(SyncOptions.NONE).fullCopies()).isOne();
            assertThat(attach(SyncOptions.NONE).overwrite()).isEmpty();
            assertThat(plan(SyncOptions.NONE).problems())
                    .containsExactly("replica 2 (one copy.set): has no files on the target yet");
        }

        @Test
        void areMadeAnewWhereAPartIsBrokenAndTheirNumberProvesThatNothingIsLost() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0), "/there/copy is missing");
            assertThat(attach(SyncOptions.NONE).overwrite()).containsExactly(ONE);
            assertThat(plan(SyncOptions.NONE).problems())
                    .containsExactly("replica 2 (one copy.set): /there/copy is missing");
        }

        @Test
        void areLeftAloneWhereAPartIsBrokenAndTheNumberProvesNothing() {
            found(ONE, slot(ReplicaState.INSYNC, OTHER, 0), "/there/copy is missing");
            assertThat(refusal(Category.REPLICA)).contains("can't be compared");
        }

        @Test
        void areLeftAloneWhereNothingTellsHowOldTheyAre() {
            found(ONE, null, "/there/copy.journal is missing");
            assertThat(refusal(Category.REPLICA)).contains("nothing tells", "--overwrite");
            assertThat(attach(overwriting(ONE)).overwrite()).containsExactly(ONE);
        }

        @Test
        void areLeftAloneWhereAProgramOpenedTheirFiles() {
            found(ONE, new SlotReport(ReplicaState.INSYNC, L, 0, L, 5, 0, 4, true, false));
            assertThat(refusal(Category.REPLICA)).contains("past the agent");
        }

        @Test
        void areNotTakenFromALivingHolderUnlessOrdered() {
            remotes.add(finding(ONE, slot(ReplicaState.NEW, 0, 0), "process 5", header));
            assertThat(refusal(Category.REPLICA)).contains("attached to process 5", "--take-over");
            assertThat(attach(new SyncOptions(true, Set.of(), null)).fullCopies()).isOne();
        }

        @Test
        void areTakenOverByOrderEvenIfNothingIsBroken() {
            remotes.add(finding(ONE, slot(ReplicaState.INSYNC, L, 0), "process 5", header));
            assertThat(plan(SyncOptions.NONE).steps()).isEmpty();
            assertThat(attach(new SyncOptions(true, Set.of(), null)).fullCopies()).isZero();
        }

        @Test
        void areOlderThanTheOneThatACutRunRestoredThePoolFrom() {
            found(
                    ONE,
                    new SlotReport(
                            ReplicaState.PROMOTED, OTHER, L, 500, 5, 0, OTHER, false, false));
            found(TWO, slot(ReplicaState.INSYNC, 500, 0));
            assertThat(attach(SyncOptions.NONE).overwrite()).containsExactly(TWO);
            assertThat(attach(SyncOptions.NONE).fullCopies()).isOne();
        }

        @Test
        void areNotOlderForHavingAnEpochThatTheSourceNeverHad() {
            found(
                    ONE,
                    new SlotReport(
                            ReplicaState.PROMOTED, OTHER, L, 500, 5, 0, OTHER, false, false));
            found(TWO, slot(ReplicaState.INSYNC, 600, 0));
            assertThat(refusal(Category.REPLICA)).contains("can't be compared");
        }

        @Test
        void ofAnotherPoolAreRefused() {
            byte[] foreign = header.toByteArray();
            foreign[24] ^= 1; // in the poolset uuid
            ReplicaState state = ReplicaState.INSYNC;
            remotes.add(finding(ONE, slot(state, L, 0), "", Blob.of(foreign)));
            assertThat(refusal(Category.REPLICA)).contains("another pool");
        }

        @Test
        void comeAfterTheLocalPartsTheyAreCopiedFrom() throws IOException {
            lose("a");
            found(ONE, slot(ReplicaState.SYNCING, 0, 0));
            assertThat(plan(SyncOptions.NONE).steps())
                    .hasExactlyElementsOfTypes(SyncStep.RestoreParts.class, SyncStep.Attach.class);
        }
    }

    /** A record in a store says which copies count: no person is asked to decide between two. */
    @Nested
    class UnderAutomaticFailOver {
        private void assertRefused(SyncOptions orders, String why) {
            assertThatThrownBy(() -> plan(orders))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.REPLICA))
                    .hasMessageContainingAll(why, "farheap ha status", "promote --despite-record")
                    .hasMessageNotContainingAny("--overwrite", "--from");
        }

        @ParameterizedTest
        @CsvSource({"NEW, 0", "SYNCING, 0", "INSYNC, 7000", "PROMOTED, 7000"})
        void nothingIsCopiedToAReplica(ReplicaState state, long cur) {
            found(ONE, slot(state, cur, 0).inTerm(7));
            assertRefused(
                    SyncOptions.NONE, "replica 2 (one copy.set) has heard a writer of term 7");
            assertRefused(overwriting(ONE), "term 7");
            assertRefused(new SyncOptions(false, Set.of(), ONE), "term 7");
        }

        @Test
        void aNodeThatHasWrittenIsToldByItsOwnFile() throws IOException {
            Path term = Files.createFile(dir.resolve("a.term"));
            found(ONE, slot(ReplicaState.NEW, 0, 0));
            assertRefused(SyncOptions.NONE, term + " is there");
        }

        @Test
        void aLostPoolIsNotTakenFromAReplica() throws IOException {
            lose("a");
            lose("b");
            lose("c");
            found(ONE, slot(ReplicaState.INSYNC, L, 0).inTerm(7));
            assertRefused(SyncOptions.NONE, "term 7");
        }

        @Test
        void partsComeFromAnotherLocalReplicaAsEver() throws IOException {
            lose("b");
            found(ONE, slot(ReplicaState.INSYNC, L, 0).inTerm(7));
            assertThat(plan(SyncOptions.NONE).steps())
                    .hasExactlyElementsOfTypes(SyncStep.RestoreParts.class);
        }
    }

    /** No local replica is whole. */
    @Nested
    class LostPool {
        @BeforeEach
        void loseIt() throws IOException {
            lose("a");
            lose("b");
            lose("c");
        }

        @ParameterizedTest
        @CsvSource({
            "INSYNC,   7000, 0",
            "INSYNC,   7000, 8000",
            "PROMOTED, 7000, 0",
            "PROMOTED, 7000, 8000"
        })
        void comesBackFromACompleteCopy(ReplicaState state, long cur, long next) {
            found(ONE, slot(state, cur, next));
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(plan.problems()).hasSize(3).allMatch(p -> p.endsWith("is missing"));
            assertThat(restoredFrom(plan)).isEqualTo(ONE);
            assertThat(attach(SyncOptions.NONE).fullCopies()).isZero();
        }

        @Test
        void neverComesFromAnEmptyOrHalfCopy() {
            found(ONE, slot(ReplicaState.NEW, 0, 0));
            found(TWO, slot(ReplicaState.SYNCING, 0, L));
            assertThat(refusal(Category.BAD_DATA))
                    .contains(
                            "no healthy replica found",
                            "replica 2 (one copy.set) holds no complete copy",
                            "replica 3 (me@two:22 copy.set) holds no complete copy");
        }

        @Test
        void neverComesFromABrokenCopyOrOneThatAProgramOpened() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0), "/there/copy is missing");
            found(TWO, new SlotReport(ReplicaState.INSYNC, L, 0, L, 5, 0, 4, true, false));
            assertThat(refusal(Category.BAD_DATA))
                    .contains("is broken: /there/copy is missing", "past the agent");
        }

        @Test
        void isNotTakenFromALivingHolderUnlessOrdered() {
            remotes.add(finding(ONE, slot(ReplicaState.INSYNC, L, 0), "process 5", header));
            assertThat(refusal(Category.REPLICA)).contains("attached to process 5");
            assertThat(restoredFrom(plan(new SyncOptions(true, Set.of(), null)))).isEqualTo(ONE);
        }

        @ParameterizedTest(name = "{0}/{1}/{2}, {3}/{4}/{5}: {6}")
        @CsvSource({
            // One epoch: the longer tail; both have every commit that returned.
            "INSYNC, 1000, 0,    5, INSYNC, 1000, 0,    9, two",
            "INSYNC, 1000, 8000, 9, INSYNC, 1000, 0,    5, one",
            // The switch was cut between their confirmations: the confirmed one.
            "INSYNC, 1000, 8000, 9, INSYNC, 8000, 0,    0, two",
            "INSYNC, 8000, 0,    0, INSYNC, 1000, 8000, 9, one",
            // Nothing proves anything.
            "INSYNC, 1000, 0,    9, INSYNC, 8000, 0,    5, undecided",
            // Nobody else counts.
            "NEW,    0,    0,    0, INSYNC, 8000, 0,    5, two",
            "INSYNC, 1000, 0,    5, SYNCING, 0,   0,    0, one",
        })
        void comesFromTheNewestOfTwo(
                ReplicaState state1,
                long cur1,
                long next1,
                long last1,
                ReplicaState state2,
                long cur2,
                long next2,
                long last2,
                String newest) {
            found(ONE, new SlotReport(state1, cur1, next1, cur1, 0, last1, 2, false, false));
            found(TWO, new SlotReport(state2, cur2, next2, cur2, 0, last2, 2, false, false));
            if (newest.equals("undecided")) {
                assertThat(refusal(Category.REPLICA))
                        .contains("is newer can't be known", "--overwrite \"me@two:22 copy.set\"");
                assertThat(restoredFrom(plan(overwriting(TWO)))).isEqualTo(ONE);
                assertThat(restoredFrom(plan(overwriting(ONE)))).isEqualTo(TWO);
                assertThat(attach(overwriting(ONE)).overwrite()).containsExactly(ONE);
                return;
            }
            RemoteReplica source = newest.equals("one") ? ONE : TWO;
            RemoteReplica rest = newest.equals("one") ? TWO : ONE;
            ReplicaState restState = newest.equals("one") ? state2 : state1;
            assertThat(restoredFrom(plan(SyncOptions.NONE))).isEqualTo(source);
            assertThat(attach(SyncOptions.NONE).fullCopies()).isOne();
            assertThat(attach(SyncOptions.NONE).overwrite())
                    .isEqualTo(restState == ReplicaState.INSYNC ? Set.of(rest) : Set.of());
        }

        @Test
        void mayComeFromAnotherOneWhereTheFirstTurnsOutToBeDamaged() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            found(TWO, slot(ReplicaState.INSYNC, L, 0));
            assertThat(others(plan(SyncOptions.NONE))).containsExactly(TWO);
            assertThat(others(plan(overwriting(TWO)))).as("its content does not count").isEmpty();

            remotes.remove(1);
            found(TWO, slot(ReplicaState.SYNCING, 0, 0));
            assertThat(others(plan(SyncOptions.NONE))).as("half a copy").isEmpty();
        }

        @Test
        void comesFromTheOneThatACutRunHasPromotedAlready() {
            found(ONE, new SlotReport(ReplicaState.INSYNC, L, 0, L, 0, 9, 2, false, false));
            found(
                    TWO,
                    new SlotReport(ReplicaState.PROMOTED, OTHER, 0, L, 5, 0, OTHER, false, false));
            assertThat(restoredFrom(plan(SyncOptions.NONE))).isEqualTo(TWO);
            assertThat(attach(SyncOptions.NONE).overwrite()).containsExactly(ONE);
        }

        /**
         * The one that commits waited for has all; the other only what it has as many records of.
         */
        @ParameterizedTest
        @CsvSource({"3,4,two", "4,4,one", "5,4,one"})
        void comesFromOneThatCommitsDidNotWaitForOnlyIfItHasAll(
                long lagging, long waitedFor, String newest) {
            found(ONE, new SlotReport(ReplicaState.INSYNC, L, 0, L, 0, lagging, 2, false, true));
            found(TWO, new SlotReport(ReplicaState.INSYNC, L, 0, L, 0, waitedFor, 2, false, false));
            assertThat(restoredFrom(plan(SyncOptions.NONE)))
                    .isEqualTo(newest.equals("one") ? ONE : TWO);
        }

        @Test
        void isNotGuessedWhereOneThatCommitsDidNotWaitForWasPromoted() {
            found(ONE, new SlotReport(ReplicaState.INSYNC, L, 0, L, 0, 10, 2, false, false));
            found(
                    TWO,
                    new SlotReport(ReplicaState.PROMOTED, OTHER, 0, L, 9, 0, OTHER, false, true));
            assertThat(refusal(Category.REPLICA)).contains("is newer can't be known");
        }

        @Test
        void isNotGuessedWhereTwoWerePromoted() {
            found(ONE, new SlotReport(ReplicaState.PROMOTED, 8000, 0, L, 5, 0, 8000, false, false));
            found(
                    TWO,
                    new SlotReport(ReplicaState.PROMOTED, OTHER, 0, L, 5, 0, OTHER, false, false));
            assertThat(refusal(Category.REPLICA)).contains("is newer can't be known");
        }

        @Test
        void doesNotOverwriteAReplicaThatTellsNothingOfItself() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            found(TWO, null, "/there/copy.journal is missing");
            assertThat(refusal(Category.REPLICA)).contains("is newer can't be known");
            assertThat(attach(overwriting(TWO)).overwrite()).containsExactly(TWO);
        }
    }

    /** Some of it is left here. */
    @Nested
    class HalfAPool {
        @ParameterizedTest
        @CsvSource({
            "INSYNC,   1000, 0,    1000, true",
            "INSYNC,   7000, 1000, 7000, true",
            "PROMOTED, 7000, 0,    1000, true",
            "PROMOTED, 7000, 1000, 500,  true",
            "INSYNC,   7000, 0,    7000, false",
            "PROMOTED, 7000, 0,    500,  false",
        })
        void isReplacedByAReplicaThatIsKnownToGoOnFromIt(
                ReplicaState state, long cur, long next, long epoch, boolean known)
                throws IOException {
            lose("b");
            lose("c");
            found(ONE, new SlotReport(state, cur, next, epoch, 5, 0, cur, false, false));
            if (known) {
                assertThat(restoredFrom(plan(SyncOptions.NONE))).isEqualTo(ONE);
            } else {
                assertThat(refusal(Category.REPLICA))
                        .contains("number " + cur, "number " + L, "move " + dir.resolve("a"));
            }
        }

        @Test
        void isNotReplacedWhereOnlyItsHeaderIsBrokenAndItsNumberProvesNothing() throws IOException {
            damage("a", 100);
            lose("c");
            found(ONE, slot(ReplicaState.INSYNC, OTHER, 0));
            assertThat(refusal(Category.REPLICA))
                    .contains("number " + OTHER, "number " + L, "move " + dir.resolve("a"));
        }

        @Test
        void isReplacedWhereThePartThatKnowsItsNumberIsLost() throws IOException {
            damage("a", 100);
            damage("a", 5000);
            lose("c");
            found(ONE, slot(ReplicaState.INSYNC, OTHER, 0));
            assertThat(restoredFrom(plan(SyncOptions.NONE))).isEqualTo(ONE);
        }

        /** The replica of that line may be the newest of all. */
        @Test
        void isReplacedByOrderOnlyWhereALineOfItsPoolsetFileIsGone() throws IOException {
            Files.writeString(
                    set,
                    "PMEMPOOLSET\n5M %1$s/a\n5M %1$s/b\nREPLICA one copy.set\n".formatted(dir));
            lose("a");
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            assertThat(refusal(Category.BAD_DATA))
                    .contains(
                            "made with one more replica, which the poolset file " + set + " lacks")
                    .contains("put the REPLICA line and its parts back")
                    .endsWith("farheap sync --from \"one copy.set\" " + set);
            assertThat(restoredFrom(plan(new SyncOptions(false, Set.of(), ONE)))).isEqualTo(ONE);
        }
    }

    @Nested
    class PartsTogether {
        @BeforeEach
        void eachReplicaLostAnotherPart() throws IOException {
            lose("a");
            lose("b");
            lose("c");
            String lines =
                    "PMEMPOOLSET\n4M @a\n3M @b\n3M @c\nREPLICA\n4M @d\n3M @e\n3M @f\n"
                            + "REPLICA one copy.set\n";
            Files.writeString(set, lines.replace("@", dir + "/"));
            PoolFiles.create(PoolSource.of(set), CreateOptions.withLayout("x"), memory -> {})
                    .close();
            header = NumberedPool.run(set, L);
            lose("b");
            lose("f");
        }

        @Test
        void areTakenWhereNoRemoteReplicaIsWholeWhichGetsAllOfThePool() {
            found(ONE, null);
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(plan.steps())
                    .hasExactlyElementsOfTypes(SyncStep.CombineParts.class, SyncStep.Attach.class);
            assertThat(((SyncStep.CombineParts) plan.steps().get(0)).pieces())
                    .extracting(Piece::replica, Piece::part)
                    .containsExactly(tuple(0, 0), tuple(1, 1), tuple(0, 2));
        }

        @Test
        void areNotTakenWhereARemoteReplicaIsWhole() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            assertThat(restoredFrom(plan(SyncOptions.NONE))).isEqualTo(ONE);
        }

        /** What returned without it may be here alone. */
        @Test
        void areTakenWhereTheRemoteReplicaMayLag() {
            found(ONE, new SlotReport(ReplicaState.INSYNC, L, 0, L, 5, 0, L, false, true));
            assertThat(refusal(Category.REPLICA))
                    .contains("unasked while no local replica is whole: commits did not wait")
                    .endsWith("farheap sync --overwrite \"one copy.set\" " + set);
            assertThat(plan(overwriting(ONE)).steps())
                    .hasExactlyElementsOfTypes(SyncStep.CombineParts.class, SyncStep.Attach.class);
        }

        @Test
        void areNotGivenUpForARemoteReplicaOfAnotherNumber() {
            found(ONE, slot(ReplicaState.INSYNC, OTHER, 0));
            assertThat(refusal(Category.REPLICA)).doesNotContain("move");
            assertThat(plan(overwriting(ONE)).steps().get(0))
                    .isInstanceOf(SyncStep.CombineParts.class);
        }

        @Test
        void areNotGivenUpUnaskedForALaggingReplicaWhereADoubtCanBeMended() throws IOException {
            Files.write(dir.resolve("f"), new byte[4096]);
            found(ONE, lagging());
            assertThat(refusal(Category.BAD_DATA))
                    .contains(
                            dir.resolve("f") + " has 4096 bytes, and the poolset file says 3145728",
                            "what replica 2 (one copy.set) lacks (commits did not wait for it)")
                    .endsWith("farheap sync --from \"one copy.set\" " + set);
            assertThat(restoredFrom(plan(new SyncOptions(false, Set.of(), ONE)))).isEqualTo(ONE);

            remotes.clear();
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(restoredFrom(plan)).isEqualTo(ONE);
            assertThat(plan.problems())
                    .anyMatch(problem -> problem.contains(" has 4096 bytes, and the poolset"));
        }

        @Test
        void soItIsWhereTheLineOfAMissingPartWasChanged() throws IOException {
            String lines = Files.readString(set);
            Files.writeString(set, lines.replace("3M " + dir + "/b", "4M " + dir + "/b"));
            found(ONE, lagging());
            assertThat(refusal(Category.BAD_DATA))
                    .contains(
                            "part 2 of replica 0 (" + dir.resolve("c") + ") can't be placed",
                            "farheap sync --from");
        }

        @Test
        void areGivenUpForALaggingReplicaWhereARangeIsInNone() throws IOException {
            lose("e");
            found(ONE, lagging());
            SyncPlan plan = plan(SyncOptions.NONE);
            assertThat(restoredFrom(plan)).isEqualTo(ONE);
            assertThat(plan.problems())
                    .anyMatch(problem -> problem.contains("they do not have all of it together"));
        }

        /** To go on without the one that can't be reached is no way: these are the newest. */
        @Test
        void areNotGivenUpForALaggingReplicaWhereAnotherOneCanNotBeReached() {
            found(ONE, lagging());
            FarheapException gone = FarheapException.replica("there is no route");
            List<Unreached> unreached = List.of(new Unreached(3, TWO, gone));
            assertThatThrownBy(() -> plan(SyncOptions.NONE, unreached)).isSameAs(gone);

            SyncOptions from = new SyncOptions(false, Set.of(), ONE);
            assertThatThrownBy(() -> plan(from, unreached))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContainingAll(
                            "lacks what was committed here since (number 1000)",
                            "move the part files here away");
            assertThatThrownBy(() -> plan(from)).hasMessageContaining("lacks what was committed");
        }

        /** It may be found: then they have all that commits waited for. */
        @Test
        void areNotGivenUpUnaskedForALaggingReplicaWhereAFirstPartIsLost() throws IOException {
            lose("d");
            found(ONE, lagging());
            assertThat(refusal(Category.BAD_DATA))
                    .contains("are left only in part 1 of replica 1", "put the first part back")
                    .endsWith("farheap sync --from \"one copy.set\" " + set);
        }

        /** Nothing but this run says that what was put together is the pool. */
        @Test
        void aFaultyRemoteReplicaOfTheSameRunIsNotCopiedOverUnasked() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0), "part 1 is missing");
            assertThat(refusal(Category.REPLICA))
                    .contains("part 1 is missing", "while no local replica is whole")
                    .endsWith("farheap sync --overwrite \"one copy.set\" " + set);
            SyncPlan plan = plan(overwriting(ONE));
            assertThat(plan.steps())
                    .hasExactlyElementsOfTypes(SyncStep.CombineParts.class, SyncStep.Attach.class);
        }

        @Test
        void aRemoteReplicaThatHasAllNamesThemWhereItsContentTurnsOutDamaged() throws IOException {
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            assertThat(((SyncStep.RestorePool) plan(SyncOptions.NONE).steps().get(0)).fromParts())
                    .isEqualTo("farheap sync --overwrite \"one copy.set\" " + set);
            lose("e");
            assertThat(((SyncStep.RestorePool) plan(SyncOptions.NONE).steps().get(0)).fromParts())
                    .isEmpty();
        }

        /** It may have commits of its own, and be repaired. */
        @Test
        void aPromotedOneNamesThemNot() {
            found(
                    ONE,
                    new SlotReport(ReplicaState.PROMOTED, OTHER, 0, L, 5, 0, OTHER, false, false));
            SyncStep first = plan(new SyncOptions(false, Set.of(), ONE)).steps().get(0);
            assertThat(((SyncStep.RestorePool) first).fromParts()).isEmpty();
        }

        @Test
        void whatIsGivenUpWithOneThatCanNotBeReachedIsSaid() throws IOException {
            lose("e");
            found(ONE, lagging());
            FarheapException gone = FarheapException.replica("there is no route");
            assertThatThrownBy(() -> plan(SyncOptions.NONE, List.of(new Unreached(3, TWO, gone))))
                    .hasMessageContainingAll(
                            "go on without it and what is left here (they do not have all of it",
                            "farheap sync --from \"one copy.set\"");
        }

        @Test
        void noRemoteReplicaIsNamedInTheirPlaceWhereARecordSaysWhichCopiesCount()
                throws IOException {
            Files.write(dir.resolve("f"), new byte[4096]);
            found(ONE, lagging().inTerm(7));
            assertThatThrownBy(() -> plan(SyncOptions.NONE))
                    .hasMessageContainingAll("term 7", "farheap ha status")
                    .hasMessageNotContaining("--from");
        }

        private SlotReport lagging() {
            return new SlotReport(ReplicaState.INSYNC, L, 0, L, 5, 0, L, false, true);
        }

        @Test
        void areTakenWhereTheRemoteReplicaIsToBeOverwritten() {
            found(ONE, slot(ReplicaState.INSYNC, L, 0));
            assertThat(plan(overwriting(ONE)).steps())
                    .hasExactlyElementsOfTypes(SyncStep.CombineParts.class, SyncStep.Attach.class);
        }
    }

    // ----

    private void lose(String part) throws IOException {
        Files.delete(dir.resolve(part));
    }

    private void damage(String part, long offset) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "rw")) {
            file.seek(offset);
            int before = file.read();
            file.seek(offset);
            file.write(before ^ 1);
        }
    }

    private static SlotReport slot(ReplicaState state, long cur, long next) {
        return new SlotReport(state, cur, next, cur, 5, 2, 2, false, false);
    }

    private void found(RemoteReplica replica, SlotReport slot, String... faults) {
        Blob page = slot == null ? Blob.EMPTY : header;
        ReplicaReport report = new ReplicaReport(slot, page, 10 << 20, List.of(faults), "");
        remotes.add(new RemoteFinding(2 + remotes.size(), remotes.size(), replica, report));
    }

    private static RemoteFinding finding(
            RemoteReplica replica, SlotReport slot, String holder, Blob header) {
        ReplicaReport report = new ReplicaReport(slot, header, 10 << 20, List.of(), holder);
        return new RemoteFinding(2, 0, replica, report);
    }

    private static SyncOptions overwriting(RemoteReplica replica) {
        return new SyncOptions(false, Set.of(replica), null);
    }

    private SyncPlan plan(SyncOptions orders) {
        return plan(orders, List.of());
    }

    private SyncPlan plan(SyncOptions orders, List<Unreached> unreached) {
        PoolInspection local = PoolInspection.of(PoolSource.of(set).existing());
        return Planner.plan(set, new FoundReplicas(local, remotes, unreached), orders);
    }

    private SyncStep.Attach attach(SyncOptions orders) {
        List<SyncStep> steps = plan(orders).steps();
        assertThat(steps).isNotEmpty();
        return (SyncStep.Attach) steps.get(steps.size() - 1);
    }

    private static RemoteReplica restoredFrom(SyncPlan plan) {
        assertThat(plan.steps())
                .hasExactlyElementsOfTypes(SyncStep.RestorePool.class, SyncStep.Attach.class);
        return ((SyncStep.RestorePool) plan.steps().get(0)).source().replica();
    }

    private static List<RemoteReplica> others(SyncPlan plan) {
        SyncStep.RestorePool step = (SyncStep.RestorePool) plan.steps().get(0);
        return step.others().stream().map(RemoteFinding::replica).toList();
    }

    private String refusal(Category category) {
        FarheapException e =
                catchThrowableOfType(FarheapException.class, () -> plan(SyncOptions.NONE));
        assertThat(e).as("a refusal").isNotNull();
        assertThat(e.category()).isEqualTo(category);
        return e.getMessage();
    }
}
