package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.FakePool;
import io.farheap.replication.control.Request;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A replica that was left out comes back while commits go on, and nobody notices. */
@Timeout(120)
class ReplicaCatchUpTest {
    private static final long PLACE = DegradingPool.PLACE;

    @TempDir private Path directory;

    private DegradingPool site;
    private FakePool pool;

    @BeforeEach
    void attachBoth() {
        site = new DegradingPool(directory);
        pool = site.pool;
    }

    @AfterEach
    void end() {
        site.close();
    }

    private void lose(int index) {
        site.targets.lose(index);
        site.commit(PLACE, pool.word(PLACE) + 1);
        await().until(() -> site.state(index) == State.LOST);
    }

    private void comeBack(int index) {
        site.targets.gone.remove(index);
    }

    private void awaitAttached(int index) {
        await().until(() -> site.state(index) == State.ATTACHED);
    }

    private void set(long place, long value) {
        pool.image.set(ValueLayout.JAVA_LONG, place, value);
    }

    private long wordOf(int index, long place) {
        return site.replica(index).image.get(ValueLayout.JAVA_LONG, place);
    }

    @Test
    void whatChangedIsCopiedAndNoMore() {
        lose(1);
        for (long i = 0; i < 10; i++) {
            site.commit(PLACE + i * 8192, i + 100);
        }
        assertThat(site.sink.replicas().get(1).lagBytes()).isEqualTo(10 * 16);
        site.replica(1).copied.set(0);
        comeBack(1);
        awaitAttached(1);
        assertThat(site.replica(1).copied.get()).isLessThanOrEqualTo(12 * 16);
        ReplicaStatus back = site.sink.replicas().get(1);
        assertThat(back.lagBytes()).isZero();
        assertThat(back.epoch()).isEqualTo(pool.runId());
        site.commit(PLACE, 7);
        assertThat(directory.toFile().list()).as("maps").isEmpty();
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void bothComeBackToAPoolThatWasAlone() {
        lose(0);
        lose(1);
        site.commit(PLACE + 4096, 5);
        comeBack(0);
        comeBack(1);
        awaitAttached(0);
        awaitAttached(1);
        site.commit(PLACE + 8192, 6);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void aTargetWithoutFilesGetsAll() {
        lose(1);
        site.replica(1).state = ReplicaState.NEW;
        site.replica(1).image.fill((byte) 0);
        site.replica(1).fresh = true;
        comeBack(1);
        awaitAttached(1);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void threadsCommitWhileReplicasComeAndGo() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> committers = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < 4; i++) {
            long first = PLACE + i * 65536L;
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
        for (int round = 0; round < 3; round++) {
            int index = round % 2;
            site.targets.lose(index);
            await().until(() -> site.state(index) != State.ATTACHED);
            comeBack(index);
            awaitAttached(index);
        }
        stop.set(true);
        for (Thread committer : committers) {
            committer.join();
        }
        assertThat(failure.get()).isNull();
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    /** What an open transaction stored in place may yet be rolled back. */
    @Test
    void whatIsNotCommittedIsNotCopied() {
        lose(1);
        site.commit(PLACE, 50);
        pool.undo.put(PLACE, 50L);
        set(PLACE, 51);
        comeBack(1);
        awaitAttached(1);
        assertThat(wordOf(1, PLACE)).isEqualTo(50);
        site.sink.undoing();
        set(PLACE, 50);
        pool.undo.clear();
        site.sink.undone(entries -> entries.set(PLACE, 50));
        site.sink.close();
        site.assertSame(1);
    }

    /** It is marked only when it is done: what is read before may be neither old nor new. */
    @Test
    void whatIsPutBackWhileItIsReadIsReadAgain() {
        lose(1);
        site.commit(PLACE, 50);
        pool.undo.put(PLACE, 50L);
        set(PLACE, 51);
        AtomicInteger reads = new AtomicInteger();
        pool.beforeOverlay =
                () -> {
                    // the image was read with 51 in it, the log is read when it is gone
                    if (reads.getAndIncrement() == 0) {
                        site.sink.undoing();
                        set(PLACE, 50);
                        pool.undo.clear();
                    }
                };
        comeBack(1);
        await().until(() -> reads.get() > 0);
        await().pollDelay(Duration.ofMillis(300)).until(() -> site.state(1) != State.ATTACHED);
        site.sink.undone(entries -> entries.set(PLACE, 50));
        awaitAttached(1);
        site.sink.close();
        site.assertSame(1);
    }

    /** A commit whose stores come after its place was read. */
    @Test
    void whatIsCommittedWhileItIsReadIsReadAgain() {
        lose(1);
        site.commit(PLACE + 4096, 50);
        RecordSource record = entries -> entries.set(PLACE + 4096, 60);
        long ticket = site.sink.append(RecordEntries.WORD_ENTRY_BYTES, record);
        ticket = site.sink.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        int reads = pool.reads.get();
        comeBack(1);
        await().until(() -> pool.reads.get() > reads);
        set(PLACE + 4096, 60);
        site.sink.committed(ticket, record);
        awaitAttached(1);
        site.sink.close();
        site.assertSame(1);
    }

    /** The last round is for what nobody changes any more. */
    @Test
    void theSwitchWaitsForTheCommitsUnderWay() {
        lose(1);
        long epoch = pool.runId();
        RecordSource record = entries -> entries.set(PLACE + 4096, 60);
        long ticket = site.sink.append(RecordEntries.WORD_ENTRY_BYTES, record);
        ticket = site.sink.awaitDurable(ticket, RecordEntries.WORD_ENTRY_BYTES, record);
        site.replica(1).history.clear();
        comeBack(1);
        await().until(() -> site.state(1) == State.SYNCING);
        await().pollDelay(Duration.ofMillis(800)).until(() -> site.state(1) == State.SYNCING);
        assertThat(pool.runId()).isEqualTo(epoch);
        assertThat(site.replica(1).history).doesNotContain("syncComplete");
        set(PLACE + 4096, 60);
        site.sink.committed(ticket, record);
        awaitAttached(1);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    /** Half a copy is nothing that a map could tell about. */
    @Test
    void theMapIsGoneBeforeTheFirstByteIsCopied() {
        lose(1);
        site.commit(PLACE + 4096, 50);
        assertThat(directory.toFile().list()).hasSize(1);
        AtomicReference<List<String>> whileCopying = new AtomicReference<>();
        pool.afterRead = () -> whileCopying.compareAndSet(null, List.of(directory.toFile().list()));
        comeBack(1);
        awaitAttached(1);
        assertThat(whileCopying.get()).isNotNull().isEmpty();
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void closingWhileASwitchHasLetTheMembersGoIsInGoodOrder() throws Exception {
        lose(1);
        CountDownLatch switching = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        site.targets.dieBefore =
                request -> {
                    if (request instanceof Request.Hello hello
                            && hello.poolset().equals(site.replica(0).remote.descriptor())) {
                        switching.countDown();
                        awaitQuietly(closed);
                        return true;
                    }
                    return false;
                };
        comeBack(1);
        switching.await();
        assertThatCode(site.sink::close).doesNotThrowAnyException();
        closed.countDown();
        site.targets.noMoreFaults();
        site.sink = site.attach();
        site.commit(PLACE, 8);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aCopyThatIsCutIsAComparisonTheNextTime() {
        lose(1);
        site.commit(PLACE + 4096, 50);
        AtomicBoolean once = new AtomicBoolean();
        site.targets.dieAfter =
                request -> request instanceof Request.StartSync && once.compareAndSet(false, true);
        site.replica(1).copied.set(0);
        comeBack(1);
        await().untilTrue(once);
        awaitAttached(1);
        assertThat(site.replica(1).history).filteredOn("startSync"::equals).hasSizeGreaterThan(2);
        assertThat(site.replica(1).copied.get())
                .as("what is equal does not travel")
                .isLessThan(1 << 20);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void aCopyThatIsCutAtItsEndIsNotAMemberAndCommitsGoOn() {
        for (String step : List.of("syncComplete", "confirm")) {
            lose(1);
            AtomicBoolean once = new AtomicBoolean();
            site.targets.dieBefore =
                    request -> request.type().equals(step) && once.compareAndSet(false, true);
            comeBack(1);
            await().untilTrue(once);
            site.commit(PLACE, pool.word(PLACE) + 1);
            awaitAttached(1);
            awaitAttached(0);
            site.targets.noMoreFaults();
        }
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void theLossOfAnotherMemberDoesNotWaitForTheCopy() {
        lose(1);
        site.commit(PLACE + 4096, 50);
        AtomicBoolean lost = new AtomicBoolean();
        pool.afterRead =
                () -> {
                    if (lost.compareAndSet(false, true)) {
                        site.targets.lose(0);
                    }
                };
        comeBack(1);
        await().untilTrue(lost);
        site.commit(PLACE, 70);
        await().until(() -> site.state(0) == State.LOST);
        awaitAttached(1);
        site.commit(PLACE, 71);
        comeBack(0);
        awaitAttached(0);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void oneWhoseHistoryProvesNothingIsShownWithBothWays() {
        lose(1);
        site.replica(1).cur = 4711;
        site.replica(1).history.clear();
        comeBack(1);
        await().until(() -> site.state(1) == State.REFUSED);
        ReplicaStatus refused = site.sink.replicas().get(1);
        assertThat(refused.reason())
                .contains("to keep the local pool: ")
                .contains("to keep the replica: ");
        assertThat(refused.nextStep()).isNotEmpty();
        site.commit(PLACE, 9);
        assertThat(site.replica(1).history).isEmpty();
    }
}
