package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Full pools of either side: this library cleans them up, and libpmemobj goes on with them. */
class FullPoolInteropTest {
    private static final int MEBIBYTES = 24;

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void nativeLibrary() {
        NativeJudge.require();
        file = directory.resolve("full.pool");
    }

    private int fillInC(int size) {
        NativeJudge.Answer answer =
                NativeJudge.judge("fill", file.toString(), Integer.toString(size));
        assertThat(answer).returns(0, NativeJudge.Answer::exitCode);
        return Integer.parseInt(answer.out().substring("filled ".length()).strip());
    }

    private static List<Ref> objects(ObjectPool pool) {
        List<Ref> found = new ArrayList<>();
        pool.objects().forEach(found::add);
        return found;
    }

    /**
     * C leaves no reserve: what fits the lane's own log goes first, then all the rest at once.
     *
     * @param fits objects of less than 38 words of bitmaps, or chunks of their own
     */
    @ParameterizedTest(name = "{0} bytes")
    @CsvSource({"48,1920", "1000,240", "262128,37"})
    void whatCFilledToTheLastByteIsFreedInTwoTransactions(int size, int fits) {
        NativeJudge.create(file, MEBIBYTES);
        int filled = fillInC(size);
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            List<Ref> all = objects(pool);
            assertThat(all).hasSize(filled);
            assertThatThrownBy(() -> pool.transaction(tx -> all.forEach(tx::free)))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("the pool has no room")
                    .hasMessageContaining("free objects in transactions that each fit the log");
            assertThat(objects(pool)).as("nothing of it happened").hasSize(filled);

            List<Ref> first = all.subList(0, fits);
            pool.transaction(tx -> first.forEach(tx::free));
            List<Ref> rest = objects(pool);
            pool.transaction(tx -> rest.forEach(tx::free));
            assertThat(objects(pool)).isEmpty();
        }
        NativeJudge.assertConsistent(file);
        assertThat(fillInC(size)).isEqualTo(filled);
    }

    /** The log in the reserve is an extension like every other: C rolls it back, or goes on. */
    @Test
    void cTakesOverInTheMiddleOfTheTransactionAndAfterIt() throws Exception {
        Path copy = directory.resolve("copy.pool");
        int size = 262_128;
        int filled;
        PoolOptions pages = // with a disk journal C takes over nothing
                PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
        try (ObjectPool pool =
                ObjectPool.at(file).layout("").size(MEBIBYTES << 20).options(pages).create()) {
            filled = fill(pool, size);
            List<Ref> all = objects(pool);
            pool.transaction(
                    tx -> {
                        all.forEach(tx::free);
                        Files.copy(file, copy);
                    });
        }
        assertThat(NativeJudge.list(copy).objects()).hasSize(filled);
        NativeJudge.assertConsistent(copy);
        assertThat(NativeJudge.list(file).objects()).isEmpty();
        NativeJudge.assertConsistent(file);
        try (ObjectPool pool = ObjectPool.open(copy, "")) {
            List<Ref> all = objects(pool);
            pool.transaction(tx -> all.forEach(tx::free));
        }
        assertThat(NativeJudge.list(copy).objects()).isEmpty();
        assertThat(fillInC(size)).as("C uses what is kept here").isGreaterThan(filled);
    }

    private static int fill(ObjectPool pool, long size) {
        int count = 0;
        try {
            while (true) {
                Ref unused = pool.compute(tx -> tx.allocate(size, 1));
                count++;
            }
        } catch (FarheapException full) {
            assertThat(full).hasMessageContaining("kept for the logs");
        }
        return count;
    }
}
