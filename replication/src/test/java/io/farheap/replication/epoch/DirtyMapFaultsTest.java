package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.dirty.FakeMaps;
import io.farheap.replication.dirty.FakeMaps.Call;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.stream.FakeReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk with the dirty maps fails: a replica is copied again, and never lacks a commit. */
@Timeout(300)
class DirtyMapFaultsTest {
    private static final long PLACE = DegradingPool.PLACE;

    /** In another region of a map. */
    private static final long ELSEWHERE = PLACE + (1 << 20);

    /** One in so many calls fails. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 6;

    private static final String GAP = "a full comparison follows";

    @TempDir private Path directory;

    private DegradingPool site;
    private FakeMaps maps = new FakeMaps();
    private int openings;

    private void open(ReplicaPolicy a, ReplicaPolicy b) {
        site = new DegradingPool(subdirectory(), a, b);
        site.maps = () -> maps.open();
        site.reopen();
    }

    private Path subdirectory() {
        try {
            return Files.createDirectory(directory.resolve("opening" + openings++));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() {
        site.close();
    }

    private void lose(int index) {
        site.targets.lose(index);
        site.commit(ELSEWHERE + 64, site.pool.word(ELSEWHERE + 64) + 1);
        await().until(() -> site.state(index) == State.LOST);
    }

    private ReplicaStatus status(int index) {
        return site.sink.replicas().get(index);
    }

    private void comesBack(int index) {
        site.targets.gone.remove(index);
        await().until(() -> site.state(index) == State.ATTACHED);
    }

    /** The program dies here; the next one finds what it left. */
    private void kill() throws IOException {
        FakeMaps left = maps.copy();
        site = site.crash(subdirectory());
        maps = left;
        site.maps = () -> maps.open();
    }

    @Test
    void aMapThatCouldNotBeMadeIsNotMadeLater() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        maps.failing = call -> call == Call.CREATE;
        lose(0);
        site.commit(PLACE, 2);
        assertThat(status(0).reason()).contains(GAP).contains("CREATE failed");
        assertThat(status(0).lagBytes()).as("not known").isEqualTo(-1);
        maps.failing = call -> false;
        lose(1);
        assertThat(maps.found()).containsExactly(site.replica(1).remote);
        site.commit(ELSEWHERE, 9);
        comesBack(0);
        assertThat(status(0).reason()).doesNotContain(GAP);
        comesBack(1);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void aMapThatCouldNotBeFlushedInALaterSwitchProvesNothing() throws IOException {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        lose(0);
        AtomicBoolean once = new AtomicBoolean(true);
        // Nor can it be removed.
        maps.failing =
                call ->
                        call == Call.REMOVE
                                || call == Call.FLUSH && once.compareAndSet(true, false);
        lose(1);
        assertThat(once).isFalse();
        assertThat(status(0).reason()).contains(GAP);
        site.commit(PLACE, 2);
        kill();
        assertThatThrownBy(site::attach)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("can't be compared");
        site.options = overwriting(0);
        site.sink = site.attach();
        await().until(() -> site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    private AttachOptions overwriting(int index) {
        return AttachOptions.NONE.overwriting(Set.of(site.replica(index).remote));
    }

    /** The others' commits go on, whatever becomes of one map. */
    @ParameterizedTest
    @EnumSource(names = {"DEGRADE", "ASYNC"})
    void aMapThatCanNotBeMarkedCostsItsReplicaOnly(ReplicaPolicy policy) throws IOException {
        open(policy, ReplicaPolicy.FAIL);
        if (policy == ReplicaPolicy.DEGRADE) {
            lose(0);
        }
        long before = site.pool.runId();
        maps.failing = call -> call != Call.FIND;
        site.commit(PLACE, 2);
        site.commit(PLACE + 8, 3);
        assertThat(site.pool.runId()).as("the map is of the number before").isNotEqualTo(before);
        assertThat(status(0).reason()).contains(GAP);
        assertThat(site.state(1)).isEqualTo(State.ATTACHED);
        assertThat(maps.found()).as("nor can it be removed").hasSize(1);
        maps.failing = call -> false;
        comesBack(0);
        site.commit(PLACE, 4);
        site.sink.close();
        site.assertSame(0);
        site.assertSame(1);
    }

    @Test
    void aMapThatCanNotBeRemovedKeepsNobodyFromComingBack() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        lose(0);
        maps.failing = call -> call == Call.REMOVE;
        comesBack(0);
        site.commit(PLACE, 2);
        lose(0);
        site.commit(PLACE, 3);
        assertThat(status(0).reason()).as("no map instead of the old one").contains(GAP);
        comesBack(0);
        lose(0);
        maps.failing = call -> false;
        site.reopen();
        assertThat(site.state(0)).isEqualTo(State.LOST);
        site.targets.noMoreFaults();
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void aMapThatCanNotBeReadIsNone() {
        open(ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
        lose(0);
        site.commit(PLACE, 2);
        site.sink.close();
        maps.failing = call -> call == Call.FIND;
        site.sink = site.attach();
        site.targets.gone.clear();
        await().until(() -> site.state(0) == State.REFUSED);
        assertThat(status(0).reason()).contains("can't be compared");
    }

    /**
     * Each call of the disk with the maps fails once, or it and all after it until the program is
     * killed: no commit throws, and whoever is current has all.
     */
    @ParameterizedTest
    @Tag("sliced")
    @CsvSource({"DEGRADE,true", "DEGRADE,false", "ASYNC,true", "ASYNC,false"})
    void whateverFailsNobodyPassesForCurrentWithoutAll(ReplicaPolicy policy, boolean once)
            throws IOException {
        int calls = history(policy, call -> false);
        assertThat(calls).isGreaterThan(12);
        int kind = 2 * policy.ordinal() + (once ? 1 : 0); // each meets others of the calls
        for (int failing = 1 + kind % STRIDE; failing <= calls; failing += STRIDE) {
            int at = failing;
            AtomicInteger number = new AtomicInteger();
            int unused =
                    history(
                            policy,
                            call -> {
                                int now = number.incrementAndGet();
                                return once ? now == at : now >= at;
                            });
        }
    }

    /**
     * @return how often something was asked of the disk
     */
    private int history(ReplicaPolicy policy, Predicate<Call> failing) throws IOException {
        maps = new FakeMaps();
        AtomicInteger calls = new AtomicInteger();
        open(policy, policy);
        maps.failing =
                call -> {
                    int unused = calls.incrementAndGet();
                    return failing.test(call);
                };
        lose(0);
        site.commit(PLACE, 2);
        lose(1);
        site.commit(PLACE + 8, 3);
        comesBack(0);
        site.commit(ELSEWHERE, 4);
        kill();
        try {
            site.sink = site.attach();
        } catch (FarheapException e) {
            assertThat(e).hasMessageContaining("can't be compared");
            site.options = overwriting(1);
            site.sink = site.attach();
        }
        site.commit(ELSEWHERE + 8, 5);
        site.sink.close();
        int current = 0;
        for (int i = 0; i < 2; i++) {
            FakeReplica replica = site.replica(i);
            if (replica.state == ReplicaState.INSYNC && replica.cur == site.pool.runId()) {
                site.assertSame(i);
                current++;
            }
        }
        assertThat(current).isGreaterThan(0);
        site.targets.killAgents();
        return calls.get();
    }
}
