package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.ObjectPool;
import io.farheap.Ref;
import java.io.IOException;
import java.io.RandomAccessFile;
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

    @TempDir Path dir;
    private Path set;

    /** Value 1 in run 2; value 2, after 50 allocations, in run 4. */
    @BeforeEach
    void twoRuns() throws IOException {
        set = dir.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/m\nREPLICA\n8M %1$s/r\n".formatted(dir));
        try (ObjectPool pool = ObjectPool.create(set, "x")) {
            pool.setLong(pool.root(64), 0, 1);
        }
        for (String part : new String[] {"m", "r"}) {
            Files.copy(dir.resolve(part), dir.resolve(part + ".old"));
        }
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
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
        putBack(part);
        byte[][] before = parts();
        String[] numbers = {
            "replica 0 (" + dir.resolve("m") + ") has number " + master,
            "replica 1 (" + dir.resolve("r") + ") has number " + replica
        };

        FarheapException refused =
                catchThrowableOfType(FarheapException.class, () -> ObjectPool.open(set, "x"));
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
        putBack(part);
        Files.delete(dir.resolve(part));
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"m, r", "r, m"})
    void movingTheNewOneAwayAndSyncGoesBack(String old, String newer) throws IOException {
        putBack(old);
        Files.delete(dir.resolve(newer));
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"m", "r"})
    void aSwitchOfTheNumberThatACrashCutInTwoIsFinished(String switched) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve(switched).toFile(), "rw")) {
            file.seek(RUN_ID);
            assertThat(file.read()).isEqualTo(4);
            file.seek(RUN_ID);
            file.write(6);
        }
        Run.farheap("check", set).succeeded();
        Run.farheap("sync", set).succeeded();
        assertThat(value()).isEqualTo(2);
        byte[][] parts = parts();
        assertThat(parts[0][(int) RUN_ID]).as("after 6").isEqualTo((byte) 8);
        assertThat(parts[1][(int) RUN_ID]).isEqualTo((byte) 8);
    }

    @Test
    void aReplicaThatOnlyLacksTheLastLogIsRefusedToo() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("m").toFile(), "rw")) {
            file.seek(RUN_ID);
            file.write(6);
            file.seek(8192 + 100); // lane 0
            int before = file.read();
            file.seek(8192 + 100);
            file.write(before ^ 1);
        }
        FarheapException refused =
                catchThrowableOfType(FarheapException.class, () -> ObjectPool.open(set, "x"));
        assertThat(refused).hasMessageContainingAll("number 6", "number 4");
    }

    private void putBack(String part) throws IOException {
        Files.move(
                dir.resolve(part + ".old"), dir.resolve(part), StandardCopyOption.REPLACE_EXISTING);
    }

    private byte[][] parts() throws IOException {
        return new byte[][] {
            Files.readAllBytes(dir.resolve("m")), Files.readAllBytes(dir.resolve("r"))
        };
    }

    private long value() {
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            return pool.getLong(pool.root(), 0);
        }
    }
}
