package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A poolset file that was edited by hand is told from parts that are damaged, by every command in
 * the same words, and no part is touched, nor is anybody told to remove one.
 */
class EditedPoolSetTest {
    @TempDir Path dir;
    private Path set;

    /** Replica 0: a and b, of one size; replica 1: c. */
    @BeforeEach
    void createPool() throws IOException {
        set = dir.resolve("pool.set");
        write("8M a", "8M b", "REPLICA", "16M c");
        try (ObjectPool pool = ObjectPool.create(set, "x")) {
            pool.setLong(pool.root(64), 0, 42);
        }
    }

    private void write(String... lines) throws IOException {
        StringBuilder text = new StringBuilder("PMEMPOOLSET\n");
        for (String line : lines) {
            text.append(line.replaceFirst("([0-9]+M) ", "$1 " + dir + "/")).append('\n');
        }
        Files.writeString(set, text);
    }

    private Map<String, Integer> parts() throws IOException {
        Map<String, Integer> parts = new TreeMap<>();
        for (String part : List.of("a", "b", "c", "d")) {
            Path path = dir.resolve(part);
            if (Files.exists(path)) {
                parts.put(part, Arrays.hashCode(Files.readAllBytes(path)));
            }
        }
        return parts;
    }

    private void assertNamed(String finding, String nextStep) throws IOException {
        Map<String, Integer> before = parts();
        Run status = Run.farheap("status", set);
        assertThat(status.out()).contains(finding, "next step   : " + nextStep);
        assertThat(status.out()).doesNotContain("farheap sync", "remove");
        for (String command : List.of("sync", "check", "check -r -y")) {
            Object[] words = (command + " " + set).split(" ");
            Run run = Run.farheap(words);
            assertThat(run.exitCode()).as(command).isNotZero();
            assertThat(run.out() + run.err())
                    .as(command)
                    .contains(nextStep)
                    .doesNotContain("remove");
        }
        Run plan = Run.farheap("sync", "-d", set);
        assertThat(plan.exitCode()).as("what sync refuses it does not plan").isNotZero();
        assertThat(plan.err()).contains(finding, nextStep);
        assertThat(catchThrowable(() -> ObjectPool.open(set, "x").close()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(nextStep)
                .hasMessageNotContaining("remove");
        assertThat(parts()).isEqualTo(before);
    }

    private void assertOpensAsItWas() throws IOException {
        write("8M a", "8M b", "REPLICA", "16M c");
        try (ObjectPool pool = ObjectPool.open(set, "x")) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
        Run.farheap("status", set).succeeded();
    }

    @Test
    void partsInAnotherOrder() throws IOException {
        write("8M b", "8M a", "REPLICA", "16M c");
        assertNamed(
                dir.resolve("b") + " was made as part 1, and is named as part 0",
                "write the lines of the poolset file " + set + " in that order again");
        assertOpensAsItWas();
    }

    @Test
    void partsOfOtherSizesInAnotherOrder() throws IOException {
        write("8M a", "9M d");
        Files.delete(dir.resolve("a"));
        ObjectPool.create(set, "x").close();
        write("9M d", "8M a");
        assertNamed(
                dir.resolve("d") + " was made as part 1, and is named as part 0",
                "write the lines of the poolset file " + set + " in that order again");
    }

    @Test
    void aReplicaLineLess() throws IOException {
        write("8M a", "8M b");
        assertNamed(
                "the pool was made with one more replica, which the poolset file " + set + " lacks",
                "put the REPLICA line and its parts back into it; to have the pool without that"
                        + " replica: farheap transform");
        assertOpensAsItWas();
    }

    @Test
    void aReplicaLineMore() throws IOException {
        write("8M a", "8M b", "REPLICA", "16M c", "REPLICA", "16M d");
        assertNamed(
                "the REPLICA line of " + dir.resolve("d") + " is new",
                "take it out of " + set + " again; to add it: farheap transform " + set);
        assertOpensAsItWas();
    }

    /** Nothing tells which of the two lines it is. */
    @ParameterizedTest
    @ValueSource(strings = {"c", "a c", "b c"})
    void aReplicaLineMoreBesideOneThatIsLost(String lost) throws IOException {
        for (String part : lost.split(" ")) {
            Files.delete(dir.resolve(part));
        }
        write("8M a", "8M b", "REPLICA", "16M c", "REPLICA", "16M d");
        Map<String, Integer> before = parts();
        String finding =
                "of the replicas of " + dir.resolve("c") + " and " + dir.resolve("d") + " the pool";
        String nextStep = "take it out of " + set + " again";
        assertThat(Run.farheap("status", set).out())
                .contains(finding, "next step   : " + nextStep)
                .doesNotContain("farheap sync");
        for (String option : List.of("-d", "-v")) {
            Run.farheap("sync", option, set).failedWith(ExitCode.BAD_DATA, finding, nextStep);
        }
        assertThat(parts()).isEqualTo(before);
    }

    @Test
    void aPartOfAnotherPool() throws IOException {
        Path other = dir.resolve("other.set");
        Files.writeString(other, "PMEMPOOLSET\n8M %1$s/d\n8M %1$s/e\n".formatted(dir));
        ObjectPool.create(other, "x").close();
        write("8M a", "8M d", "REPLICA", "16M c");
        assertNamed(
                dir.resolve("d") + " belongs to another pool",
                "name the file that belongs there in the poolset file");
        assertOpensAsItWas();
    }

    @Test
    void aReplicaThatIsLostIsNoEdit() throws IOException {
        Files.delete(dir.resolve("c"));
        assertThat(Run.farheap("status", set).out()).contains("next step   : farheap sync " + set);
        Run.farheap("sync", set).succeeded();
        assertOpensAsItWas();
    }
}
