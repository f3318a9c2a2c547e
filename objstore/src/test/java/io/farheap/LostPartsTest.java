package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is created over what is left of a pool, and what brings the rest back is said. */
class LostPartsTest {
    private static final List<String> PARTS = List.of("p0", "p1", "r0");

    @TempDir private Path dir;
    private Path set;

    /** Replica 0: p0 and p1; replica 1: r0. */
    @BeforeEach
    void createPool() throws IOException {
        set = dir.resolve("l.set");
        Files.writeString(
                set, "PMEMPOOLSET\n8M %1$s/p0\n8M %1$s/p1\nREPLICA\n16M %1$s/r0\n".formatted(dir));
        try (ObjectPool pool = ObjectPool.openOrCreate(set, "l")) {
            pool.setLong(pool.root(64), 0, 42);
        }
    }

    private Map<String, Integer> files() throws IOException {
        Map<String, Integer> files = new TreeMap<>();
        for (String part : PARTS) {
            if (Files.exists(dir.resolve(part))) {
                files.put(part, Arrays.hashCode(Files.readAllBytes(dir.resolve(part))));
            }
        }
        return files;
    }

    private String refusal(Category category, ThrowingCallable call) throws IOException {
        Map<String, Integer> before = files();
        FarheapException e = catchThrowableOfType(FarheapException.class, call);
        assertThat(e).as("a refusal").isNotNull();
        assertThat(e.category()).isEqualTo(category);
        assertThat(e.getMessage()).doesNotContain("remove");
        assertThat(files()).isEqualTo(before);
        return e.getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"p0", "p1", "r0", "p0 p1", "p0 r0", "p1 r0"})
    void whatIsLeftStaysAndTheOtherCopyIsNamed(String lost) throws IOException {
        List<String> gone = Arrays.asList(lost.split(" "));
        List<String> left = new ArrayList<>(PARTS);
        left.removeAll(gone);
        for (String part : gone) {
            Files.delete(dir.resolve(part));
        }
        String restored =
                lost.equals("r0")
                        ? "replica 0 (" + dir.resolve("p0") + ", number 2)"
                        : "replica 1 (" + dir.resolve("r0") + ", number 2)";
        String next =
                lost.contains("r0") && lost.contains("p")
                        ? "no other copy is whole: mount"
                        : "farheap sync " + set + " restores what is missing from " + restored;

        assertThat(refusal(Category.ENVIRONMENT, () -> ObjectPool.openOrCreate(set, "l").close()))
                .contains(next)
                .contains(gone.stream().map(part -> dir.resolve(part).toString()).toList());
        assertThat(refusal(Category.ENVIRONMENT, () -> ObjectPool.open(set, "l").close()))
                .contains(next);
        assertThat(refusal(Category.WRONG_USE, () -> ObjectPool.create(set, "l").close()))
                .contains(next)
                .contains(left.stream().map(part -> dir.resolve(part).toString()).toList());
    }

    @Test
    void aWholePoolIsNotCreatedAgain() throws IOException {
        assertThat(refusal(Category.WRONG_USE, () -> ObjectPool.create(set, "l").close()))
                .contains("open the pool that is there");
    }

    @Test
    void aCreationThatWasCutIsKnownForWhatItIs() throws IOException {
        for (String part : PARTS) {
            Files.delete(dir.resolve(part));
        }
        PoolFiles.create(PoolSource.of(set), CreateOptions.withLayout("l"), memory -> {}).close();
        Files.delete(dir.resolve("r0"));
        Files.delete(dir.resolve("p1"));

        assertThat(refusal(Category.ENVIRONMENT, () -> ObjectPool.openOrCreate(set, "l").close()))
                .contains("left of a creation that was cut", "farheap create -f " + set);
    }

    @Test
    void aPlainFileWhoseHeaderWasWipedIsNotCreatedOver() throws IOException {
        Path file = dir.resolve("plain");
        try (ObjectPool pool = ObjectPool.at(file).layout("l").size(16 << 20).create()) {
            pool.setLong(pool.root(64), 0, 42);
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.write(new byte[8192]);
        }
        byte[] before = Files.readAllBytes(file);

        FarheapException e =
                catchThrowableOfType(
                        FarheapException.class,
                        () ->
                                PoolFiles.create(
                                                PoolSource.of(file),
                                                CreateOptions.withLayout("l"),
                                                m -> {})
                                        .close());

        assertThat(e).hasMessageContaining("no pool is created over " + file);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }
}
