package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.pmemobj.HeapControl;
import io.farheap.pmemobj.MemoryOption;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolLimits;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What libpmemobj's API has that no other test has a use for. */
class ApiCornersTest {
    private static final long ENTRY = 8;

    @TempDir private Path directory;
    private ObjectPool pool;

    @BeforeEach
    void open() {
        pool = ObjectPool.at(directory.resolve("a.pool")).layout("corners").size(16 << 20).create();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void anArenaThatAThreadAsksForGrowsWithWhatItAllocates() {
        HeapControl heap = pool.heap();
        int before = heap.arenas();
        int automatic = heap.automaticArenas();

        int arena = heap.createArena();

        assertThat(heap.arenas()).isEqualTo(before + 1);
        assertThat(heap.automaticArenas()).isEqualTo(automatic);
        assertThat(heap.isArenaAutomatic(arena)).isFalse();
        assertThat(heap.arenaSize(arena)).isZero();
        heap.setThreadArena(arena);
        assertThat(heap.threadArena()).isEqualTo(arena);
        pool.transaction(tx -> tx.allocate(100, 1));
        assertThat(heap.arenaSize(arena)).isEqualTo(256 << 10);
        heap.setArenaAutomatic(arena, true);
        assertThat(heap.isArenaAutomatic(arena)).isTrue();
        assertThat(heap.automaticArenas()).isEqualTo(automatic + 1);
    }

    @Test
    void arenasHaveALimitThatOnlyGrows() {
        HeapControl heap = pool.heap();
        assertThat(heap.maxArenas()).isEqualTo(1024);

        heap.setMaxArenas(1030);

        assertThat(heap.maxArenas()).isEqualTo(1030);
        assertThatThrownBy(() -> heap.setMaxArenas(1029)).isInstanceOf(FarheapException.class);
    }

    @Test
    void oneArenaForAllIsSharedByEveryThread() throws InterruptedException {
        Path file = directory.resolve("one.pool");
        PoolOptions one = PoolOptions.builder().oneArenaForAll(true).prefaultAtOpen(true).build();
        ObjectPool.at(file).layout("one").size(8 << 20).create().close();
        try (ObjectPool opened = ObjectPool.at(file).layout("one").options(one).open()) {
            int mine = opened.heap().threadArena();
            int[] others = new int[4];
            for (int i = 0; i < others.length; i++) {
                int index = i;
                Thread other =
                        new Thread(
                                () -> {
                                    opened.transaction(tx -> tx.allocate(100, 1));
                                    others[index] = opened.heap().threadArena();
                                });
                other.start();
                other.join();
            }
            assertThat(others).containsOnly(mine);
            assertThat(opened.options().prefaultAtOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryOption.class)
    void whateverTheHintTheBytesAreThere(MemoryOption option) {
        Ref object = pool.compute(tx -> tx.allocateZeroed(500, 1));

        pool.memory().fill(object, 3, 400, (byte) 5, option);
        pool.memory().copy(object, 3, object, 450, 50, option);

        byte[] bytes = pool.readBytes(object, 0, 500);
        assertThat(List.of(bytes[2], bytes[3], bytes[402], bytes[403]))
                .containsExactly((byte) 0, (byte) 5, (byte) 5, (byte) 0);
        assertThat(List.of(bytes[449], bytes[450], bytes[499]))
                .containsExactly((byte) 0, (byte) 5, (byte) 5);
        assertThat(MemoryOption.values())
                .contains(
                        MemoryOption.NO_DRAIN,
                        MemoryOption.NO_FLUSH,
                        MemoryOption.NON_TEMPORAL,
                        MemoryOption.TEMPORAL,
                        MemoryOption.WRITE_COMBINING,
                        MemoryOption.WRITE_BACK,
                        MemoryOption.RELAXED);
    }

    @Test
    void aNewElementGoesToTheEndOfAListWithRoomForItsEntry() {
        Ref holder = pool.root(ObjectList.HEAD_BYTES);
        ObjectList list = pool.list(holder, 0, ENTRY);
        long size = ENTRY + ObjectList.ENTRY_BYTES;

        Ref first = list.insertNewLast(size, 1, made -> made.setLong(0, 1));
        Ref second = list.insertNewLast(size, 1, made -> made.setLong(0, 2));

        assertThat(list).containsExactly(first, second);
        assertThat(pool.getLong(second, 0)).isEqualTo(2);
        assertThat(ObjectList.ENTRY_BYTES).isEqualTo(32);
    }

    @Test
    void referencesToOneObjectAreEqual() {
        Ref object = pool.compute(tx -> tx.allocate(100, 1));
        Ref same = new Ref(object.poolId(), object.offset());

        assertThat(object.equals(same)).isTrue();
        assertThat(object.equals(Ref.NULL)).isFalse();
        assertThat(object.isNull()).isFalse();
        assertThat(new Ref(object.poolId(), 0).isNull()).isTrue();
    }

    @Test
    void theVersionOfTheApiIsThatOfLibpmemobj() {
        assertThat(PoolLimits.API_MAJOR_VERSION).isEqualTo(2);
        assertThat(PoolLimits.API_MINOR_VERSION).isEqualTo(4);
    }
}
