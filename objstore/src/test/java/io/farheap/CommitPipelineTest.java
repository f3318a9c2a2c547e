package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The order of a commit with a replica: what must be durable where before what. */
class CommitPipelineTest {
    private static final long TYPE = 7;

    private final CrashSimulation machine = SimulatedPool.formatted();
    private final RecordingSink sink = new RecordingSink();
    private ObjectPool pool;
    private Ref account;

    @BeforeEach
    void openWithOneObject() {
        pool = SimulatedPool.open(machine, sink);
        account =
                pool.compute(
                        tx -> {
                            Ref object = tx.allocateZeroed(64, TYPE);
                            tx.setLong(object, 0, 100);
                            return object;
                        });
        sink.calls.clear();
    }

    /** Every fence and every call to the replica during the call, in order. */
    private List<String> orderOf(Runnable call) {
        sink.calls.clear();
        int[] fences = {machine.fences()};
        sink.beforeEachCall =
                () -> {
                    while (fences[0] < machine.fences()) {
                        fences[0]++;
                        sink.calls.add("fence");
                    }
                };
        call.run();
        sink.beforeEachCall.run();
        sink.beforeEachCall = () -> {};
        return List.copyOf(sink.calls);
    }

    @Test
    void remoteBeforeLocal() {
        List<String> order = orderOf(() -> pool.transaction(tx -> tx.setLong(account, 0, 50)));

        long ticket = sink.records.size();
        assertThat(order)
                .containsExactly(
                        "fence", // the undo entries
                        "append " + ticket,
                        "fence", // the new values
                        "await " + ticket,
                        "fence", // the commit point
                        "committed " + ticket);
    }

    @Test
    void readingAPoolThatFailedMeanwhileThrowsToo() {
        assertThatThrownBy(
                        () ->
                                pool.compute(
                                        tx -> {
                                            long read = tx.getLong(account, 0);
                                            failInTheMiddleOfACommit();
                                            return read;
                                        }))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("in the middle of a commit");
    }

    /** In another thread, whose transaction it is. */
    private void failInTheMiddleOfACommit() {
        sink.beforeEachCall =
                () -> {
                    if (!sink.calls.isEmpty() && sink.calls.getLast().startsWith("await")) {
                        throw new IllegalStateException("the medium is gone");
                    }
                };
        Thread failing =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        assertThatThrownBy(() -> pool.setLong(account, 8, 1))
                                                .hasMessageContaining("middle of a commit"));
        try {
            failing.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        sink.beforeEachCall = () -> {};
    }

    @Test
    void untilTheReplicaHasItACrashLeavesTheOldValue() {
        int[] crashes = {0};
        sink.whileWaiting =
                () -> {
                    for (Loss loss : Loss.values()) {
                        CrashSimulation restarted = machine.crash(loss, new Random(crashes[0]));
                        ObjectPool recovered = SimulatedPool.open(restarted);
                        assertThat(recovered.getLong(account, 0)).as(loss.name()).isEqualTo(100);
                        crashes[0]++;
                    }
                    assertThat(pool.getLong(account, 0)).as("stored meanwhile").isEqualTo(50);
                };

        pool.transaction(tx -> tx.setLong(account, 0, 50));

        assertThat(crashes[0]).isEqualTo(3);
        ObjectPool recovered = SimulatedPool.open(machine.crash(Loss.ALL, new Random(1)));
        assertThat(recovered.getLong(account, 0)).as("acknowledged").isEqualTo(50);
    }

    @Test
    void theRecordHoldsExactlyWhatChanges() {
        pool.transaction(
                tx -> {
                    tx.setLong(account, 8, 1);
                    tx.setLong(account, 16, 2);
                    tx.setInt(account, 32, 3);
                });

        List<RecordingSink.Entry> record = sink.records.get(sink.records.size() - 1);
        assertThat(record).hasSize(2);
        assertThat(record.get(0).offset()).isEqualTo(account.offset() + 8);
        assertThat(record.get(0).bytes()).hasSize(16).startsWith(1);
        assertThat(record.get(1).offset()).isEqualTo(account.offset() + 32);
        assertThat(record.get(1).bytes()).containsExactly(3, 0, 0, 0);
    }

    @Test
    void aTransactionThatChangesNothingSendsNothing() {
        int before = sink.records.size();
        long fences = pool.counters().fences();

        pool.transaction(tx -> tx.getLong(account, 0));
        pool.transaction(tx -> tx.free(tx.allocate(64, TYPE)));

        assertThat(sink.records).hasSize(before);
        assertThat(pool.counters().fences()).isEqualTo(fences);
    }

    @Test
    void aLostAnswerRollsBackAndSaysUnknown() {
        sink.losesAnswers = true;
        Throwable thrown =
                catchThrowable(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(account, 0, 50);
                                            tx.setLong(tx.allocate(64, TYPE), 0, 1);
                                        }));

        assertThat(thrown).isInstanceOf(CommitUnknownException.class);
        assertThat(((CommitUnknownException) thrown).replica()).isEqualTo("host pool.set");
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(pool.objects()).containsExactly(account);
        long ticket = sink.records.size();
        assertThat(sink.calls).endsWith("await " + ticket, "rolledBack " + ticket);
        ObjectPool recovered = SimulatedPool.open(machine.crash(Loss.ALL, new Random(1)));
        assertThat(recovered.getLong(account, 0)).as("rolled back durably").isEqualTo(100);

        sink.losesAnswers = false;
        pool.setLong(account, 0, 60);
        assertThat(pool.getLong(account, 0)).isEqualTo(60);
        pool.close();
    }

    @Test
    void rolledBackIsSaidOnlyWhenTheOldValuesAreDurable() {
        sink.losesAnswers = true;
        List<String> order =
                orderOf(
                        () ->
                                assertThatThrownBy(
                                                () ->
                                                        pool.transaction(
                                                                tx -> tx.setLong(account, 0, 50)))
                                        .isInstanceOf(CommitUnknownException.class));

        int rolledBack = order.indexOf("rolledBack " + sink.records.size());
        assertThat(order.subList(order.indexOf("await " + sink.records.size()), rolledBack))
                .as("nothing is stored back, or not durably")
                .contains("fence");
    }

    @Test
    void inPlaceStoresAreRolledBackToo() {
        sink.losesAnswers = true;

        assertThatThrownBy(
                        () ->
                                pool.update(
                                        account,
                                        0,
                                        8,
                                        segment -> segment.set(ValueLayout.JAVA_LONG, 0, 1)))
                .isInstanceOf(CommitUnknownException.class);

        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void aMissingReplicaRefusesTheCommitAndReadsGoOn() {
        sink.refuses = true;

        assertThatThrownBy(() -> pool.setLong(account, 0, 50))
                .isInstanceOf(FarheapException.class)
                .hasMessage("replica is missing");

        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(sink.calls).isEmpty();
        sink.refuses = false;
        pool.setLong(account, 0, 50);
        pool.close();
    }

    @Test
    void largeFreshObjectsTravelAhead() {
        sink.maxEntryBytes = 4096;
        int before = sink.records.size();

        Ref large =
                pool.compute(
                        tx -> {
                            Ref object = tx.allocate(300_000, TYPE);
                            for (int i = 0; i < 300_000 / 8; i++) {
                                tx.setLong(object, 8L * i, i);
                            }
                            tx.setRef(account, 16, object);
                            return object;
                        });

        assertThat(sink.records.size() - before).isGreaterThan(300_000 / 4096);
        pool.close();
        CrashSimulation replica =
                sink.replica(SimulatedPool.formatted().memory().image(), sink.records.size());
        ObjectPool promoted = SimulatedPool.open(replica);
        assertThat(promoted.getRef(account, 16)).isEqualTo(large);
        for (int i = 0; i < 300_000 / 8; i++) {
            assertThat(promoted.getLong(large, 8L * i)).isEqualTo(i);
        }
        CrashSimulation withoutTheLast =
                sink.replica(SimulatedPool.formatted().memory().image(), sink.records.size() - 1);
        assertThat(SimulatedPool.open(withoutTheLast).getRef(account, 16)).isEqualTo(Ref.NULL);
    }

    @Test
    void freshContentIsCutForReplicasThatNobodyHasSeenYet() {
        sink.maxEntryBytes = Long.MAX_VALUE;
        sink.pieceEntryBytes = 4096;
        int before = sink.records.size();
        Ref large =
                pool.compute(
                        tx -> {
                            Ref object = tx.allocate(30_000, TYPE);
                            tx.writeBytes(object, 0, new byte[30_000]);
                            return object;
                        });
        assertThat(sink.records.subList(before, sink.records.size()))
                .hasSizeGreaterThan(30_000 / 4096)
                .allSatisfy(record -> assertThat(bytes(record)).isLessThanOrEqualTo(4096));

        before = sink.records.size();
        pool.writeBytes(large, 0, new byte[20_000]);
        assertThat(sink.records.subList(before, sink.records.size()))
                .as("what must be in one record is")
                .anySatisfy(record -> assertThat(bytes(record)).isGreaterThanOrEqualTo(20_000));
        pool.close();
    }

    private static long bytes(List<RecordingSink.Entry> record) {
        return record.stream()
                .mapToLong(entry -> entry.bytes() == null ? 0 : entry.bytes().length)
                .sum();
    }

    @Test
    void tooMuchInPlaceIsRefusedBeforeAnythingIsPosted() {
        Ref large = pool.compute(tx -> tx.allocateZeroed(10_000, TYPE));
        // The lane's undo extension needs a run, which is a record of its own; have it now.
        pool.writeBytes(large, 0, new byte[3000]);
        sink.maxEntryBytes = 4096;
        int before = sink.records.size();

        assertThatThrownBy(() -> pool.writeBytes(large, 0, new byte[5000]))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("5016")
                .hasMessageContaining("4096")
                .hasMessageContaining("journal-size");
        assertThatThrownBy(() -> pool.update(large, 0, 5000, segment -> segment.fill((byte) 1)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("journal-size");

        assertThat(sink.records).hasSize(before);
        assertThat(pool.readBytes(large, 0, 5000)).containsOnly(0);
        pool.writeBytes(large, 0, new byte[4000]);
        pool.close();
    }

    @Test
    void closeLetsTheReplicasGoOnce() {
        pool.close();
        pool.close();

        assertThat(sink.calls).containsExactly("close");
    }
}
