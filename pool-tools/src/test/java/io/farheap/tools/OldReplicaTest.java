package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.ObjectPool;
import io.farheap.PoolBuilder;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An old copy of one local replica is put back beside the newer other one. */
class OldReplicaTest {
    private static final long RUN_ID = 6152;
    private static final int HEAP = (int) Descriptor.DEFAULT_HEAP_OFFSET;
    private static final int SIZE = 8 << 20;

    /** In a chunk that nothing was ever allocated of. */
    private static final long FREE_MEMORY = 7 << 20;

    /** What is stored is in the files at once, wherever they lie: no disk journal. */
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

    @TempDir Path dir;
    private Path set;

    /** Value 1 in run 2; value 2, after 50 allocations, in run 4. */
    @BeforeEach
    void twoRuns() throws IOException {
        set = dir.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/m\nREPLICA\n8M %1$s/r\n".formatted(dir));
        try (ObjectPool pool = builder().create()) {
            pool.setLong(pool.root(64), 0, 1);
        }
        keep("old");
        try (ObjectPool pool = builder().open()) {
            for (int i = 0; i < 50; i++) {
                pool.transaction(
                        tx -> {
                            Ref object = tx.allocateZeroed(100, 1);
                            tx.setLong(object, 0, 7);
                        });
            }
            pool.setLong(pool.root(), 0, 2);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"m, 2, 4", "r, 4, 2"})
    void nobodyMixesTheTwo(String part, long master, long replica) throws IOException {
        restore(part, "old");
        byte[][] before = parts();
        String[] numbers = {
            "replica 0 (" + dir.resolve("m") + ") has number " + master,
            "replica 1 (" + dir.resolve("r") + ") has number " + replica
        };

        FarheapException refused =
                catchThrowableOfType(FarheapException.class, () -> builder().open());
        assertThat(refused).as("opening is refused").isNotNull();
        assertThat(refused.category()).isEqualTo(Category.BAD_DATA);
        assertThat(refused).hasMessageContainingAll(numbers);
        Run.farheap("sync", "-v", set).failedWith(ExitCode.BAD_DATA, numbers);
        Run.farheap("sync", "-d", set).failedWith(ExitCode.BAD_DATA, numbers);
        Run check = Run.farheap("check", set);
        assertThat(check.exitCode()).isNotZero();
        assertThat(check.out() + check.err()).contains(numbers);

        assertThat(Arrays.deepEquals(parts(), before)).as("nothing was changed").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"m", "r"})
    void movingTheOldOneAwayAndSyncBringsTheNewValue(String part) throws IOException {
        restore(part, "old");
        Files.delete(dir.resolve(part));
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"m, r", "r, m"})
    void movingTheNewOneAwayAndSyncGoesBack(String old, String newer) throws IOException {
        restore(old, "old");
        Files.delete(dir.resolve(newer));
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"m", "r"})
    void aSwitchOfTheNumberThatACrashCutInTwoIsFinished(String switched) throws IOException {
        set(switched, RUN_ID, 6);
        Run.farheap("check", set).succeeded();
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(2);
        byte[][] parts = parts();
        assertThat(parts[0][(int) RUN_ID]).as("after 6").isEqualTo((byte) 8);
        assertThat(parts[1][(int) RUN_ID]).isEqualTo((byte) 8);
    }

    /** What an earlier crash left in free memory of one copy means nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"m", "r"})
    void aSwitchThatWasCutAfterAnotherCrashIsFinished(String switched) throws IOException {
        set(switched, RUN_ID, 6);
        set("r", FREE_MEMORY, 0x55);
        isOpenedWithValueTwo();
    }

    /** libpmemobj gives the pool its number before it recovers what a crash left. */
    @ParameterizedTest
    @ValueSource(strings = {"m", "r"})
    void aSwitchThatWasCutBeforeARecoveryIsFinished(String switched) throws IOException {
        cutInATransaction(false);
        assertThat(Arrays.mismatch(parts()[0], HEAP, SIZE, parts()[1], HEAP, SIZE))
                .as("the first byte of the heap that only one copy has")
                .isPositive();
        set(switched, RUN_ID, 8);
        isOpenedWithValueTwo();
    }

    /** Its log is not in the other one, whose lanes it would get: what it stored would stay. */
    @Test
    void aReplicaThatHasWorkForARecoveryBesideOneThatHasNoneIsRefused() throws IOException {
        keep("clean");
        cutInATransaction(true);
        restore("m", "clean");
        isRefused("number 4", "number 6");
    }

    /** The log of the one that was cut would take back what the other one committed. */
    @Test
    void aReplicaThatWentOnAloneBesideOneThatWasCutIsRefused() throws IOException {
        cutInATransaction(false);
        keep("cut");
        try (ObjectPool pool = builder().open()) {
            pool.setLong(pool.root(), 0, 7);
        }
        restore("m", "cut");
        isRefused("number 6", "number 8");
    }

    private void isOpenedWithValueTwo() throws IOException {
        Run.farheap("check", set).succeeded();
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(2);
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/r\nREPLICA\n8M %1$s/m\n".formatted(dir));
        assertThat(value()).as("in the other copy").isEqualTo(2);
    }

    private void isRefused(String... numbers) throws IOException {
        byte[][] before = parts();
        FarheapException refused =
                catchThrowableOfType(FarheapException.class, () -> builder().open());
        assertThat(refused).hasMessageContainingAll(numbers);
        Run.farheap("sync", set).failedWith(ExitCode.BAD_DATA, numbers);
        Run check = Run.farheap("check", set);
        assertThat(check.exitCode()).isNotZero();
        assertThat(check.out() + check.err()).contains(numbers);
        assertThat(Arrays.deepEquals(parts(), before)).as("nothing was changed").isTrue();
    }

    /**
     * The files as a program of run 6 leaves them that dies in a transaction, the value 3 in place.
     *
     * @param flushed whether that reached the replica, too
     */
    private void cutInATransaction(boolean flushed) throws IOException {
        try (ObjectPool pool = builder().open()) {
            Ref root = pool.root();
            pool.transaction(
                    tx -> {
                        MemorySegment saved = tx.snapshot(root, 0, Long.BYTES);
                        saved.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 3);
                        if (flushed) {
                            pool.memory().persist(root, 0, Long.BYTES);
                        }
                        keep("cut");
                    });
        }
        restore("m", "cut");
        restore("r", "cut");
    }

    private PoolBuilder builder() {
        return ObjectPool.at(set).layout("x").options(PAGES);
    }

    private void keep(String name) {
        try {
            for (String part : new String[] {"m", "r"}) {
                Files.copy(dir.resolve(part), dir.resolve(part + "." + name));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void restore(String part, String name) throws IOException {
        Files.move(
                dir.resolve(part + "." + name),
                dir.resolve(part),
                StandardCopyOption.REPLACE_EXISTING);
    }

    private void set(String part, long at, int value) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(part).toFile(), "rw")) {
            file.seek(at);
            assertThat(file.read()).isNotEqualTo(value);
            file.seek(at);
            file.write(value);
        }
    }

    private byte[][] parts() throws IOException {
        return new byte[][] {
            Files.readAllBytes(dir.resolve("m")), Files.readAllBytes(dir.resolve("r"))
        };
    }

    private long value() {
        try (ObjectPool pool = builder().open()) {
            return pool.getLong(pool.root(), 0);
        }
    }
}
