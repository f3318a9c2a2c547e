package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.epoch.SwitchRecorder.Kind;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.stream.FakeReplica;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every switch is recorded, between the preparation of its members and the pool's new number. */
@Timeout(120)
class RecordedSwitchTest {
    private static final long PLACE = DegradingPool.PLACE;

    @TempDir private Path directory;

    private final ScriptedRecorder recorder = new ScriptedRecorder();
    private final List<String> wrong = new ArrayList<>();
    private DegradingPool site;

    private void open(ReplicaPolicy... policies) {
        site = new DegradingPool(directory, recorder, policies);
        recorder.onRecord = this::look;
        site.targets.neverResume();
    }

    private void openTwo() {
        open(ReplicaPolicy.FAIL, ReplicaPolicy.FAIL);
    }

    /** All are prepared, the pool's own copy too, and the pool is not yet what will be recorded. */
    private void look(List<RemoteReplica> members, long number) {
        for (RemoteReplica member : members) {
            FakeReplica replica = replica(member);
            if (replica.next != number) {
                wrong.add(member + " is prepared for " + replica.next + ", not " + number);
            }
        }
        if (site.pool.runId() == number) {
            wrong.add("the pool has the number that is to be recorded");
        }
        if (!recorder.prepared.contains(number)) {
            wrong.add("the own copy is not prepared");
        }
    }

    private FakeReplica replica(RemoteReplica remote) {
        return site.targets.replicas.stream()
                .filter(replica -> replica.remote.equals(remote))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void end() {
        if (site != null) {
            site.close();
        }
        assertThat(wrong).isEmpty();
    }

    private void commitWhenPossible(long value) {
        await().ignoreExceptionsInstanceOf(FarheapException.class)
                .untilAsserted(() -> site.commit(PLACE, value));
    }

    private void requireRecorded(Integer... members) {
        ScriptedRecorder.Switch last = recorder.recorded.get(recorder.recorded.size() - 1);
        assertThat(last.number()).isEqualTo(site.pool.runId());
        assertThat(last.members())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(members).map(i -> site.replica(i).remote).toList());
    }

    @Test
    void openingShrinkingAndJoiningAreRecorded() {
        openTwo();
        requireRecorded(0, 1);
        site.commit(PLACE, 1);
        site.targets.lose(1);
        site.commit(PLACE, 2);
        requireRecorded(0);
        site.targets.noMoreFaults();
        await().until(() -> site.state(1) == State.ATTACHED);
        requireRecorded(0, 1);
        site.commit(PLACE, 3);
        site.reopen();
        requireRecorded(0, 1);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    /** It was brought up before that number was recorded, and has no record of the time before. */
    @Test
    void whoHasConfirmedASwitchThatWasCutIsAMemberOfTheNextOne() {
        openTwo();
        site.commit(PLACE, 1);
        site.sink.close();
        long last = site.replica(0).lastSequence();
        recorder.tail = TakenTail.of(site.pool.runId(), last - 1, 0, last, site.replica(0).ring);
        int before = recorder.recorded.size();
        recorder.onRecord =
                (members, number) -> {
                    if (recorder.recorded.size() == before) {
                        site.replica(1).next = 0; // somebody else was there: it does not confirm
                    }
                };
        site.sink = site.attach();
        assertThat(recorder.recorded).hasSizeGreaterThan(before + 1);
        assertThat(recorder.recorded.get(before + 1).members()).contains(site.replica(0).remote);
        assertThat(site.state(0)).isEqualTo(State.ATTACHED);
    }

    /**
     * Else the number that it was told could not be used, and all agents were started once more.
     */
    @Test
    void aFormerWritersCopyIsToldNoNumberAndTheOthersAreReachedOnce() {
        openTwo();
        site.commit(PLACE, 1);
        site.sink.close();
        site.replica(0).promote(site.pool.runId());
        site.replica(0).term = 6;
        site.targets.agents.clear();
        List<RemoteReplica> reached = new ArrayList<>();
        recorder.onRecord =
                (members, number) -> {
                    if (recorder.recorded.size() == 1) {
                        site.targets.agents.forEach(agent -> reached.add(agent.replica().remote));
                    }
                };
        site.sink = site.attach();
        ScriptedRecorder.Switch first = recorder.recorded.get(1);
        assertThat(first.members()).containsExactly(site.replica(1).remote);
        assertThat(reached).containsExactlyInAnyOrderElementsOf(site.targets.remotes());
        await().until(() -> site.state(0) == State.ATTACHED);
        requireRecorded(0, 1);
        site.assertSame(0);
    }

    /** Nobody could open the pool else: the other copy that is there is a former writer's. */
    @Test
    void whereTooFewAreThereACopyThatTheRecordDoesNotNameIsBroughtUpToDateFirst() {
        openTwo();
        site.targets.lose(1);
        site.commit(PLACE, 1);
        requireRecorded(0);
        site.sink.close();
        site.targets.noMoreFaults();
        site.replica(0).promote(site.pool.runId());
        site.replica(1).promote(5);
        recorder.minCopies = 2;
        site.sink = site.attach();
        assertThat(recorder.recorded.get(recorder.recorded.size() - 1).members())
                .contains(site.replica(1).remote);
        site.commit(PLACE, 2);
        site.sink.close();
        site.assertSame(1);
    }

    /** All of a large pool takes hours, and nobody could commit until then. */
    @ParameterizedTest
    @EnumSource(
            value = ReplicaState.class,
            names = {"NEW", "SYNCING", "INSYNC", "PROMOTED"})
    void whoLacksSomethingIsBroughtUpToDateWhileThePoolIsOpen(ReplicaState state) {
        closeWithoutTheLastCommitIn1();
        site.replica(1).state = state;
        site.replica(1).fresh = state == ReplicaState.NEW;
        int before = recorder.recorded.size();
        site.targets.agents.clear();
        List<RemoteReplica> reached = new ArrayList<>();
        recorder.onRecord =
                (members, number) -> {
                    if (recorder.recorded.size() == before) {
                        site.targets.agents.forEach(agent -> reached.add(agent.replica().remote));
                    }
                };
        site.sink = site.attach();
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(0).remote);
        assertThat(reached)
                .as("nobody was told a number in vain")
                .containsExactlyInAnyOrderElementsOf(site.targets.remotes());
        site.commit(PLACE, 2);
        await().until(() -> site.state(1) == State.ATTACHED);
        requireRecorded(0, 1);
        site.sink.close();
        site.assertSame(1);
    }

    private void closeWithoutTheLastCommitIn1() {
        openTwo();
        site.targets.lose(1);
        site.commit(PLACE, 1);
        requireRecorded(0);
        site.sink.close();
        site.targets.noMoreFaults();
    }

    @Test
    void whereTooFewAreThereWithoutItWhatOneLacksIsCopiedFirst() {
        closeWithoutTheLastCommitIn1();
        site.replica(1).state = ReplicaState.SYNCING;
        recorder.minCopies = 3;
        int before = recorder.recorded.size();
        site.sink = site.attach();
        assertThat(recorder.recorded.get(before).members())
                .containsExactlyInAnyOrderElementsOf(site.targets.remotes());
        site.sink.close();
        site.assertSame(1);
    }

    /** Whoever writes to it is no writer any more; and it is told no number that counts. */
    @Test
    void whoeverHasOneThatLacksSomethingLosesItAtOpen() {
        closeWithoutTheLastCommitIn1();
        site.replica(1).state = ReplicaState.SYNCING;
        site.replica(1).held = true;
        site.replica(1).endHolder = () -> site.replica(1).held = false;
        int before = recorder.recorded.size();
        site.sink = site.attach();
        assertThat(site.replica(1).endedHolders).hasPositiveValue();
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(0).remote);
        await().until(() -> site.state(1) == State.ATTACHED);
    }

    /** Its disk hangs, and it shows that it lives: the others have everything. */
    @ParameterizedTest
    @ValueSource(strings = {"look", "attach", "prepare", "confirm"})
    void whoIsAliveAndStuckIsDoneWithoutAfterTheAttachTimeout(String step) {
        openTwo();
        site.commit(PLACE, 1);
        site.sink.close();
        boundStepsBy(Duration.ofSeconds(5), Duration.ofMinutes(10));
        site.replica(1).unanswered = request -> isStep(step, request);
        List<List<RemoteReplica>> without = new ArrayList<>();
        recorder.onRecord =
                (members, number) -> {
                    if (!members.contains(site.replica(1).remote)) {
                        without.add(members);
                        site.replica(1).unanswered = request -> false; // before it is tried again
                    }
                };
        site.sink = site.attach();
        assertThat(without).containsExactly(List.of(site.replica(0).remote));
        site.commit(PLACE, 2);
        await().until(() -> site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(1);
    }

    private static boolean isStep(String step, Request request) {
        return switch (step) {
            case "look" ->
                    request instanceof Request.Hello hello && hello.purpose() == Purpose.INSPECT;
            case "attach" ->
                    request instanceof Request.Hello hello && hello.purpose() == Purpose.ATTACH;
            case "prepare" -> request instanceof Request.Prepare;
            default -> request instanceof Request.Confirm;
        };
    }

    /** Until it works or a long step has had its time. */
    @Test
    void whomThePoolCanNotDoWithoutIsWaitedFor() {
        openTwo();
        site.commit(PLACE, 1);
        site.sink.close();
        boundStepsBy(Duration.ofSeconds(2), Duration.ofMinutes(10));
        recorder.minCopies = 3;
        site.replica(1).pause = Duration.ofMillis(3500);
        site.replica(1).slow = request -> request instanceof Request.Prepare;
        site.sink = site.attach();
        requireRecorded(0, 1);
    }

    /** It has everything, and the stuck one may never come to an end. */
    @ParameterizedTest
    @ValueSource(strings = {"look", "attach", "prepare"})
    void whereOneIsStuckAFormerWritersCopyIsAskedForBeforeThatOneIsWaitedForLonger(String step) {
        openTwo();
        site.commit(PLACE, 1);
        site.sink.close();
        site.replica(0).promote(site.pool.runId());
        site.replica(0).returns = true;
        boundStepsBy(Duration.ofSeconds(2), Duration.ofMinutes(10));
        site.replica(1).unanswered = request -> isStep(step, request);
        recorder.minCopies = 2;
        int before = recorder.recorded.size();
        site.sink = site.attach();
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(0).remote);
        site.commit(PLACE, 2);
        site.replica(1).unanswered = request -> false;
        site.sink.close();
        site.assertSame(0);
    }

    /** It may be large, and its lanes full: longer than a member that is done without may take. */
    @Test
    void aFormerWritersCopyThatIsNeededMayTakeLongerThanTheAttachTimeout() {
        openTwo();
        site.commit(PLACE, 1);
        site.sink.close();
        site.replica(0).promote(site.pool.runId());
        site.replica(0).returns = true;
        boundStepsBy(Duration.ofSeconds(2), Duration.ofMinutes(10));
        site.replica(0).pause = Duration.ofMillis(3500);
        site.replica(0).slow = request -> request instanceof Request.Prepare;
        site.replica(1).unanswered = request -> isStep("look", request);
        recorder.minCopies = 2;
        int before = recorder.recorded.size();
        site.sink = site.attach();
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(0).remote);
        site.replica(1).unanswered = request -> false;
    }

    /** All of a large pool takes hours, and nobody could commit until then. */
    @Test
    void aFormerWritersCopyIsAskedForBeforeOneThatTheRecordDoesNotNameIsCopiedTo() {
        open(ReplicaPolicy.FAIL, ReplicaPolicy.FAIL, ReplicaPolicy.FAIL);
        site.targets.lose(2);
        site.commit(PLACE, 1);
        requireRecorded(0, 1);
        site.sink.close();
        site.targets.noMoreFaults();
        site.targets.lose(1);
        site.replica(0).promote(site.pool.runId());
        site.replica(0).returns = true;
        site.replica(2).copied.set(0);
        recorder.minCopies = 2;
        int before = recorder.recorded.size();
        List<Long> copied = new ArrayList<>();
        recorder.onRecord = (members, number) -> copied.add(site.replica(2).copied.get());
        site.sink = site.attach();
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(0).remote);
        assertThat(copied).startsWith(0L);
        await().until(() -> site.state(2) == State.ATTACHED);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(2);
    }

    /** The last of three is gone, and the former writer's agent hangs in what it is asked for. */
    private void closeWithAHangingFormerWriter(Duration attachTimeout, Duration workTimeout) {
        site.commit(PLACE, 1);
        requireRecorded(0, 1);
        site.sink.close();
        site.replica(0).promote(site.pool.runId());
        site.replica(0).unanswered = request -> request instanceof Request.Return;
        boundStepsBy(attachTimeout, workTimeout);
        recorder.minCopies = 2;
    }

    private Duration timeOf(Runnable opening) {
        long begin = System.nanoTime();
        opening.run();
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** Another copy makes enough, and is there. */
    @Test
    void aFormerWriterThatHangsKeepsNobodyWaitingWhereAnotherCopyCanBeCopiedTo() {
        open(ReplicaPolicy.FAIL, ReplicaPolicy.FAIL, ReplicaPolicy.FAIL);
        site.targets.lose(2);
        closeWithAHangingFormerWriter(Duration.ofSeconds(2), Duration.ofSeconds(15));
        site.targets.noMoreFaults();
        site.targets.lose(1);
        int before = recorder.recorded.size();
        Duration took = timeOf(() -> site.sink = site.attach());
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(2).remote);
        assertThat(took).isLessThan(Duration.ofSeconds(15));
        site.replica(0).unanswered = request -> false;
        site.sink.close();
        site.assertSame(2);
    }

    /** There is no other one: who opens the pool hears that soon. */
    @Test
    void aFormerWriterThatHangsIsWaitedForOnce() {
        openTwo();
        closeWithAHangingFormerWriter(Duration.ofSeconds(1), Duration.ofSeconds(8));
        site.targets.lose(1);
        Duration took =
                timeOf(
                        () ->
                                assertThatThrownBy(site::attach)
                                        .hasMessageContaining("1 of its copies is there"));
        assertThat(took).isLessThan(Duration.ofSeconds(16));
        site.replica(0).unanswered = request -> false;
    }

    @Test
    void whoMissesOnlyTheFirstTryIsNotKeptWaitingByAFormerWriterThatHangs() {
        openTwo();
        closeWithAHangingFormerWriter(Duration.ofSeconds(2), Duration.ofSeconds(15));
        AtomicInteger looks = new AtomicInteger();
        site.replica(1).unanswered =
                request -> isStep("look", request) && looks.incrementAndGet() == 1;
        int before = recorder.recorded.size();
        Duration took = timeOf(() -> site.sink = site.attach());
        assertThat(recorder.recorded.get(before).members()).containsExactly(site.replica(1).remote);
        assertThat(took).isLessThan(Duration.ofSeconds(15));
        site.replica(0).unanswered = request -> false;
    }

    private void boundStepsBy(Duration attachTimeout, Duration workTimeout) {
        ReplicationSettings all = site.settings;
        site.settings =
                new ReplicationSettings(
                        attachTimeout,
                        all.commitTimeout(),
                        all.heartbeat(),
                        workTimeout,
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
    }

    /** {@code farheap sync} refuses a pool that has a record. */
    @ParameterizedTest
    @EnumSource(
            value = Reply.Code.class,
            names = {"DAMAGED", "EXISTS"})
    void whatIsAdvisedWhereOneIsRefusedCanBeDone(Reply.Code code) {
        openTwo();
        site.sink.close();
        site.replica(1).refusing = code;
        site.sink = site.attach();
        requireAdvice(site.sink.replicas().get(1).reason());
    }

    @Test
    void soItIsWhereOneClaimsANumberThatNoHistoryReaches() {
        openTwo();
        site.sink.close();
        site.replica(1).next = Long.MAX_VALUE - 1;
        site.sink = site.attach();
        requireAdvice(site.sink.replicas().get(1).reason());
    }

    private static void requireAdvice(String reason) {
        assertThat(reason)
                .contains("move all its files to another directory of the target")
                .doesNotContain("farheap sync");
    }

    @Test
    void whoMayLagIsNotOfTheSet() {
        open(ReplicaPolicy.FAIL, ReplicaPolicy.ASYNC);
        requireRecorded(0);
        assertThat(site.state(1)).isEqualTo(State.ATTACHED);
        site.targets.lose(0);
        site.commit(PLACE, 2);
        requireRecorded();
    }

    @Test
    void everyReplicaHearsTheTerm() {
        openTwo();
        assertThat(site.targets.replicas).allMatch(replica -> replica.term == 7);
    }

    @Test
    void whileTheOutcomeIsNotKnownTheVerySameIsAskedAgainAndNothingIsCommitted() {
        openTwo();
        long before = site.pool.runId();
        Kind[] unsettled = new Kind[5];
        Arrays.fill(unsettled, Kind.UNSETTLED);
        recorder.answer(unsettled);
        int requests = recorder.count();
        recorder.onRecord =
                (members, number) -> {
                    look(members, number);
                    if (site.pool.runId() != before) {
                        wrong.add("another number came first");
                    }
                };
        site.targets.lose(1);
        site.commit(PLACE, 2);
        assertThat(recorder.settles()).isEqualTo(5);
        assertThat(recorder.count()).as("one request").isEqualTo(requests + 1);
        requireRecorded(0);
    }

    /** The store is away for longer than a commit waits. */
    @Test
    void whatIsSettledLateIsThePoolsNumberBeforeThereIsAnother() {
        openTwo();
        long before = site.pool.runId();
        int requests = recorder.count();
        Kind[] unsettled = new Kind[14];
        Arrays.fill(unsettled, Kind.UNSETTLED);
        recorder.answer(unsettled);
        site.targets.lose(1);
        assertThatThrownBy(() -> site.commit(PLACE, 2)).isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> site.commit(PLACE, 2))
                .hasMessageContaining("it is not known whether the switch");
        assertThat(site.pool.runId()).isEqualTo(before);
        commitWhenPossible(3);
        long late = recorder.requests.get(requests).number();
        assertThat(site.pool.numbers).contains(late);
        assertThat(recorder.recorded).extracting(ScriptedRecorder.Switch::number).contains(late);
        requireRecorded(0);
    }

    @Test
    void whatIsNotRecordedIsNotThePoolsNumberAndIsTriedWithAnother() {
        openTwo();
        recorder.answer(Kind.NOT_RECORDED);
        int requests = recorder.count();
        site.targets.lose(1);
        commitWhenPossible(2);
        assertThat(recorder.count()).isEqualTo(requests + 2);
        long refused = recorder.requests.get(requests).number();
        assertThat(site.pool.numbers).doesNotContain(refused);
        requireRecorded(0);
    }

    @Test
    void whoIsDeposedCommitsNothingAnyMore() throws Exception {
        openTwo();
        site.commit(PLACE, 1);
        long before = site.pool.runId();
        recorder.answer(Kind.OVER);
        site.replica(1).stalled = true;
        await().until(() -> site.replica(1).stands);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        site.commit(PLACE, 2);
                                    } catch (FarheapException e) {
                                        thrown.set(e);
                                    }
                                });
        await().until(() -> site.pool.word(PLACE) == 2);
        site.targets.lose(1);
        waiting.join();
        assertDeposed(thrown.get(), true);
        Throwable later = commitAndFail();
        assertDeposed(later, false);
        site.targets.noMoreFaults();
        assertDeposed(commitAndFail(), false);
        assertThat(site.pool.runId()).isEqualTo(before);
        assertThat(site.pool.word(PLACE)).isEqualTo(1);
    }

    private Throwable commitAndFail() {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        assertThatThrownBy(() -> site.commit(PLACE, 3)).satisfies(thrown::set);
        return thrown.get();
    }

    private static void assertDeposed(Throwable thrown, boolean unknown) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        PoolDeposedException.class,
                        e -> {
                            assertThat(e.term()).isEqualTo(7);
                            assertThat(e.isOutcomeUnknown()).isEqualTo(unknown);
                            assertThat(e).hasMessageContaining("term 7 of this writer is over");
                            assertThat(e).hasMessageContaining("term 8");
                        });
    }

    /** The store can't be reached by who is deposed: the replica's word is enough. */
    @Test
    void aReplicaThatHasHeardALaterTermDeposesTheWriter() {
        openTwo();
        site.commit(PLACE, 1);
        int requests = recorder.count();
        site.replica(1).term = 8;
        site.targets.killAgents();
        await().until(() -> commitAndFail() instanceof PoolDeposedException);
        assertDeposed(commitAndFail(), false);
        assertThat(recorder.count()).isEqualTo(requests);
        assertThat(site.replica(1).term).isEqualTo(8);
    }

    @Test
    void soDoesOneThatWasLeftOutAndIsReachedAgain() {
        openTwo();
        site.targets.lose(1);
        site.commit(PLACE, 1);
        site.replica(1).term = 8;
        site.targets.noMoreFaults();
        await().until(() -> site.sink.replicas().get(1).reason().contains("term 7"));
        await().untilAsserted(() -> assertDeposed(commitAndFail(), false));
    }

    /** What a person would overwrite by it may be another writer's pool. */
    @Test
    void nobodyIsAdvisedToOverwriteWhereARecordSaysWhoCounts() {
        openTwo();
        site.sink.close();
        site.replica(1).cur = site.pool.runId() - 1;
        site.replica(1).journalEpoch = site.replica(1).cur;
        site.sink = site.attach();
        assertThat(site.sink.replicas().get(1).reason())
                .doesNotContain("--overwrite", "--from", "farheap sync");
        await().until(() -> site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void aPoolIsNotOpenedWhoseTermIsOver() {
        recorder.answer(Kind.OVER);
        assertThatThrownBy(this::openTwo).isInstanceOf(PoolDeposedException.class);
    }

    @Test
    void withFewerCopiesThanAreWantedNothingIsCommittedUntilOneIsBack() {
        recorder.minCopies = 2;
        openTwo();
        site.targets.lose(1);
        site.commit(PLACE, 1);
        requireRecorded(0);
        int requests = recorder.count();
        site.targets.lose(0);
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> site.commit(PLACE, 2))
                                        .hasMessageContaining("1 of its copies is there")
                                        .hasMessageContaining("min-copies = 2"));
        assertThat(site.pool.word(PLACE)).as("read").isEqualTo(1);
        assertThat(recorder.count()).as("nothing is recorded").isEqualTo(requests);
        site.targets.noMoreFaults();
        commitWhenPossible(3);
        await().until(() -> site.state(0) == State.ATTACHED && site.state(1) == State.ATTACHED);
        site.commit(PLACE, 4);
        requireRecorded(0, 1);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void norIsAPoolOpenedWithFewer() {
        recorder.minCopies = 3;
        openTwo();
        site.sink.close();
        site.targets.lose(1);
        assertThatThrownBy(() -> site.attach())
                .hasMessageContaining("2 of its copies are there")
                .hasMessageContaining("; LOST: replica " + site.replica(1).remote);
    }

    /** It does not come back by itself, and who waits for it is to know that. */
    @Test
    void aCopyThatIsRefusedIsNamedWithWhyWhereThereAreTooFew() {
        recorder.minCopies = 3;
        openTwo();
        site.sink.close();
        site.replica(1).refusing = Reply.Code.OUTSIDE_RECORD;
        assertThatThrownBy(() -> site.attach())
                .hasMessageContaining("2 of its copies are there")
                .hasMessageContaining("; REFUSED: replica " + site.replica(1).remote)
                .hasMessageNotContaining(site.replica(0).remote.toString());

        recorder.minCopies = 2;
        site.sink = site.attach();
        await().until(() -> site.state(1) == State.REFUSED);
        site.targets.lose(0);
        await().untilAsserted(
                        () ->
                                assertThatThrownBy(() -> site.commit(PLACE, 2))
                                        .hasMessageContaining("1 of its copies is there")
                                        .hasMessageContaining(
                                                "; LOST: replica " + site.replica(0).remote)
                                        .hasMessageContaining(
                                                "; REFUSED: replica " + site.replica(1).remote));
    }

    /** The pool fails between the record and its number. */
    @Test
    void whatIsRecordedIsThePoolsNumberBeforeThereIsAnother() {
        openTwo();
        int requests = recorder.count();
        failOnceBeforeTheNumber();
        site.targets.lose(1);
        commitWhenPossible(2);
        long first = recorder.requests.get(requests).number();
        assertThat(site.pool.numbers).contains(first).endsWith(recorder.last().number());
        assertThat(recorder.count()).isEqualTo(requests + 2);
        requireRecorded(0);
    }

    private void failOnceBeforeTheNumber() {
        site.pool.crashAround(
                () -> {
                    site.pool.crashAround(() -> {}, () -> {});
                    throw new FarheapException(FarheapException.Category.ENVIRONMENT, "once");
                },
                () -> {});
    }

    /** It is of the recorded set: it must be able to take over with that number. */
    @Test
    void whoWasToJoinIsNotPreparedForAnotherNumberBeforeThatIsRecorded() {
        openTwo();
        site.targets.lose(1);
        site.commit(PLACE, 1);
        AtomicReference<Long> joined = new AtomicReference<>();
        recorder.onRecord =
                (members, number) -> {
                    look(members, number);
                    FakeReplica late = site.replica(1);
                    if (joined.get() == null && members.size() == 2) {
                        joined.set(number);
                        failOnceBeforeTheNumber();
                    } else if (recorder.names(late.remote)
                            && late.cur != recorder.number()
                            && late.next != recorder.number()) {
                        wrong.add("it could not take over: " + late.cur + ", " + late.next);
                    }
                };
        site.targets.noMoreFaults();
        await().until(() -> joined.get() != null);
        await().until(() -> site.state(0) == State.ATTACHED && site.state(1) == State.ATTACHED);
        commitWhenPossible(4);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    private void reload(Integer... places) {
        site.sink.reload(
                Arrays.stream(places).map(place -> site.replica(place).remote).toList(), false);
    }

    @Test
    void whoIsAddedAndWhoLeavesIsRecorded() {
        open(ReplicaPolicy.FAIL);
        recorder.minCopies = 2;
        FakeReplica added = site.targets.add(DegradingPool.IMAGE);
        reload(1);
        await().until(() -> site.sink.replicas().size() == 1);
        assertThat(site.sink.replicas().get(0).replica()).isEqualTo(added.remote.toString());
        await().untilAsserted(() -> requireRecorded(1));
        assertThat(recorder.recorded)
                .as("both between")
                .anyMatch(each -> each.members().size() == 2);
        await().untilAsserted(() -> assertThat(recorder.known).containsExactly(added.remote));
        site.commit(PLACE, 1);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void fewerThanTheLeastNumberOfCopiesAreNotLeft() {
        openTwo();
        recorder.minCopies = 3;
        int before = recorder.count();
        assertThatThrownBy(() -> reload(0))
                .hasMessageContaining("2 copies would be left")
                .hasMessageContaining("min-copies = 3")
                .hasMessageContaining("nothing has changed");
        recorder.minCopies = 1;
        assertThatThrownBy(() -> site.sink.reload(List.of(), true))
                .hasMessageContaining("automatic fail-over");
        site.commit(PLACE, 1);
        assertThat(recorder.count()).isEqualTo(before);
        assertThat(site.sink.replicas()).hasSize(2);
    }

    /** Then none can be copied to. */
    @Test
    void whereCommitsStandStillNobodyIsToldToAddOthersFirst() {
        openTwo();
        recorder.minCopies = 2;
        site.targets.lose(0);
        site.targets.lose(1);
        await().until(() -> site.state(0) == State.LOST && site.state(1) == State.LOST);
        assertThatThrownBy(() -> reload(0))
                .hasMessageContaining("close the pool and open it again with others")
                .hasMessageContaining("nothing has changed");
    }

    @Test
    void whoCannotBeRecordedIsNotAdded() {
        openTwo();
        FakeReplica added = site.targets.add(DegradingPool.IMAGE);
        recorder.unknown = added.remote;
        assertThatThrownBy(() -> reload(0, 1, 2)).hasMessageContaining("no node's name");
        assertThat(site.sink.replicas()).hasSize(2);
        site.commit(PLACE, 1);
    }

    /** Both can wait, and commits need no store. */
    @Test
    void nobodyLeavesAndNobodyJoinsWhileTheStoreIsAway() {
        openTwo();
        site.targets.lose(1);
        commitWhenPossible(1);
        recorder.away = true;
        site.targets.noMoreFaults();
        await().until(() -> recorder.looks.get() > 1);
        site.commit(PLACE, 2);
        assertThat(site.state(1)).isEqualTo(State.SYNCING);
        recorder.away = false;
        await().until(() -> site.state(1) == State.ATTACHED);
        recorder.away = true;
        int before = recorder.looks.get();
        reload(1);
        await().until(() -> recorder.looks.get() > before + 1);
        for (long n = 3; n < 20; n++) {
            site.commit(PLACE, n);
        }
        assertThat(site.state(1)).isEqualTo(State.ATTACHED);
        assertThat(site.sink.replicas().get(1).reason()).contains("The store is away.");
        recorder.away = false;
        await().until(() -> site.sink.replicas().size() == 1);
        requireRecorded(1);
        site.commit(PLACE, 20);
        site.sink.close();
        site.assertSame(1);
    }

    /** One is left out, and is of a history then that can't be compared with the pool's. */
    private FakeReplica leaveOneWithAnotherHistory() {
        openTwo();
        site.targets.lose(1);
        commitWhenPossible(1);
        requireRecorded(0);
        site.sink.close();
        site.targets.noMoreFaults();
        FakeReplica left = site.replica(1);
        left.cur = 1L << 40;
        left.next = 0;
        return left;
    }

    /** An agent of an earlier release lets whatever it has be overwritten. */
    @Test
    void whatIsNotKnownToBeThisRecordsIsNotCopiedOver() {
        FakeReplica left = leaveOneWithAnotherHistory();
        left.knowsNoRecords = true;
        left.recordId = 0;
        long copied = left.copied.get();
        site.sink = site.attach();
        await().until(() -> site.state(1) == State.REFUSED);
        assertThat(site.sink.replicas().get(1).reason())
                .contains("may be nowhere else", "upgrade the agent there");
        site.commit(PLACE, 2);
        assertThat(left.state).isEqualTo(ReplicaState.INSYNC);
        assertThat(left.copied.get()).isEqualTo(copied);
        site.sink.close();

        recorder.minCopies = 3;
        assertThatThrownBy(site::attach).hasMessageContaining("; REFUSED: replica " + left.remote);
        assertThat(left.state).isEqualTo(ReplicaState.INSYNC);

        left.knowsNoRecords = false;
        left.recordId = recorder.recordId;
        site.sink = site.attach();
        assertThat(site.state(1)).isEqualTo(State.ATTACHED);
        site.sink.close();
        site.assertSame(1);
    }

    /** By whatever name a line leads to it, it may be the last one that the record names. */
    @Test
    void nothingIsCopiedOverWhileTheRecordNamesCopiesToWhichNoLineLeads() {
        FakeReplica left = leaveOneWithAnotherHistory();
        recorder.minCopies = 3;
        recorder.beside =
                Optional.of("the record names [a, b], and the nodes here are [b.example]");
        assertThatThrownBy(site::attach)
                .hasMessageContaining("2 of its copies are there")
                .hasMessageContaining(
                        "; the record names [a, b], and the nodes here are [b.example]");
        assertThat(left.state).isEqualTo(ReplicaState.INSYNC);
        assertThat(left.cur).isEqualTo(1L << 40);

        recorder.beside = Optional.empty();
        site.sink = site.attach();
        assertThat(site.state(1)).isEqualTo(State.ATTACHED);
    }

    /** It says so by itself, whatever its term. */
    @Test
    void aLineThatLeadsToACopyOfAnotherRecordOverwritesNothing() {
        openTwo();
        FakeReplica added = site.targets.add(DegradingPool.IMAGE);
        added.state = ReplicaState.INSYNC;
        added.cur = 1L << 40;
        added.term = recorder.term;
        added.recordId = 815;
        reload(0, 1, 2);
        await().until(() -> site.state(2) == State.REFUSED);
        assertThat(site.sink.replicas().get(2).reason()).contains("it is of another record");
        site.commit(PLACE, 1);
        assertThat(added.state).isEqualTo(ReplicaState.INSYNC);
        assertThat(added.recordId).isEqualTo(815);
    }

    /** A copy of an earlier record proves nothing of this one's writer, who commits without it. */
    @Test
    void aLineThatLeadsToACopyOfALaterTermDeposesNobody() {
        openTwo();
        FakeReplica added = site.targets.add(DegradingPool.IMAGE);
        added.term = recorder.term + 1;
        reload(0, 1, 2);
        await().until(() -> site.state(2) == State.REFUSED);
        assertThat(site.sink.replicas().get(2).reason()).contains("a writer of term 8");
        site.commit(PLACE, 1);
        assertThat(added.state).isEqualTo(ReplicaState.NEW);
        reload(0, 1);
        await().until(() -> site.sink.replicas().size() == 2);
        site.commit(PLACE, 2);
    }

    /** It may write one day, and the others can't hold its image then. */
    @Test
    void aLineThatLeadsToALargerCopyIsRefused() {
        openTwo();
        FakeReplica added = site.targets.add(DegradingPool.IMAGE + (1 << 20));
        reload(0, 1, 2);
        await().until(() -> site.state(2) == State.REFUSED);
        assertThat(site.sink.replicas().get(2).reason())
                .contains("another copy has room for " + DegradingPool.IMAGE);
        assertThat(added.state).isEqualTo(ReplicaState.NEW);
        assertThat(added.copied.get()).isZero();
        site.commit(PLACE, 1);
    }

    /** The record does not name it, and whoever promoted it past that may have nothing else. */
    @Test
    void aLineThatLeadsToAPoolOfItsOwnOverwritesNothing() {
        openTwo();
        FakeReplica promoted = site.targets.add(DegradingPool.IMAGE);
        promoted.promote(1L << 40);
        FakeReplica opened = site.targets.add(DegradingPool.IMAGE);
        opened.state = ReplicaState.INSYNC;
        opened.cur = 1L << 40;
        opened.foreignOpen = true;
        reload(0, 1, 2, 3);
        await().until(() -> site.state(2) == State.REFUSED && site.state(3) == State.REFUSED);
        assertThat(site.sink.replicas().get(2).reason()).contains("a pool of its own");
        site.commit(PLACE, 1);
        assertThat(promoted.state).isEqualTo(ReplicaState.PROMOTED);
        assertThat(opened.state).isEqualTo(ReplicaState.INSYNC);
        assertThat(promoted.copied.get() + opened.copied.get()).isZero();
    }

    @Test
    void aReloadThatFailsByAFaultEndsNothingElse() {
        openTwo();
        recorder.toldInVain = recorder.told.get() + 1;
        assertThatThrownBy(() -> reload(0))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("failed by a fault")
                .hasMessageContaining("no plan for");
        site.targets.lose(1);
        commitWhenPossible(1);
        site.targets.noMoreFaults();
        await().until(() -> site.state(1) == State.ATTACHED);
        reload(1);
        await().until(() -> site.sink.replicas().size() == 1);
        await().until(() -> site.replica(1).cur == site.pool.runId());
        site.sink.close();
        site.assertSame(1);
    }

    /** Without an answer of the store nobody has left: the record may name it still. */
    @Test
    void whoLeavesIsOfTheSetUntilThatIsRecorded() {
        openTwo();
        for (int i = 0; i < 10_000; i++) {
            recorder.answer(Kind.UNSETTLED);
        }
        reload(0);
        await().until(() -> recorder.settles() >= 3);
        assertThat(site.sink.replicas()).as("while nobody knows").hasSize(2);
        recorder.answerAtOnce();
        await().untilAsserted(() -> requireRecorded(0));
        commitWhenPossible(1);
        assertThat(site.sink.replicas()).hasSize(1);
        site.sink.close();
        site.assertSame(0);
    }

    /** It has left by the record, and is one that is added. */
    @Test
    void aLineThatIsBackWhileItIsNotKnownWhetherItHasLeftIsAdded() {
        openTwo();
        for (int i = 0; i < 10_000; i++) {
            recorder.answer(Kind.UNSETTLED);
        }
        reload(0);
        await().until(() -> recorder.settles() >= 3);
        reload(0, 1);
        recorder.answerAtOnce();
        await().untilAsserted(() -> requireRecorded(0, 1));
        assertThat(recorder.recorded).anyMatch(each -> each.members().size() == 1);
        commitWhenPossible(1);
        assertThat(site.sink.replicas()).hasSize(2);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void commitsGoOnWithTheReplacedOneWhereTheNewOneIsGoneInTheSwitchWithoutIt() {
        open(ReplicaPolicy.FAIL);
        recorder.minCopies = 2;
        site.targets.add(DegradingPool.IMAGE);
        AtomicInteger starts = new AtomicInteger();
        site.targets.cut = place -> place == 1 && starts.incrementAndGet() > 1;
        reload(1);
        await().until(() -> starts.get() > 1);
        commitWhenPossible(1);
        requireRecorded(0);
        assertThat(site.sink.replicas()).hasSize(2);
        site.targets.noMoreFaults();
        await().untilAsserted(() -> requireRecorded(1));
        commitWhenPossible(2);
        assertThat(site.sink.replicas()).hasSize(1);
        site.sink.close();
        site.assertSame(1);
    }

    /** The epoch without one that left goes on, whatever can't be told of that any more. */
    @Test
    void whatFailsBehindTheSwitchWithoutOneBeginsNoOther() {
        openTwo();
        int before = recorder.count();
        recorder.toldInVain = recorder.told.get() + 2;
        reload(0);
        await().until(() -> recorder.told.get() >= recorder.toldInVain);
        commitWhenPossible(1);
        await().during(Duration.ofMillis(500)).until(() -> recorder.count() == before + 1);
        commitWhenPossible(2);
        assertThat(recorder.count()).isEqualTo(before + 1);
        site.sink.close();
        site.assertSame(0);
    }

    /** Cut behind the record of the switch in which it joins, with no other left. */
    @Test
    void oneThatIsAddedAndRecordedOpensAdmissionAgain() {
        open(ReplicaPolicy.FAIL);
        recorder.minCopies = 2;
        FakeReplica added = site.targets.add(DegradingPool.IMAGE);
        recorder.onRecord =
                (members, number) -> {
                    if (members.contains(added.remote) && members.size() == 2) {
                        site.targets.dieBefore = request -> request instanceof Request.Confirm;
                        site.targets.gone.add(0);
                    }
                };
        reload(0, 1);
        await().until(() -> recorder.recorded.size() > 1);
        await().until(() -> site.state(1) == State.LOST && site.state(0) == State.LOST);
        site.targets.dieBefore = request -> false;
        commitWhenPossible(1);
        requireRecorded(1);
        site.sink.close();
        site.assertSame(1);
    }
}
