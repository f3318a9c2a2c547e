package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.objects.type.RootLayout;
import io.farheap.objects.type.StoredHeap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes in the root object and the type table, so that it has loops, leads out of the pool, or
 * is of versions that nobody knows: who opens the heap, with the program's classes or without, is
 * refused with a sentence, or reads what is there.
 */
class TypeTableFuzzTest {
    private static final long SECONDS = 10;
    private static final long FREE_BYTES = 64 << 20;

    /** What is opened may add its types, and so takes room that nobody gives back. */
    private static final int INPUTS_OF_A_HEAP = 100;

    private static PersistentHeap<EveryValue.Root> heap;
    private static DamagedObjects objects;
    private static int inputs;

    @BeforeAll
    static void make() {
        heap = EveryValue.make();
        ObjectPool pool = heap.pool();
        List<Ref> table = new ArrayList<>();
        table.add(pool.root());
        pool.objects(RootLayout.TYPE_NUMBER).forEach(table::add);
        objects = new DamagedObjects(pool, table);
        inputs = 0;
    }

    @AfterAll
    static void close() {
        heap.close();
    }

    @Test
    @Tag("sliced")
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), TypeTableFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(TypeTableFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        return objects.seeds();
    }

    private static void take(byte[] input) throws Exception {
        if (++inputs > INPUTS_OF_A_HEAP) {
            close();
            make();
        }
        objects.damage(new Take(input));
        try {
            Inputs.bounded(SECONDS, FREE_BYTES, TypeTableFuzzTest::openBoth);
        } finally {
            objects.mend();
        }
        assertThat(EveryValue.openAndRead(heap.pool())).isNotNull();
    }

    private static void openBoth() {
        try {
            Object unused = EveryValue.openAndRead(heap.pool());
        } catch (FarheapException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
        try (StoredHeap stored = new StoredHeap(heap.pool())) {
            assertThat(stored.table()).isNotNull();
        } catch (FarheapException refused) {
            assertThat(refused.category()).isEqualTo(FarheapException.Category.BAD_DATA);
        }
    }
}
