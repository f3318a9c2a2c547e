package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.FakePool;
import io.farheap.replication.FakeTargets;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.stream.CommitStream;
import io.farheap.replication.stream.FakeReplica;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Policy degrade: the pool goes on without whom it can't reach, and nobody mistakes that one. */
@Timeout(120)
class DegradeTest {
    private static final long PLACE = DegradingPool.PLACE;

    @TempDir private Path directory;

    private DegradingPool site;
    private FakeTargets targets;
    private FakePool pool;

    @BeforeEach
    void attachBoth() {
        site = new DegradingPool(directory);
        targets = site.targets;
        pool = site.pool;
    }

    @AfterEach
    void end() {
        site.close();
    }

    private List<String> sideFiles() {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void commitsGoOnWithoutTheLostOneWhichCanNotPassForCurrent() {
        site.commit(PLACE, 1);
        long epoch = pool.runId();
        targets.lose(1);
        for (long i = 2; i <= 100; i++) {
            site.commit(PLACE, i);
        }
        assertThat(pool.runId()).isGreaterThan(epoch);
        assertThat(site.replica(1).cur).isEqualTo(epoch);
        assertThat(site.replica(0).cur).isEqualTo(pool.runId());
        ReplicaStatus lost = site.sink.replicas().get(1);
        assertThat(lost.state()).isEqualTo(State.LOST);
        assertThat(lost.policy()).isEqualTo(ReplicaPolicy.DEGRADE);
        assertThat(lost.epoch()).isEqualTo(epoch);
        assertThat(lost.lagBytes()).isEqualTo(16);
        assertThat(lost.nextStep()).contains("catches up by itself");
        assertThat(site.state(0)).isEqualTo(State.ATTACHED);
        assertThat(sideFiles())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("part0.")
                .endsWith(".dirty");
        site.sink.close();
        site.assertSame(0);
    }

    /** What the pool holds is known when it is opened again: until then it is copied to nobody. */
    @Test
    void whileTheEndOfACommitIsNotKnownNobodyComesBack() {
        site.commit(PLACE, 1);
        targets.lose(0);
        targets.lose(1);
        site.commit(PLACE, 2);
        await().until(() -> site.state(0) == State.LOST && site.state(1) == State.LOST);
        long epoch = pool.runId();
        RecordSource record = e -> e.set(PLACE, 9);
        long ticket = site.sink.append(RecordEntries.WORD_ENTRY_BYTES, record);
        ticket = site.sink.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        site.sink.broken(ticket);
        targets.noMoreFaults();
        await().untilAsserted(
                        () ->
                                assertThat(site.sink.replicas())
                                        .allSatisfy(
                                                replica ->
                                                        assertThat(replica.nextStep())
                                                                .isEqualTo(
                                                                        "close the pool and open"
                                                                                + " it again")));
        assertThat(pool.runId()).isEqualTo(epoch);
        site.reopen();
        await().until(() -> site.state(0) == State.ATTACHED && site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void whoWasNotThereYetMayComeWithASmallJournal() {
        assertThat(site.sink.pieceEntryBytes()).isEqualTo(site.sink.maxEntryBytes());
        long withBoth = site.sink.maxEntryBytes();
        site.sink.close();
        targets.lose(1);
        site.sink = site.attach();
        assertThat(site.sink.maxEntryBytes()).isEqualTo(withBoth);
        assertThat(site.sink.pieceEntryBytes()).isEqualTo(CommitStream.LEAST_ENTRY_BYTES);
        targets.lose(0);
        await().until(() -> site.state(0) == State.LOST);
        assertThat(site.sink.pieceEntryBytes()).isEqualTo(CommitStream.LEAST_ENTRY_BYTES);
        targets.noMoreFaults();
        await().until(() -> site.state(0) == State.ATTACHED && site.state(1) == State.ATTACHED);
        assertThat(site.sink.pieceEntryBytes()).isEqualTo(withBoth);
        targets.lose(1);
        await().until(() -> site.state(1) == State.LOST);
        assertThat(site.sink.pieceEntryBytes()).as("it was seen").isEqualTo(withBoth);
    }

    @Test
    void whoeverWaitsWhenTheReplicaIsLostClaimsAgainAndDoesNotThrow() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> committers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            long place = PLACE + i * 64L;
            committers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            while (!stop.get()) {
                                                site.commit(place, pool.word(place) + 1);
                                            }
                                        } catch (RuntimeException e) {
                                            synchronized (failures) {
                                                failures.add(e);
                                            }
                                        }
                                    }));
        }
        long before = pool.word(PLACE);
        await().until(() -> pool.word(PLACE) > before + 50);
        targets.lose(0);
        await().until(() -> site.state(0) == State.LOST);
        long between = pool.word(PLACE);
        await().until(() -> pool.word(PLACE) > between + 50);
        targets.lose(1);
        await().until(() -> site.state(1) == State.LOST);
        long alone = pool.word(PLACE);
        await().until(() -> pool.word(PLACE) > alone + 50);
        stop.set(true);
        for (Thread committer : committers) {
            committer.join();
        }
        assertThat(failures).isEmpty();
        targets.noMoreFaults();
        site.reopen();
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void allMembersAreLostAndThePoolGoesOnAlone() {
        site.commit(PLACE, 1);
        targets.lose(0);
        targets.lose(1);
        site.commit(PLACE, 2);
        site.commit(PLACE + 8192, 3);
        await().until(() -> site.state(0) == State.LOST && site.state(1) == State.LOST);
        site.commit(PLACE + 8192, 4);
        targets.noMoreFaults();
        site.replica(0).copied.set(0);
        site.reopen();
        assertThat(site.replica(0).copied.get())
                .as("two regions and the tail")
                .isLessThanOrEqualTo(12288);
        assertThat(sideFiles()).as("maps of replicas that are back").isEmpty();
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    private static final long FAR = PLACE + (1 << 20);

    /** Commits once more than replica 1 has then: its files are of an earlier moment. */
    private Runnable backupBeforeACommit() {
        site.commit(PLACE, 1);
        Runnable restore = site.replica(1).backup();
        site.commit(FAR, 2);
        return restore;
    }

    private void requireComparedWhenBack() {
        targets.noMoreFaults();
        await().until(() -> site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(1);
    }

    /** Its number is a base of its map, and it lacks what it acknowledged in that. */
    @Test
    void filesOfAnEarlierMomentOfTheSameNumberAreComparedAsAWhole() {
        Runnable restore = backupBeforeACommit();
        targets.lose(1);
        site.commit(PLACE, 3);
        await().until(() -> site.state(1) == State.LOST);
        restore.run();
        requireComparedWhenBack();
    }

    @Test
    void soTheyAreByAProgramThatFindsTheMap() {
        Runnable restore = backupBeforeACommit();
        targets.lose(1);
        site.commit(PLACE, 3);
        await().until(() -> site.state(1) == State.LOST);
        restore.run();
        site.reopen();
        requireComparedWhenBack();
    }

    /** Nobody remembers what it acknowledged, and the other one has it. */
    @Test
    void soTheyAreByAProgramThatMadeTheMapWhenItOpenedThePool() {
        Runnable restore = backupBeforeACommit();
        site.sink.close();
        restore.run();
        targets.lose(1);
        site.sink = site.attach();
        site.commit(PLACE, 3);
        requireComparedWhenBack();
    }

    @Test
    void aPoolIsOpenedWithoutAMemberThatCanNotBeReached() {
        site.commit(PLACE, 1);
        long epoch = pool.runId();
        site.sink.close();
        targets.lose(1);
        site.sink = site.attach();
        assertThat(site.state(1)).isEqualTo(State.LOST);
        assertThat(pool.runId()).isNotEqualTo(epoch);
        site.commit(PLACE, 2);
        site.reopen();
        site.commit(PLACE + 4096, 3);
        targets.noMoreFaults();
        site.replica(1).copied.set(0);
        site.replica(1).history.clear();
        site.reopen();
        assertThat(site.replica(1).history).contains("startSync", "confirm");
        assertThat(site.replica(1).copied.get()).isLessThanOrEqualTo(3 * 4096);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void anAnswerThatNeedsAPersonKeepsThePoolClosed() {
        site.sink.close();
        site.replica(1).cur = 4711;
        assertThatThrownBy(site::attach)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("to keep the replica: ");
    }

    /** Who is busy is asked again for as long as the bound says. */
    static Stream<Reply.Code> refusals() {
        return Stream.of(Reply.Code.values())
                .filter(code -> Boolean.getBoolean("test.deep") || code != Reply.Code.BUSY);
    }

    static Stream<Reply.Code> refusalsOfAFirstOpening() {
        Set<Reply.Code> others = Set.of(Reply.Code.MEDIUM, Reply.Code.DAMAGED, Reply.Code.OTHER);
        return refusals().filter(code -> !others.contains(code));
    }

    /** Its own trouble is no reason to keep the pool shut; that another one has it may be. */
    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("refusals")
    void whatATargetRefusesKeepsAPoolShutOnlyWhereAPersonMustLook(Reply.Code code) {
        boolean person =
                Set.of(
                                Reply.Code.BUSY,
                                Reply.Code.WRONG_POOL,
                                Reply.Code.HOLDS_POOL,
                                Reply.Code.WRONG_STATE,
                                Reply.Code.WRONG_NUMBER,
                                Reply.Code.TERM_OVER,
                                Reply.Code.OUTSIDE_RECORD)
                        .contains(code);
        site.sink.close();
        site.replica(1).refusing = code;
        if (person) {
            assertThatThrownBy(site::attach).hasMessageContaining("no: " + code);
            return;
        }
        site.sink = site.attach();
        assertThat(site.state(1)).isEqualTo(State.LOST);
        assertThat(site.sink.replicas().get(1).reason()).contains("no: " + code);
        site.commit(PLACE, 2);
        site.replica(1).refusing = null;
        await().until(() -> site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    DAMAGED | ; if the pool here is whole, this makes the replica anew: farheap sync
                    EXISTS  | ; to keep the local pool: farheap sync --overwrite "%s"
                    """)
    void whatMakesARefusedReplicaAnewIsThereToBeTyped(Reply.Code code, String words) {
        site.sink.close();
        site.replica(1).refusing = code;

        site.sink = site.attach();

        assertThat(site.sink.replicas().get(1).reason())
                .endsWith(words.formatted(site.replica(1).remote) + " " + pool.poolsetFile());
    }

    /** Nothing is known of it yet but what the poolset files say, and those are wrong then. */
    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("refusalsOfAFirstOpening")
    void aPoolThatNeverHadReplicasIsNotOpenedWhereOneIsRefused(Reply.Code code) {
        site.sink.close();
        pool.switchRunId(4);
        site.replica(1).refusing = code;
        site.replica(0).cur = 4;
        assertThatThrownBy(site::attach).hasMessageContaining("no: " + code);
    }

    @Test
    void aMapThatDoesNotGoWithThePoolsNumberProvesNothing() {
        targets.lose(1);
        site.commit(PLACE, 2);
        site.sink.close();
        pool.switchRunId(pool.runId() + 2); // a program that knows nothing of replicas
        site.replica(0).cur = pool.runId();
        targets.noMoreFaults();
        assertThatThrownBy(site::attach).hasMessageContaining("can't be compared");
        assertThat(site.replica(1).history).doesNotContain("drain");
    }

    /** It may hold records that were rolled back here: the map knows nothing of them. */
    @Test
    void whatTheTailOfTheLostOneTouchedIsCopiedToo() {
        site.commit(PLACE, 1);
        targets.lose(1);
        site.commit(PLACE, 2);
        await().until(() -> site.state(1) == State.LOST);
        long elsewhere = PLACE + (1 << 20);
        FakeReplica lost = site.replica(1);
        lost.apply(lost.lastSequence());
        EpochSwitchTest.unacknowledged(lost, 1, elsewhere);
        lost.apply(lost.lastSequence() - 1);
        lost.image.set(ValueLayout.JAVA_LONG, elsewhere, 99);
        targets.noMoreFaults();
        site.reopen();
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void aMemberThatMustBeThereIsWaitedForAndOthersAreNot() {
        site.sink.close();
        pool.policies.put(site.replica(0).remote, ReplicaPolicy.FAIL);
        site.sink = site.attach();
        targets.lose(1);
        site.commit(PLACE, 1);
        assertThat(site.state(1)).isEqualTo(State.LOST);
        targets.lose(0);
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> site.commit(PLACE, 2))
                                        .isInstanceOf(FarheapException.class)
                                        .isNotInstanceOf(CommitUnknownException.class));
        assertThat(site.state(0)).isEqualTo(State.LOST);
        targets.gone.remove(0);
        await().until(() -> canCommit(PLACE, 3));
        assertThat(site.state(0)).isEqualTo(State.ATTACHED);
        assertThat(site.state(1)).isEqualTo(State.LOST);
    }

    private boolean canCommit(long place, long value) {
        try {
            site.commit(place, value);
            return true;
        } catch (FarheapException e) {
            return false;
        }
    }

    /**
     * A member that fails in the switch is left out of the next attempt, which has a new number.
     */
    @Test
    void whoFailsInTheMiddleOfTheSwitchIsLeftOutWithANewNumber() {
        for (String step : List.of("hello", "drain", "prepare", "confirm")) {
            AtomicBoolean once = new AtomicBoolean();
            AtomicReference<Long> prepared = new AtomicReference<>();
            targets.dieAfter =
                    request -> {
                        if (request instanceof Request.Hello hello) {
                            prepared.compareAndSet(null, hello.nextRunId());
                        }
                        return request.type().equals(step) && once.compareAndSet(false, true);
                    };
            targets.lose(1);
            site.commit(PLACE, pool.word(PLACE) + 1);
            await().untilTrue(once);
            site.commit(PLACE, pool.word(PLACE) + 1);
            if (!step.equals("confirm")) {
                assertThat(pool.numbers).as(step).doesNotContain(prepared.get());
            }
            targets.noMoreFaults();
            site.reopen();
            site.sink.close();
            site.assertSame(0);
            site.assertSame(1);
            site.sink = site.attach();
        }
    }

    /** They have the number already in which nothing was committed. */
    @Test
    void whoFailsInTheConfirmationDoesNotTakeTheOthersAlong() throws IOException {
        site.close();
        site =
                new DegradingPool(
                        Files.createDirectory(directory.resolve("three")),
                        ReplicaPolicy.DEGRADE,
                        ReplicaPolicy.DEGRADE,
                        ReplicaPolicy.DEGRADE);
        site.commit(PLACE, 1);
        site.targets.replicas.forEach(replica -> replica.history.clear());
        AtomicBoolean once = new AtomicBoolean();
        site.targets.dieAfter =
                request -> request instanceof Request.Confirm && once.compareAndSet(false, true);
        site.targets.lose(2);
        site.commit(PLACE, 2);
        assertThat(once).isTrue();
        site.targets.noMoreFaults();
        for (int i = 0; i < 3; i++) {
            awaitAttached(i);
        }
        assertThat(site.targets.replicas)
                .as("copied again")
                .filteredOn(replica -> replica.history.contains("startSync"))
                .hasSize(2);
        site.sink.close();
        for (int i = 0; i < 3; i++) {
            site.assertSame(i);
        }
    }

    /** It may be busy with its disk for as long as it likes. */
    @Test
    @Tag("deep")
    void oneThatIsAliveAndSlowIsLeftOutToo() {
        boundSwitchesBy(Duration.ofSeconds(5));
        site.commit(PLACE, 1);
        site.replica(0).unanswered = request -> request instanceof Request.Hello;
        targets.lose(1);
        site.commit(PLACE, 2);
        assertThat(site.state(0)).isEqualTo(State.LOST);
        assertThat(site.sink.replicas().get(0).reason()).contains("the answer to hello within");
        site.replica(0).unanswered = request -> false;
        targets.gone.clear();
        awaitBothAttachedAndSame();
    }

    @Test
    @Tag("deep")
    void allItsStepsTogetherHaveOneBound() {
        boundSwitchesBy(Duration.ofSeconds(4));
        site.commit(PLACE, 1);
        site.replica(0).pause = Duration.ofSeconds(3);
        site.replica(0).slow =
                request -> request instanceof Request.Hello || request instanceof Request.Drain;
        targets.lose(1);
        site.commit(PLACE, 2);
        assertThat(site.state(0)).isEqualTo(State.LOST);
        assertThat(site.sink.replicas().get(0).reason()).contains("the answer to drain");
        site.replica(0).slow = request -> false;
        targets.gone.clear();
        awaitBothAttachedAndSame();
    }

    @Test
    @Tag("deep")
    void oneThatComesBackAndIsSlowToJoinIsLeftOutAgain() {
        boundSwitchesBy(Duration.ofSeconds(2));
        targets.lose(1);
        site.commit(PLACE, 1);
        site.replica(1).unanswered = request -> request instanceof Request.SyncComplete;
        long epoch = pool.runId();
        targets.gone.clear();
        await().until(
                        () -> {
                            site.commit(PLACE, 2);
                            return pool.runId() > epoch;
                        });
        assertThat(site.state(0)).isEqualTo(State.ATTACHED);
        assertThat(site.replica(1).history).doesNotContain("confirm");
        site.replica(1).unanswered = request -> false;
        awaitBothAttachedAndSame();
    }

    /** One thing at a time: what comes back waits, and not what was lost. */
    @Test
    void oneThatComesBackAndHangsDoesNotHoldUpWhatIsLostMeanwhile() {
        boundSwitchesBy(Duration.ofSeconds(2));
        targets.lose(1);
        site.commit(PLACE, 1);
        AtomicBoolean asked = new AtomicBoolean();
        site.replica(1).unanswered =
                request -> {
                    boolean hangs = request instanceof Request.StartSync;
                    asked.compareAndSet(false, hangs);
                    return hangs;
                };
        targets.gone.clear();
        await().untilTrue(asked);
        targets.lose(0);
        site.commit(PLACE, 2);
        assertThat(site.state(0)).isEqualTo(State.LOST);
        site.replica(1).unanswered = request -> false;
        targets.gone.clear();
        awaitBothAttachedAndSame();
    }

    @Test
    @Tag("deep")
    void whoWaitsForASlowOneIsNotSlow() throws IOException {
        site.close();
        site =
                new DegradingPool(
                        Files.createDirectory(directory.resolve("mixed")),
                        ReplicaPolicy.FAIL,
                        ReplicaPolicy.DEGRADE);
        boundSwitchesBy(Duration.ofSeconds(2));
        site.commit(PLACE, 1);
        site.replica(0).pause = Duration.ofSeconds(3);
        site.replica(0).slow = request -> request instanceof Request.Hello;
        site.replica(1).history.clear();
        site.targets.lose(0);
        await().until(() -> site.state(0) == State.LOST);
        site.targets.gone.clear();
        awaitBothAttachedAndSame();
        assertThat(site.replica(1).history).doesNotContain("startSync");
    }

    @Test
    @Tag("deep")
    void twoSlowOnesLeaveAThirdItsTime() throws IOException {
        site.close();
        site =
                new DegradingPool(
                        Files.createDirectory(directory.resolve("four")),
                        ReplicaPolicy.DEGRADE,
                        ReplicaPolicy.DEGRADE,
                        ReplicaPolicy.DEGRADE,
                        ReplicaPolicy.DEGRADE);
        boundSwitchesBy(Duration.ofSeconds(2));
        site.commit(PLACE, 1);
        site.replica(1).unanswered = request -> request instanceof Request.Hello;
        site.replica(2).unanswered = request -> request instanceof Request.Drain;
        site.targets.lose(0);
        site.commit(PLACE, 2);
        for (int i = 0; i < 3; i++) {
            assertThat(site.state(i)).isEqualTo(State.LOST);
        }
        assertThat(site.state(3)).isEqualTo(State.ATTACHED);
        site.sink.close();
        site.assertSame(3);
    }

    @Test
    void closingDoesNotWaitForOneThatIsSlowToSayThatItHasAll() throws IOException {
        site.close();
        site =
                new DegradingPool(
                        Files.createDirectory(directory.resolve("async")), ReplicaPolicy.ASYNC);
        boundSwitchesBy(Duration.ofSeconds(2));
        site.commit(PLACE, 1);
        site.replica(0).unanswered = request -> request instanceof Request.CaughtUp;
        assertTimeout(Duration.ofSeconds(15), site.sink::close);
    }

    private void boundSwitchesBy(Duration bound) {
        ReplicationSettings all = RemoteReplicasTest.SETTINGS;
        site.settings =
                new ReplicationSettings(
                        bound,
                        all.commitTimeout(),
                        Duration.ofSeconds(2),
                        Duration.ofMinutes(10),
                        all.waiting(),
                        all.dataThroughSsh(),
                        all.remoteShell(),
                        all.agentCommands(),
                        all.policies(),
                        all.longestPause(),
                        all.lag(),
                        all.fabrics(),
                        TlsAgents.NONE,
                        Pacer.NO_LIMIT);
        site.reopen();
        site.targets.replicas.forEach(replica -> replica.history.clear());
    }

    private void awaitBothAttachedAndSame() {
        awaitAttached(0);
        awaitAttached(1);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    private void awaitAttached(int index) {
        await().until(() -> site.state(index) == State.ATTACHED);
    }
}
