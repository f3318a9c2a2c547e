package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeapArenasTest {
    private static final long CHUNK = HeapLayout.CHUNK_BYTES;

    private final PoolMemory memory = new CrashSimulation(TestHeap.imageSize(20)).memory();
    private final TestHeap test = TestHeap.create(memory, new HeapSettings(3, false));
    private final HeapArenas arenas = test.heap.arenas();

    @Test
    void threadsAreSpreadOverTheAutomaticArenas() throws Exception {
        arenas.setAutomatic(2, false);
        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            used.add(inThread(arenas::threadArena));
        }

        assertThat(used).containsExactlyInAnyOrder(1, 3);
        assertThat(arenas.automatic()).isEqualTo(2);
        assertThat(arenas.count()).isEqualTo(3);
    }

    @Test
    void aThreadFindsAnArenaWhileAnotherOneBecomesAutomatic() throws Exception {
        arenas.setAutomatic(2, false);
        arenas.setAutomatic(3, false);
        AtomicBoolean enough = new AtomicBoolean();
        FutureTask<Void> changing =
                new FutureTask<>(
                        () -> {
                            for (int from = 1; !enough.get(); from = from % 3 + 1) {
                                arenas.setAutomatic(from % 3 + 1, true);
                                arenas.setAutomatic(from, false);
                            }
                            return null;
                        });
        Thread thread = Thread.ofPlatform().start(changing);
        try (var others = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> found = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                found.add(others.submit(arenas::threadArena));
            }
            for (Future<Integer> arena : found) {
                assertThat(arena.get()).isBetween(1, 3);
            }
        } finally {
            enough.set(true);
            thread.join();
        }
        changing.get();
    }

    @Test
    void aThreadKeepsItsArena() throws Exception {
        boolean kept =
                inThread(
                        () -> {
                            int mine = arenas.threadArena();
                            arenas.setAutomatic(mine, false);
                            return arenas.threadArena() == mine;
                        });

        assertThat(kept).isTrue();
    }

    @Test
    void aThreadMayChooseItsArena() throws Exception {
        int made = arenas.create();
        assertThat(arenas.isAutomatic(made)).isFalse();

        long before = arenas.bytes(made);
        inThread(
                () -> {
                    arenas.assignThread(made);
                    assertThat(arenas.threadArena()).isEqualTo(made);
                    return test.allocate(100, 1);
                });

        assertThat(before).isZero();
        assertThat(arenas.bytes(made)).isEqualTo(CHUNK);
        test.check();
    }

    @Test
    void anAllocationMayChooseItsArena() {
        test.allocate(100, 1, Heap.ANY, 2);
        test.allocate(100, 2, Heap.ANY, 3);

        assertThat(arenas.bytes(2)).isEqualTo(CHUNK);
        assertThat(arenas.bytes(3)).isEqualTo(CHUNK);
        assertThat(arenas.bytes(1)).isZero();
        WalkResult walk = test.check();
        assertThat(walk.objects().get(1).userOffset() - walk.objects().get(0).userOffset())
                .as("each arena has a run of its own")
                .isEqualTo(CHUNK);
    }

    @Test
    void allThreadsMayShareOneArena() throws Exception {
        TestHeap shared = TestHeap.create(memory, new HeapSettings(3, true));
        HeapArenas its = shared.heap.arenas();
        assertThat(inThread(its::threadArena)).isEqualTo(1);

        its.assignThread(3);

        assertThat(its.threadArena()).isEqualTo(3);
        assertThat(inThread(its::threadArena)).isEqualTo(3);
    }

    @Test
    void aRunWithRoomThatIsOneOfSeveralGoesToTheArenaThatNeedsOne() {
        List<Long> first = fill(1, 2045);
        List<Long> second = fill(1, 2045);
        test.free(first.get(7));
        test.free(second.get(9));
        assertThat(arenas.bytes(1)).isEqualTo(2 * CHUNK);

        long moved = test.allocate(100, 9000, Heap.ANY, 2);

        assertThat(moved).isIn(first.get(7), second.get(9));
        assertThat(arenas.bytes(1)).isEqualTo(CHUNK);
        assertThat(arenas.bytes(2)).isEqualTo(CHUNK);
        test.check();
    }

    @Test
    void whenTheHeapIsFullAnArenaTakesTheLastRunOfAnother() {
        long mine = test.allocate(100, 1, Heap.ANY, 1);
        test.allocate(19 * CHUNK - 16, 2);

        long taken = test.allocate(100, 3, Heap.ANY, 2);

        assertThat(taken).isEqualTo(mine + 128);
        assertThat(arenas.bytes(1)).isZero();
        test.free(mine);
        assertThat(test.allocate(100, 4, Heap.ANY, 1)).as("and back").isEqualTo(mine);
        test.free(taken);
        test.check();
    }

    /** Else a program that lives with refusals would have other arenas look for runs again. */
    @Test
    void aRefusalTakesNoRunOfAnotherArena() {
        test.allocate(5000, 1, Heap.ANY, 2);
        long others = arenas.bytes(2);
        test.allocate(20 * CHUNK - others - 16, 2);

        assertThatThrownBy(() -> test.allocate(100, 3, Heap.ANY, 1))
                .hasMessageContaining("what is left of units for larger objects is kept");

        assertThat(arenas.bytes(2)).isEqualTo(others);
        assertThat(arenas.bytes(1)).isZero();
        test.check();
    }

    @Test
    void whatWasFoundAtOpenBelongsToNobodyUntilItIsUsed() {
        long object = test.allocate(100, 1);
        test.reboot();
        HeapArenas fresh = test.heap.arenas();

        test.free(object);
        long again = test.allocate(100, 2, Heap.ANY, 3);

        assertThat(again).isEqualTo(object);
        assertThat(fresh.bytes(3)).isEqualTo(CHUNK);
    }

    @Test
    void anEmptyRunOfAnyArenaIsDissolvedWhenChunksAreWanted() {
        long object = test.allocate(100, 1, Heap.ANY, 2);
        test.free(object);

        test.allocate(20 * CHUNK - 16, 2);

        assertThat(arenas.bytes(2)).isZero();
        test.check();
    }

    @Test
    void figuresTellWhatRunsHaveAndWhatIsInUse() {
        assertThat(test.heap.runBytes()).isZero();
        long object = test.allocate(100, 1, Heap.ANY, 1);
        test.allocate(300, 1, Heap.ANY, 2);
        test.allocate(CHUNK - 16, 2);

        assertThat(test.heap.runBytes()).isEqualTo(2 * CHUNK);
        assertThat(test.heap.runBytesInUse()).isEqualTo(128 + 320);
        test.free(object);
        assertThat(test.heap.runBytesInUse()).isEqualTo(320);
        assertThat(test.heap.runBytes()).isEqualTo(2 * CHUNK);
    }

    @Test
    void theLastAutomaticArenaStaysOne() {
        arenas.setAutomatic(1, false);
        arenas.setAutomatic(2, false);

        assertRefused(() -> arenas.setAutomatic(3, false), "3", "automatic");
        arenas.setAutomatic(1, true);
        arenas.setAutomatic(3, false);
        assertThat(arenas.isAutomatic(3)).isFalse();
    }

    @Test
    void thereAreNoMoreArenasThanThereMayBe() {
        assertThat(arenas.max()).isEqualTo(1024);
        for (int i = 4; i <= 1024; i++) {
            assertThat(arenas.create()).isEqualTo(i);
        }

        assertRefused(arenas::create, "1024");
        assertRefused(() -> arenas.setMax(1023), "1023", "grow");
        arenas.setMax(1025);
        assertThat(arenas.create()).isEqualTo(1025);
    }

    @Test
    void whatIsNoArenaIsRefused() {
        assertRefused(() -> arenas.bytes(0), "no arena 0");
        assertRefused(() -> arenas.isAutomatic(4), "no arena 4");
        assertRefused(() -> arenas.assignThread(-1), "no arena -1");
        assertRefused(() -> test.allocate(100, 1, Heap.ANY, 4), "no arena 4", "1 to 3");
        assertRefused(() -> new HeapSettings(0, false), "at least 1");
    }

    /** Fills the arena's one run with room for units of 128 bytes. */
    private List<Long> fill(int arena, int units) {
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            objects.add(test.allocate(100, 1, Heap.ANY, arena));
        }
        return objects;
    }

    private static <T> T inThread(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.start();
        return task.get();
    }

    private static void assertRefused(Runnable call, String... parts) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e ->
                                assertThat(e.category())
                                        .isEqualTo(FarheapException.Category.WRONG_USE))
                .hasMessageContainingAll(parts);
    }
}
