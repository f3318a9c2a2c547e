package io.farheap.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.layout.PoolUuid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long an agent waits for readers, and who may read meanwhile. */
class ReadAdmissionTest {
    private static final Duration HOLD = Duration.ofMillis(1000);
    private static final PoolUuid POOL = PoolUuid.random();

    @TempDir Path directory;

    private final AtomicLong millis = new AtomicLong(1);
    private final ReadersFile file = new ReadersFile(POOL);

    /** Time passes in it only where a test says so, but for what a spin takes. */
    private final AtomicLong spent = new AtomicLong();

    private final ReadAdmission admission =
            new ReadAdmission(
                    file, HOLD, () -> millis.get() * 1_000_000 + spent.addAndGet(30_000) % 900_000);

    @AfterEach
    void closeFile() {
        file.close();
    }

    private ReaderSlot slot() {
        return ReaderSlot.claim(file);
    }

    private ReaderSlot reading() {
        ReaderSlot slot = slot();
        assertThat(slot.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
        return slot;
    }

    @Test
    void nobodyReadsBeforeItIsOpened() {
        assertThat(slot().begin()).isEqualTo(ReaderSlot.NOT_NOW);
        admission.open(10, 3);
        ReaderSlot unused = reading();
        assertThat(file.position()).isEqualTo(new PoolPosition(10, 3));
    }

    @Test
    void withoutReadersRecordsAreAppliedAtOnceAndNobodyReadsMeanwhile() {
        admission.open(10, 0);
        ReaderSlot late = slot();
        assertThat(admission.tryShut(false)).isTrue();
        assertThat(late.begin()).isEqualTo(ReaderSlot.NOT_NOW);
        admission.reopen(10, 1);
        assertThat(late.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
        assertThat(admission.evictions()).isZero();
    }

    @Test
    void whoReadsIsWaitedForAndStaysUndisturbed() {
        admission.open(10, 0);
        ReaderSlot slot = slot();
        long view = slot.begin();
        assertThat(admission.tryShut(false)).isFalse();
        assertThat(slot.stands(view)).isTrue();
        slot.end();
        assertThat(admission.tryShut(false)).isTrue();
    }

    @Test
    void othersMayJoinInTheFirstHalfOfTheHoldAndNotInTheSecond() {
        admission.open(10, 0);
        ReaderSlot first = reading();
        assertThat(admission.tryShut(false)).isFalse();
        millis.addAndGet(400);
        assertThat(admission.tryShut(false)).isFalse();
        ReaderSlot second = reading();
        millis.addAndGet(200);
        assertThat(admission.tryShut(false)).isFalse();
        ReaderSlot third = slot();
        assertThat(third.begin()).isEqualTo(ReaderSlot.NOT_NOW);
        first.end();
        second.end();
        assertThat(admission.tryShut(false)).isTrue();
        admission.reopen(10, 1);
        assertThat(third.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
        assertThat(admission.evictions()).isZero();
    }

    @Test
    void whenTheHoldIsOverWhoStillReadsIsEvictedAndNotWaitedForAgain() {
        admission.open(10, 0);
        ReaderSlot slot = slot();
        long view = slot.begin();
        assertThat(admission.tryShut(false)).isFalse();
        millis.addAndGet(1001);
        assertThat(admission.tryShut(false)).isTrue();
        assertThat(slot.stands(view)).isFalse();
        admission.reopen(10, 1);
        assertThat(admission.tryShut(false))
                .as("the next batch, with the same one in its view")
                .isTrue();
        admission.reopen(10, 2);
        assertThat(admission.evictions()).isEqualTo(1);
        slot.end();
        long again = slot.begin();
        assertThat(admission.tryShut(false)).as("a new view of it").isFalse();
        assertThat(slot.stands(again)).isTrue();
    }

    @Test
    void whereTheRingFillsNobodyIsWaitedFor() {
        admission.open(10, 0);
        ReaderSlot slot = slot();
        long view = slot.begin();
        assertThat(admission.tryShut(true)).isTrue();
        assertThat(slot.stands(view)).isFalse();
    }

    /** As who reads does when it is refused: the next view of it must be seen by the agent. */
    @Test
    void endingAViewThatDidNotBeginIsOfNoEffect() {
        ReaderSlot slot = slot();
        assertThat(slot.begin()).isEqualTo(ReaderSlot.NOT_NOW);
        slot.end();
        admission.open(10, 0);
        assertThat(admission.tryShut(false)).as("nobody is in").isTrue();
        assertThat(admission.evictions()).isZero();
        admission.reopen(10, 1);
        long view = slot.begin();
        assertThat(admission.tryShut(false)).as("now it is").isFalse();
        assertThat(slot.stands(view)).isTrue();
        slot.end();
        slot.end();
        assertThat(admission.tryShut(false)).as("it has left").isTrue();
    }

    @Test
    void norIsEndingOneWhoseSlotWasTakenAway() {
        admission.open(10, 0);
        ReaderSlot lost = ReaderSlot.claim(file, ProcessHandle.current().pid(), 1);
        long unused = lost.begin();
        admission.freeDead();
        ReaderSlot next = slot();
        lost.end();
        lost.end();
        assertThat(admission.tryShut(false)).as("nobody is in").isTrue();
        admission.reopen(10, 1);
        long view = next.begin();
        assertThat(view).isNotEqualTo(ReaderSlot.NOT_NOW);
        lost.end();
        assertThat(admission.tryShut(false)).as("the next one is").isFalse();
        assertThat(next.stands(view)).isTrue();
    }

    @Test
    void closingEvictsAtOnce() {
        admission.open(10, 0);
        ReaderSlot slot = slot();
        long view = slot.begin();
        admission.close();
        assertThat(slot.stands(view)).isFalse();
        slot.end();
        assertThat(slot.begin()).isEqualTo(ReaderSlot.NOT_NOW);
        admission.open(12, 0);
        assertThat(slot.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
    }

    @Test
    void onePromotedSaysSo() {
        admission.open(10, 0);
        admission.closePromoted();
        assertThat(file.isPromoted()).isTrue();
        assertThat(slot().begin()).isEqualTo(ReaderSlot.NOT_NOW);
    }

    @Test
    void aReaderThatDiedInItsViewIsNotWaitedForOnceThatIsSeen() throws Exception {
        admission.open(10, 0);
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        ReaderSlot dead = ReaderSlot.claim(file, gone.pid(), 5);
        assertThat(dead.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
        assertThat(admission.tryShut(false)).isFalse();
        millis.addAndGet(20);
        assertThat(admission.tryShut(false)).as("when it is looked for").isFalse();
        assertThat(admission.tryShut(false)).isTrue();
        assertThat(dead.isMine()).isFalse();
    }

    @Test
    void aSlotThatWasTakenAwayIsOfNoUseToWhoHadItAndOfUseToTheNext() {
        admission.open(10, 0);
        ReaderSlot lost = ReaderSlot.claim(file, ProcessHandle.current().pid(), 1);
        long view = lost.begin();
        admission.freeDead();
        assertThat(lost.stands(view)).isFalse();
        ReaderSlot next = reading();
        lost.end();
        assertThat(lost.begin()).isEqualTo(ReaderSlot.NOT_NOW);
        assertThat(admission.tryShut(false))
                .as("the next one's view is not ended by that")
                .isFalse();
        assertThat(next.isMine()).isTrue();
    }

    @Test
    void oneThatWasTakenAwayBetweenViewsIsNotHadAgainByItsProcessesNextClaim() {
        admission.open(10, 0);
        ReaderSlot lost = ReaderSlot.claim(file, ProcessHandle.current().pid(), 1);
        admission.freeDead();
        ReaderSlot next = slot();
        assertThat(lost.isMine()).isFalse();
        lost.release();
        assertThat(next.isMine()).isTrue();
        assertThat(next.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
    }

    /** Else whoever takes it next is taken for dead before it has said when it began. */
    @Test
    void oneThatIsGivenBackTellsNothingOfWhoHadIt() {
        ReaderSlot slot = slot();
        assertThat(file.get(ReadersLayout.start(0))).isNotZero();
        slot.release();
        assertThat(file.get(ReadersLayout.start(0))).isZero();
    }

    @Test
    void thereAreSlotsForSoManyAndReleasedOnesAreTakenAgain() {
        List<ReaderSlot> all = new ArrayList<>();
        for (int i = 0; i < 126; i++) {
            all.add(slot());
        }
        assertThat(slot()).isNull();
        all.get(70).release();
        assertThat(slot()).isNotNull();
    }

    // ---- the file ----

    @Test
    void whoHasItMappedGoesOnWithTheNextAgent() {
        Path path = directory.resolve("p.readers");
        try (ReadersFile first = ReadersFile.take(path, POOL, 0600);
                ReadersFile readers = ReadersFile.open(path, POOL)) {
            ReadAdmission.of(first, HOLD).open(10, 0);
            ReaderSlot slot = ReaderSlot.claim(readers);
            long view = slot.begin();
            try (ReadersFile second = ReadersFile.take(path, POOL, 0600)) {
                ReadAdmission next = ReadAdmission.of(second, HOLD);
                assertThat(slot.stands(view)).isFalse();
                slot.end();
                next.open(12, 7);
                assertThat(slot.begin()).isNotEqualTo(ReaderSlot.NOT_NOW);
                assertThat(readers.position()).isEqualTo(new PoolPosition(12, 7));
                assertThat(readers.isAgentAlive()).isTrue();
            }
        }
    }

    @Test
    void aFileOfAnotherPoolIsRefusedToReadersAndReplacedByTheAgent() {
        Path path = directory.resolve("p.readers");
        PoolUuid other = PoolUuid.random();
        ReadersFile.take(path, other, 0600).close();
        assertThatThrownBy(() -> ReadersFile.open(path, POOL))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContaining("belongs to another pool (" + other);
        ReadersFile.take(path, POOL, 0600).close();
        ReadersFile.open(path, POOL).close();
    }

    @Test
    void whatIsNoSuchFileIsRefused() throws IOException {
        Path path = directory.resolve("p.readers");
        assertThatThrownBy(() -> ReadersFile.open(path, POOL))
                .hasMessageContaining("There is no " + path);
        Files.write(path, new byte[100]);
        assertThatThrownBy(() -> ReadersFile.open(path, POOL)).hasMessageContaining("is damaged");
        Files.write(path, new byte[8192]);
        assertThatThrownBy(() -> ReadersFile.open(path, POOL)).hasMessageContaining("is damaged");
        ReadersFile.take(path, POOL, 0600).close();
        byte[] whole = Files.readAllBytes(path);
        whole[17] ^= 1;
        Files.write(path, whole);
        assertThatThrownBy(() -> ReadersFile.open(path, POOL)).hasMessageContaining("is damaged");
    }
}
