package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code farheap transform} beside {@code pmempool transform} on copies of the same pool: what that
 * one does is done here with the same verdict, the same files and the same objects in them; what it
 * refuses and this one does, the C library opens.
 */
class TransformNativeTest {
    /** From, to, and whether the native program does it. */
    private record Change(String from, String to, boolean natively) {}

    private static final List<Change> CHANGES =
            List.of(
                    new Change("8M @/a", "8M @/a\nREPLICA\n8M @/b\n8M @/c", true),
                    new Change("8M @/a\nREPLICA\n8M @/b", "8M @/a", true),
                    new Change("8M @/a\nREPLICA\n8M @/b", "8M @/b", true),
                    new Change(
                            "8M @/a\nREPLICA\n8M @/b",
                            "8M @/b\nREPLICA\n8M @/a\nREPLICA\n8M @/c",
                            true),
                    new Change("8M @/a\n8M @/b", "OPTION SINGLEHDR\n8M @/a\n8M @/b", true),
                    new Change("8M @/a", "8M @/a", false),
                    new Change("16M @/a", "16M @/a\nREPLICA\n8M @/b", false),
                    new Change("8M @/a\nREPLICA\n8M @/b", "8M @/a\nREPLICA\n8M @/c", false),
                    new Change("8M @/a", "8M @/a\n8M @/b", false),
                    new Change("8M @/a", "8M @/a\nREPLICA\n4M @/b\n5M @/c", false),
                    new Change("8M @/a\n8M @/b", "8M @/b\n8M @/a", false));

    @TempDir private Path directory;

    @BeforeEach
    void aJudge() {
        NativeJudge.require();
    }

    private PoolDirectory pool(int number, Change change) throws IOException {
        PoolDirectory pool =
                PoolDirectory.forSet(directory.resolve("ours" + number), change.from());
        ObjectPool.create(pool.pool(), "").close();
        NativeJudge.work(pool.pool(), number, 60);
        return pool;
    }

    private static NativeJudge.Answer transform(boolean natively, PoolDirectory pool, Change change)
            throws IOException {
        Path target = target(pool);
        Files.writeString(
                target,
                "PMEMPOOLSET\n" + change.to().replace("@", pool.directory().toString()) + "\n");
        return natively
                ? NativeTools.pmempool("transform", pool.pool().toString(), target.toString())
                : NativeTools.farheap(
                        "transform", "--yes", pool.pool().toString(), target.toString());
    }

    private static Path target(PoolDirectory pool) {
        return pool.directory().resolve("to.set");
    }

    private static List<String> names(PoolDirectory pool) throws IOException {
        try (Stream<Path> files = Files.list(pool.directory())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".disk-journal")) // on an ordinary disk
                    .sorted()
                    .toList();
        }
    }

    @Test
    void verdictsFilesAndObjectsAreTheSameOrMoreIsDone() throws IOException {
        List<String> better = new ArrayList<>();
        for (int i = 0; i < CHANGES.size(); i++) {
            Change change = CHANGES.get(i);
            PoolDirectory ours = pool(i, change);
            PoolDirectory theirs = ours.copyTo(directory.resolve("theirs" + i));
            Listing objects = NativeJudge.list(theirs.copyTo(directory.resolve("seen" + i)).pool());

            NativeJudge.Answer natives = transform(true, theirs, change);
            NativeJudge.Answer done = transform(false, ours, change);

            assertThat(natives.exitCode() == 0)
                    .as("pmempool on %s: %s", change, natives)
                    .isEqualTo(change.natively());
            if (natives.exitCode() == 0) {
                assertThat(done.exitCode()).as("%s: %s", change, done).isZero();
                assertThat(names(ours)).as(change.toString()).isEqualTo(names(theirs));
            }
            if (done.exitCode() == 0) {
                NativeJudge.assertConsistent(target(ours));
                assertThat(NativeJudge.list(target(ours))).as(change.toString()).isEqualTo(objects);
                NativeJudge.work(target(ours), i, 60);
                NativeJudge.assertConsistent(target(ours));
                if (natives.exitCode() != 0) {
                    better.add(change.to());
                }
            } else {
                assertThat(names(ours)).as("%s: %s", change, done).contains("pool.set", "to.set");
                assertThat(NativeJudge.list(ours.pool())).isEqualTo(objects);
            }
        }
        assertThat(better).as("refused there and done here").hasSize(4);
    }
}
