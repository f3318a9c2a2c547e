package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One local replica has its first part of an old run and its second of a newer one: each chunk is
 * in order by itself, so nothing tells it from the sound one, which must not be blamed for it.
 */
class MixedReplicaTest {
    private static final List<String> PARTS = List.of("a", "b", "c", "d");
    private static final int FIRST_MIB = 4;

    @TempDir Path dir;
    private final Map<String, byte[]> old = new TreeMap<>();
    private final Map<String, byte[]> newer = new TreeMap<>();
    private Path set;

    /** The second run only allocates in the second part, and changes what the root says. */
    @BeforeEach
    void twoRuns() throws IOException {
        set = dir.resolve("r.set");
        String lines = "PMEMPOOLSET\n5M @a\n5M @b\nREPLICA\n5M @c\n5M @d\n";
        Files.writeString(set, lines.replace("@", dir + "/"));
        try (ObjectPool pool = ObjectPool.create(set, "x")) {
            for (int i = 0; i < FIRST_MIB; i++) {
                pool.transaction(
                        tx -> {
                            tx.allocate(1 << 20, 8);
                        });
            }
            add(pool);
        }
        keep(old);
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            add(pool);
        }
        keep(newer);
    }

    private static void add(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 40; i++) {
                        tx.setRef(pool.root(64), 0, tx.allocate(2000, 7));
                    }
                    tx.setLong(pool.root(64), 32, tx.getLong(pool.root(64), 32) + 40);
                });
    }

    private void keep(Map<String, byte[]> kept) throws IOException {
        for (String part : PARTS) {
            kept.put(part, Files.readAllBytes(dir.resolve(part)));
        }
    }

    private void put(Map<String, byte[]> a, Map<String, byte[]> b, Map<String, byte[]> others)
            throws IOException {
        Files.write(dir.resolve("a"), a.get("a"));
        Files.write(dir.resolve("b"), b.get("b"));
        Files.write(dir.resolve("c"), others.get("c"));
        Files.write(dir.resolve("d"), others.get("d"));
    }

    private String first(String part) {
        return dir.resolve(part).toString();
    }

    @Test
    void theSoundOneIsNotBlamedAndNothingIsCopiedOverIt() throws IOException {
        put(old, newer, old);
        String[] lines = {
            "replica 0 (" + first("a") + "): sound",
            "replica 1 (" + first("c") + "): sound",
            set + ": not consistent",
            "next step: farheap verify " + set
        };
        Run check = Run.farheap("check", set);
        assertThat(check.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(check.err())
                .contains("each by itself is sound: which one is right can't be told here")
                .doesNotContain(" heap: ", first("d"));
        assertThat(check.out()).contains(lines);

        for (String repair : List.of("-ry", "-ray", "-rd")) {
            Run run = Run.farheap("check", repair, set);
            assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
            assertThat(run.out()).contains(set + ": cannot repair; nothing was changed\n");
            assertThat(run.out()).doesNotContain("copy ");
        }
        assertThat(dir.resolve("d")).hasBinaryContent(old.get("d"));

        Run verify = Run.farheap("verify", set);
        assertThat(verify.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(verify.out())
                .contains(
                        "replicas 0, 1 differ, and which is right can't be told",
                        "move the parts of the copy that is not to be kept away, then farheap sync");
    }

    @Test
    void theNextStepWorks() throws IOException {
        put(old, newer, old);
        Files.delete(dir.resolve("a"));
        Files.delete(dir.resolve("b"));
        Run.farheap("sync", set).succeeded();
        Run.farheap("check", set).succeeded();
        Run.farheap("verify", set).succeeded();
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            assertThat(pool.getLong(pool.root(64), 32)).isEqualTo(40);
        }
    }

    @Test
    void ofOneThatIsDamagedByItselfTheOtherOneIsSaidToBeSound() throws IOException {
        put(newer, newer, newer);
        byte[] damaged = newer.get("c").clone();
        int zoneHeader = (int) Descriptor.DEFAULT_HEAP_OFFSET + 1024;
        Arrays.fill(damaged, zoneHeader, zoneHeader + 64, (byte) 7);
        Files.write(dir.resolve("c"), damaged);
        Run check = Run.farheap("check", set);
        assertThat(check.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(check.out())
                .contains(
                        "replica 0 (" + first("a") + "): sound",
                        "replica 1 (" + first("c") + "): not sound",
                        "next step: farheap check -r " + set);
        assertThat(Run.farheap("check", "-ry", set).exitCode()).isZero();
        Run.farheap("verify", set).succeeded();
    }
}
