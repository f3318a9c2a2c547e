package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.pmemobj.PoolLimits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From references and views of memory to pools, and back. */
class OpenPoolsTest {
    @TempDir private Path directory;

    @Test
    void poolsAreFoundWhileTheyAreOpen() {
        ObjectPool first =
                ObjectPool.at(directory.resolve("a"))
                        .layout("a")
                        .size(PoolLimits.MIN_POOL_BYTES)
                        .create();
        ObjectPool second =
                ObjectPool.at(directory.resolve("b"))
                        .layout("b")
                        .size(PoolLimits.MIN_POOL_BYTES)
                        .create();
        Ref root = first.root(100);
        Ref other = second.root(100);
        MemorySegment view = first.segment(root);

        assertThat(OpenPools.ofId(first.poolId())).containsSame(first);
        assertThat(OpenPools.of(root)).containsSame(first);
        assertThat(OpenPools.of(other)).containsSame(second);
        assertThat(OpenPools.of(Ref.NULL)).isEmpty();
        assertThat(OpenPools.of(view)).containsSame(first);
        assertThat(OpenPools.of(second.segment(other))).containsSame(second);
        assertThat(OpenPools.refTo(view)).isEqualTo(root);
        assertThat(OpenPools.refTo(view.asSlice(16)))
                .isEqualTo(new Ref(first.poolId(), root.offset() + 16));
        first.close();
        assertThat(OpenPools.ofId(first.poolId())).isEmpty();
        assertThat(OpenPools.of(root)).isEmpty();
        assertThat(OpenPools.refTo(second.segment(other))).isEqualTo(other);
        second.close();
    }

    @Test
    void memoryOutsidePoolsIsNobodys() {
        try (ObjectPool pool =
                        ObjectPool.at(directory.resolve("a"))
                                .layout("a")
                                .size(PoolLimits.MIN_POOL_BYTES)
                                .create();
                Arena arena = Arena.ofConfined()) {
            assertThat(pool.root()).isEqualTo(Ref.NULL);
            MemorySegment native64 = arena.allocate(64);
            MemorySegment heap = MemorySegment.ofArray(new long[8]);
            assertThat(OpenPools.of(native64)).isEmpty();
            assertThat(OpenPools.of(heap)).isEmpty();
            assertThat(OpenPools.refTo(native64)).isEqualTo(Ref.NULL);
            assertThat(OpenPools.refTo(heap)).isEqualTo(Ref.NULL);
        }
    }

    @Test
    void limitsAreThoseOfLibpmemobj() {
        assertThat(PoolLimits.MIN_POOL_BYTES).isEqualTo(8 << 20);
        assertThat(PoolLimits.MIN_PART_BYTES).isEqualTo(2 << 20);
        assertThat(PoolLimits.MAX_LAYOUT_BYTES).isEqualTo(1024);
        assertThat(PoolLimits.MAX_ALLOCATION_BYTES).isEqualTo(17_177_771_968L);
        assertThatThrownBy(
                        () ->
                                ObjectPool.at(directory.resolve("small"))
                                        .layout("a")
                                        .size(PoolLimits.MIN_POOL_BYTES - 1)
                                        .create())
                .isInstanceOf(FarheapException.class);
        String name = "x".repeat(PoolLimits.MAX_LAYOUT_BYTES - 1);
        Path file = directory.resolve("named");
        ObjectPool.at(file).layout(name).size(PoolLimits.MIN_POOL_BYTES).create().close();
        try (ObjectPool pool = ObjectPool.open(file, name)) {
            assertThat(pool.layout()).isEqualTo(name);
            assertThatThrownBy(() -> pool.atomic().allocate(PoolLimits.MAX_ALLOCATION_BYTES + 1, 1))
                    .isInstanceOf(FarheapException.class);
        }
        assertThatThrownBy(
                        () ->
                                ObjectPool.at(directory.resolve("long"))
                                        .layout(name + "x")
                                        .size(PoolLimits.MIN_POOL_BYTES)
                                        .create())
                .isInstanceOf(FarheapException.class);
    }
}
