package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.base.ScrubResult;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ScrubPace;
import io.farheap.replication.control.Request;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.scrub.Scrubber;
import io.farheap.replication.stream.CommitStream;
import io.farheap.replication.stream.FakeReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Replicas are added to an open pool and removed from it, as its poolset file says by now. */
@Timeout(120)
class ReloadTest {
    private static final long PLACE = DegradingPool.PLACE;

    @TempDir private Path directory;
    @TempDir private Path other;

    private final List<Thread> committers = new ArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private DegradingPool site;

    private void open(ReplicaPolicy... policies) {
        site = new DegradingPool(directory, policies);
    }

    @AfterEach
    void end() throws InterruptedException {
        stopCommitting();
        site.close();
    }

    private FakeReplica newTarget(ReplicaPolicy policy) {
        FakeReplica added = site.targets.add(DegradingPool.IMAGE);
        site.pool.policies.put(added.remote, policy);
        return added;
    }

    private List<RemoteReplica> remotes(Integer... places) {
        return Arrays.stream(places).map(place -> site.replica(place).remote).toList();
    }

    /** The poolset file names those now, in that order. */
    private void reload(Integer... places) {
        site.sink.reload(remotes(places), false);
    }

    private ReplicaStatus status(int place) {
        String name = site.replica(place).remote.toString();
        return site.sink.replicas().stream()
                .filter(status -> status.replica().equals(name))
                .findFirst()
                .orElse(null);
    }

    private void awaitAttached(int place) {
        await().until(() -> status(place).state() == State.ATTACHED);
    }

    private void commitWhenPossible(long value) {
        await().ignoreExceptionsInstanceOf(FarheapException.class)
                .untilAsserted(() -> site.commit(PLACE, value));
    }

    private void awaitLeft(int place) {
        await().until(() -> status(place) == null);
    }

    private void lose(int place) {
        site.targets.lose(place);
        site.commit(PLACE, site.pool.word(PLACE) + 1);
        await().until(() -> status(place).state() == State.LOST);
    }

    private void startCommitting() {
        for (int i = 0; i < 3; i++) {
            long first = PLACE + (i + 1) * 65536L;
            committers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            for (long n = 1; !stop.get(); n++) {
                                                site.commit(first + n % 64 * 1024, n);
                                            }
                                        } catch (RuntimeException e) {
                                            failure.set(e);
                                        }
                                    }));
        }
    }

    private void stopCommitting() throws InterruptedException {
        stop.set(true);
        for (Thread each : committers) {
            each.join();
        }
        assertThat(failure.get()).isNull();
    }

    private void assertMembersAreSame(int... places) {
        site.sink.close();
        for (int place : places) {
            site.assertSame(place);
        }
    }

    @Test
    void anAddedReplicaBecomesAMemberWhileThreadsCommit() throws Exception {
        open(ReplicaPolicy.DEGRADE);
        startCommitting();
        FakeReplica added = newTarget(ReplicaPolicy.DEGRADE);
        reload(0, 1);
        assertThat(status(1)).isNotNull();
        awaitAttached(1);
        assertThat(status(1).epoch()).isEqualTo(site.pool.runId());
        long before = added.lastSequence();
        await().until(() -> added.lastSequence() > before);
        stopCommitting();
        assertMembersAreSame(0, 1);
    }

    @Test
    void nobodyWaitsForOneThatIsAddedUntilItHasBeenAMember() {
        open(ReplicaPolicy.FAIL);
        newTarget(ReplicaPolicy.FAIL);
        site.targets.gone.add(1);
        reload(0, 1);
        await().until(() -> status(1).reason().contains("no route"));
        site.commit(PLACE, 1);
        site.targets.neverResume();
        site.targets.killAgents(); // a switch follows
        commitWhenPossible(7);
        assertThat(status(1).state()).isEqualTo(State.LOST);
        site.targets.gone.remove(1);
        awaitAttached(1);
        site.commit(PLACE, 2);
        site.targets.neverResume();
        site.targets.lose(1);
        assertThatThrownBy(
                        () -> {
                            for (long n = 3; n < 1000; n++) {
                                site.commit(PLACE, n);
                            }
                        })
                .hasMessageContaining("r1.set");
        site.targets.noMoreFaults();
        awaitAttached(1);
        commitWhenPossible(5000);
        assertMembersAreSame(0, 1);
    }

    /** It may come with a smaller journal than all others have. */
    @Test
    void piecesAreSmallUntilTheJournalOfAnAddedOneIsKnown() {
        open(ReplicaPolicy.DEGRADE);
        long before = site.sink.pieceEntryBytes();
        newTarget(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(1);
        reload(0, 1);
        assertThat(site.sink.pieceEntryBytes()).isEqualTo(CommitStream.LEAST_ENTRY_BYTES);
        site.targets.gone.remove(1);
        awaitAttached(1);
        assertThat(site.sink.pieceEntryBytes()).isEqualTo(before);
    }

    @Test
    void aRemovedReplicaKeepsItsFilesAndIsNotRecognisedAnyMore() throws Exception {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.FAIL);
        startCommitting();
        long number = site.replica(1).cur;
        reload(0);
        awaitLeft(1);
        site.commit(PLACE, 7);
        stopCommitting();
        assertThat(site.pool.runId()).isGreaterThan(number);
        assertThat(site.replica(1).state).isEqualTo(ReplicaState.INSYNC);
        assertThat(site.replica(1).cur).isEqualTo(number);
        await().until(() -> !site.replica(1).held);
        assertMembersAreSame(0);
        site.sink = null;
        // The line is back in the file when the pool is opened: a person says what is to be kept.
        assertThatThrownBy(() -> site.sink = site.attach())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("history")
                .hasMessageContaining("--overwrite");
    }

    @Test
    void whatIsReplacedLeavesWhenTheNewOneIsAMember() {
        open(ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(1);
        reload(1);
        await().until(() -> status(1).reason().contains("no route"));
        for (long n = 1; n < 20; n++) {
            site.commit(PLACE, n);
        }
        assertThat(status(0).state()).isEqualTo(State.ATTACHED);
        assertThat(status(0).reason()).contains("leaves when");
        site.targets.gone.remove(1);
        awaitLeft(0);
        assertThat(status(1).state()).isEqualTo(State.ATTACHED);
        site.commit(PLACE, 99);
        assertMembersAreSame(1);
    }

    /** The switch without it greets all others anew. */
    @Test
    void whatIsReplacedStaysWhereTheNewOneIsGoneInTheSwitchWithoutIt() {
        open(ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        AtomicInteger starts = new AtomicInteger();
        site.targets.cut = place -> place == 1 && starts.incrementAndGet() > 1;
        reload(1);
        await().until(() -> starts.get() > 1);
        site.commit(PLACE, 5);
        assertThat(status(0)).as("the replaced one").isNotNull();
        assertThat(status(0).state()).isEqualTo(State.ATTACHED);
        assertThat(status(0).epoch()).isEqualTo(site.pool.runId());
        assertThat(status(1).state()).isEqualTo(State.LOST);
        site.targets.noMoreFaults();
        awaitLeft(0);
        assertThat(status(1).state()).isEqualTo(State.ATTACHED);
        site.commit(PLACE, 6);
        assertMembersAreSame(1);
    }

    /** Nobody is left to commit with, and one that the file names is there again. */
    @Test
    void oneThatIsMissedDoesNotLeaveBeforeAnotherIsReached() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.FAIL);
        site.targets.neverResume();
        site.targets.lose(1);
        await().until(() -> status(1).state() == State.LOST);
        AtomicInteger starts = new AtomicInteger();
        site.targets.cut = place -> place == 0 && starts.incrementAndGet() <= 3;
        reload(0);
        commitWhenPossible(9);
        assertThat(status(1)).isNull();
        assertThat(status(0).state()).isEqualTo(State.ATTACHED);
        assertThat(starts.get()).isGreaterThan(3);
        assertMembersAreSame(0);
    }

    @Test
    void whatIsReplacedStaysAlsoWhereAnotherOneHasEveryCommit() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(2);
        reload(0, 2);
        await().until(() -> status(2).reason().contains("no route"));
        long before = site.replica(1).lastSequence();
        await().until(
                        () -> {
                            site.commit(PLACE, site.pool.word(PLACE) + 1);
                            return site.replica(1).lastSequence() > before + 20;
                        });
        assertThat(status(1).state()).isEqualTo(State.ATTACHED);
        site.targets.gone.remove(2);
        awaitLeft(1);
        assertThat(status(2).state()).isEqualTo(State.ATTACHED);
        assertMembersAreSame(0, 2);
    }

    /** One more has every commit, and yet there would be one copy less than before. */
    @Test
    void whatIsReplacedStaysWhereTheNewOneIsLostAgainBesideAnotherThatIsWhole() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        AtomicInteger starts = new AtomicInteger();
        site.targets.cut = place -> place == 2 && starts.incrementAndGet() > 1;
        reload(0, 2);
        await().until(() -> starts.get() > 3);
        site.commit(PLACE, 5);
        assertThat(status(1)).as("the replaced one").isNotNull();
        assertThat(status(1).state()).isEqualTo(State.ATTACHED);
        assertThat(status(1).epoch()).isEqualTo(site.pool.runId());
        site.targets.noMoreFaults();
        awaitLeft(1);
        assertThat(status(2).state()).isEqualTo(State.ATTACHED);
        site.commit(PLACE, 6);
        assertMembersAreSame(0, 2);
    }

    @Test
    void aLineThatIsBackBeforeItsReplicaLeftStays() {
        open(ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(1);
        reload(1);
        reload(0, 1);
        assertThat(status(0).reason()).doesNotContain("leaves");
        site.targets.gone.remove(1);
        awaitAttached(1);
        site.commit(PLACE, 1);
        assertThat(site.sink.replicas()).hasSize(2);
        assertMembersAreSame(0, 1);
    }

    @Test
    void theLastOtherCopyDoesNotLeaveUnasked() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        lose(1);
        assertThatThrownBy(() -> reload(1))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContaining("only one that has every commit")
                .hasMessageContaining("r1.set is LOST")
                .hasMessageContaining("nothing has changed");
        site.commit(PLACE, 3);
        assertThat(status(0).state()).isEqualTo(State.ATTACHED);
        site.sink.reload(List.of(), true);
        await().until(() -> site.sink.replicas().isEmpty());
        site.commit(PLACE, 4);
    }

    @Test
    void oneThatLeftComesBackComparedAsAWhole() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        site.commit(PLACE, 1);
        reload(0);
        awaitLeft(1);
        for (long n = 0; n < 10; n++) {
            site.commit(PLACE + n * 8192, n + 50);
        }
        site.replica(1).copied.set(0);
        reload(0, 1);
        awaitAttached(1);
        assertThat(site.replica(1).copied.get()).as("what differs").isLessThan(64 << 10);
        site.commit(PLACE, 5);
        assertMembersAreSame(0, 1);
    }

    @Test
    void theMapOfOneThatLeftIsNotBelievedWhenItsLineIsBack() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        lose(1);
        assertThat(directory).isDirectoryContaining(file -> file.toString().endsWith(".dirty"));
        reload(0);
        awaitLeft(1);
        await().until(() -> directory.toFile().list().length == 0);
        site.commit(PLACE + 8192, 77); // which no map has
        site.targets.gone.remove(1);
        reload(0, 1);
        awaitAttached(1);
        assertMembersAreSame(0, 1);
    }

    /** No map begins where nothing was noted: not in a switch without it, either. */
    @Test
    void oneThatLeftIsComparedAsAWholeAlsoBehindASwitch() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        site.commit(PLACE, 1);
        reload(0);
        awaitLeft(1);
        site.commit(PLACE + 8192, 77); // which no map has
        site.targets.gone.add(1);
        newTarget(ReplicaPolicy.DEGRADE);
        reload(0, 1, 2);
        awaitAttached(2);
        site.commit(PLACE + 16384, 78);
        assertThat(status(1).reason()).contains("a full comparison follows");
        site.targets.gone.remove(1);
        awaitAttached(1);
        assertMembersAreSame(0, 1, 2);
    }

    @Test
    void oneThatIsMissedByCommitsMayLeave() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.FAIL);
        site.targets.neverResume();
        site.targets.lose(1);
        await().until(() -> status(1).state() == State.LOST);
        reload(0);
        commitWhenPossible(9);
        assertThat(status(1)).isNull();
        assertMembersAreSame(0);
    }

    @Test
    void oneThatIsBeingCopiedToMayLeave() {
        open(ReplicaPolicy.DEGRADE);
        FakeReplica added = newTarget(ReplicaPolicy.DEGRADE);
        added.slow = request -> request instanceof Request.SyncComplete;
        added.pause = Duration.ofMillis(300);
        reload(0, 1);
        await().until(() -> added.state == ReplicaState.SYNCING);
        reload(0);
        awaitLeft(1);
        site.commit(PLACE, 1);
        added.slow = request -> false;
        reload(0, 1);
        awaitAttached(1);
        assertMembersAreSame(0, 1);
    }

    @Test
    void twoNamesOfOnePlaceAreRefused() {
        open(ReplicaPolicy.DEGRADE);
        RemoteReplica same = new RemoteReplica("bob", "TARGET", 22, "./r0.set");
        assertThatThrownBy(() -> site.sink.reload(List.of(same), false))
                .hasMessageContaining("are one place")
                .hasMessageContaining("write the line as it was")
                .hasMessageContaining("nothing has changed");
        RemoteReplica other = new RemoteReplica(null, "target", 0, "copies/../r0.set");
        assertThatThrownBy(() -> site.sink.reload(List.of(site.replica(0).remote, other), false))
                .hasMessageContaining("are one place");
        assertThat(site.sink.replicas()).hasSize(1);
    }

    /** Its target reads it as it likes; a path of this machine it is not. */
    @Test
    void aDescriptorThatIsNoPathHereEndsNothing() {
        open(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(1);
        String host = site.replica(0).remote.host();
        RemoteReplica strange = new RemoteReplica(null, host, 0, "r\0.set");
        site.pool.policies.put(strange, ReplicaPolicy.DEGRADE);
        site.sink.reload(List.of(site.replica(0).remote, strange), false);
        await().until(() -> site.sink.replicas().get(1).reason().contains("no route"));
        lose(0);
        site.targets.noMoreFaults();
        awaitAttached(0);
        assertMembersAreSame(0);
    }

    /** Names of hosts say nothing: what lies there does, and it is looked at before a hello. */
    @Test
    void anotherNameOfAMembersPlaceIsRefusedAndTheMemberStays() {
        open(ReplicaPolicy.DEGRADE);
        site.replica(0).endsLeftBehind = true;
        RemoteReplica alias = new RemoteReplica(null, "target.example.com", 0, "r0.set");
        site.targets.aliases.put(alias, 0);
        site.commit(PLACE, 1);
        long number = site.pool.runId();
        site.sink.reload(List.of(site.replica(0).remote, alias), false);
        await().until(() -> site.sink.replicas().get(1).state() == State.REFUSED);
        assertThat(site.sink.replicas().get(1).reason()).contains("the same place as a member");
        site.commit(PLACE, 2);
        assertThat(status(0).state()).isEqualTo(State.ATTACHED);
        assertThat(site.pool.runId()).isEqualTo(number);
        assertThat(site.replica(0).next).isZero();
        assertMembersAreSame(0);
    }

    @Test
    void aNewPlaceThatIsTooSmallIsRefused() {
        long size = DegradingPool.IMAGE - (1 << 20);
        open(ReplicaPolicy.DEGRADE);
        FakeReplica added = site.targets.add(size);
        site.pool.policies.put(added.remote, ReplicaPolicy.DEGRADE);
        site.commit(PLACE, 1);
        reload(0, 1);
        await().until(() -> status(1).state() == State.REFUSED);
        assertThat(status(1).reason())
                .contains("room for " + size + " bytes, and the pool wants room for ");
        assertThat(added.state).isEqualTo(ReplicaState.NEW);
        assertThat(added.next).isZero();
        assertThat(added.copied.get()).isZero();
        site.commit(PLACE, 2);
        reload(0);
        await().until(() -> site.sink.replicas().size() == 1);
        assertMembersAreSame(0);
    }

    /** Room for a pool that grows, as at open. */
    @Test
    void aNewPlaceThatIsLargerIsAMember() {
        open(ReplicaPolicy.DEGRADE);
        FakeReplica added = site.targets.add(DegradingPool.IMAGE + (1 << 20));
        site.pool.policies.put(added.remote, ReplicaPolicy.DEGRADE);
        reload(0, 1);
        await().until(() -> status(1).state() == State.ATTACHED);
        site.commit(PLACE, 1);
        assertMembersAreSame(0);
    }

    /** Whoever is copied to at a place is not disturbed there by another name of it. */
    @Test
    void twoNamesOfOneNewPlaceBecomeOneMember() {
        open(ReplicaPolicy.DEGRADE);
        FakeReplica added = newTarget(ReplicaPolicy.DEGRADE);
        added.endsLeftBehind = true;
        RemoteReplica alias = new RemoteReplica(null, "target.example.com", 0, "r1.set");
        site.pool.policies.put(alias, ReplicaPolicy.DEGRADE);
        site.targets.aliases.put(alias, 1);
        added.slow = request -> request instanceof Request.SyncComplete;
        added.pause = Duration.ofMillis(300);
        site.sink.reload(List.of(site.replica(0).remote, added.remote, alias), false);
        await().until(
                        () ->
                                site.sink.replicas().stream()
                                                .filter(each -> each.state() == State.ATTACHED)
                                                .count()
                                        == 2);
        await().until(
                        () ->
                                site.sink.replicas().stream()
                                        .anyMatch(each -> each.state() == State.REFUSED));
        assertThat(added.endedHolders.get()).isZero();
        site.commit(PLACE, 2);
        assertMembersAreSame(0, 1);
    }

    @Test
    void oneThatHasLeftIsNotMissedByAComparison() throws Exception {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        RemoteReplicas sink = (RemoteReplicas) site.sink;
        Scrubber scrubber = new Scrubber(sink, site.pool, ScrubPace.OFF);
        sink.compareBy(scrubber);
        scrubber.start();
        site.replica(0).unanswered = request -> request instanceof Request.ReadImage;
        FutureTask<ScrubResult> scrub = new FutureTask<>(sink::scrub);
        committers.add(Thread.ofPlatform().start(scrub));
        await().until(ReloadTest::isBeingCompared);
        reload(1);
        awaitLeft(0);
        assertThat(scrub.get().notCompared()).doesNotContain(site.replica(0).remote.toString());
    }

    private static boolean isBeingCompared() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("farheap-scrub"))
                .flatMap(each -> Arrays.stream(each.getValue()))
                .anyMatch(frame -> frame.getClassName().endsWith("PieceComparison"));
    }

    @Test
    void theOrderIsTheFiles() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        reload(2, 1, 0);
        assertThat(site.sink.replicas())
                .extracting(ReplicaStatus::replica)
                .containsExactlyElementsOf(
                        remotes(2, 1, 0).stream().map(RemoteReplica::toString).toList());
    }

    @Test
    void aClosedPoolReadsNothing() {
        open(ReplicaPolicy.DEGRADE);
        site.sink.close();
        assertThatThrownBy(() -> reload(0)).hasMessageContaining("is being closed");
    }

    /**
     * Under load from the first to the last moment, one after the other takes the other's place.
     */
    @Test
    void thePoolMovesToOtherMachinesUnderLoad() throws Exception {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        startCommitting();
        newTarget(ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.FAIL);
        reload(2, 3);
        awaitLeft(0);
        awaitLeft(1);
        assertThat(status(2).state()).isEqualTo(State.ATTACHED);
        assertThat(status(3).state()).isEqualTo(State.ATTACHED);
        AtomicLong last = new AtomicLong(site.replica(3).lastSequence());
        await().until(() -> site.replica(3).lastSequence() > last.get());
        stopCommitting();
        assertMembersAreSame(2, 3);
    }

    // ---- crashes: the next open reads the file as it is ----

    @Test
    void aCrashInTheMiddleOfTheCopyHasItCopiedAtTheNextOpening() throws IOException {
        open(ReplicaPolicy.DEGRADE);
        FakeReplica added = newTarget(ReplicaPolicy.DEGRADE);
        added.unanswered = request -> request instanceof Request.SyncComplete;
        reload(0, 1);
        await().until(() -> added.state == ReplicaState.SYNCING);
        site.commit(PLACE, 5);
        site = site.crash(Files.createDirectory(other.resolve("crashed")));
        added.unanswered = request -> false;
        site.pool.rename(remotes(0, 1));
        site.sink = site.attach();
        assertThat(site.sink.replicas()).allMatch(each -> each.state() == State.ATTACHED);
        assertMembersAreSame(0, 1);
    }

    /**
     * The next opening knows nothing of a line that is gone: so a line is taken out by an edit of
     * its own, when the new one is a member (docs/protocol.md#unnamed-map).
     */
    @Test
    void aCrashBeforeTheNewOneIsAMemberLeavesTheReplacedOneBehind() throws IOException {
        open(ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(1);
        reload(1);
        site.commit(PLACE, 5);
        site = site.crash(Files.createDirectory(other.resolve("crashed")));
        long number = site.replica(0).cur;
        site.targets.gone.add(1);
        site.pool.rename(remotes(1));
        site.sink = site.attach();
        assertThat(status(1).state()).isEqualTo(State.LOST);
        site.commit(PLACE, 6);
        site.sink.close();
        assertThat(site.replica(0).cur).isEqualTo(number);
        site.targets.noMoreFaults();
        site.pool.rename(remotes(0, 1));
        site.sink = null;
        assertThatThrownBy(() -> site.sink = site.attach())
                .hasMessageContaining("r0.set")
                .hasMessageContaining("history");
    }

    /** By edits of their own nothing is lost by the same crash. */
    @Test
    void aCrashBeforeOneThatIsAddedIsAMemberKeepsTheOthers() throws IOException {
        open(ReplicaPolicy.DEGRADE);
        newTarget(ReplicaPolicy.DEGRADE);
        site.targets.gone.add(1);
        reload(0, 1);
        site.commit(PLACE, 5);
        site = site.crash(Files.createDirectory(other.resolve("crashed")));
        site.targets.noMoreFaults();
        site.targets.gone.add(1);
        site.pool.rename(remotes(0, 1));
        site.sink = site.attach();
        assertThat(status(0).state()).isEqualTo(State.ATTACHED);
        site.commit(PLACE, 6);
        assertMembersAreSame(0);
    }

    /** The pool has the number, and one that stays is lost before it knows that. */
    @Test
    void oneThatIsLostBehindTheNumberIsLookedForAndTheOtherHasLeft() {
        open(ReplicaPolicy.DEGRADE);
        FakeReplica added = newTarget(ReplicaPolicy.DEGRADE);
        AtomicInteger confirms = new AtomicInteger();
        site.targets.dieBefore =
                request -> request instanceof Request.Confirm && confirms.incrementAndGet() == 2;
        reload(1);
        awaitLeft(0);
        awaitAttached(1);
        assertThat(confirms.get()).isGreaterThan(2);
        site.commit(PLACE, 6);
        assertThat(site.replica(0).state).isEqualTo(ReplicaState.INSYNC);
        assertThat(added.cur).isEqualTo(site.pool.runId());
        assertMembersAreSame(1);
    }

    /** Its line is put back before the next opening: nothing of the time without it is missing. */
    @Test
    void aCrashAroundTheSwitchWithoutALostReplicaLosesNoMark() throws Exception {
        for (boolean behind : List.of(false, true)) {
            Path place = Files.createDirectory(other.resolve("switch-" + behind));
            site = new DegradingPool(place, ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
            lose(1);
            site.commit(PLACE + 4096, 11);
            CountDownLatch switching = new CountDownLatch(1);
            Runnable hold =
                    () -> {
                        switching.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt(); // no other attempt follows
                            throw new IllegalStateException(e);
                        }
                    };
            site.pool.crashAround(behind ? () -> {} : hold, behind ? hold : () -> {});
            reload(0);
            switching.await();
            DegradingPool after =
                    site.crash(Files.createDirectory(other.resolve("after-" + behind)));
            site = after;
            site.targets.noMoreFaults();
            site.pool.rename(remotes(0, 1));
            try {
                site.sink = site.attach();
                assertThat(behind).as("the map goes with the number").isFalse();
                assertMembersAreSame(0, 1);
            } catch (FarheapException e) {
                assertThat(behind).as(e.getMessage()).isTrue();
                assertThat(e).hasMessageContaining("--overwrite");
            }
        }
    }
}
