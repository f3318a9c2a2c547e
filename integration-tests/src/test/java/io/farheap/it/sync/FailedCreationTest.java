package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap create} with two targets, one of which can't have its replica. */
@Tag("deep")
@Timeout(200)
class FailedCreationTest {
    private static final int WRONG_USE = 2;
    private static final int REPLICA = 4;

    private Machines machines;
    private Path set;

    @BeforeEach
    void two() {
        machines = Machines.with("one", "two");
        machines.poolSet("one", "copy.set", "8M");
        machines.poolSet("two", "copy.set", "8M");
        set = machines.poolSet("here", "pool.set", "8M", "one copy.set", "two copy.set");
    }

    @AfterEach
    void none() {
        machines.close();
    }

    private SyncSite.Run farheap(Object... words) throws Exception {
        List<String> all = Stream.of(words).map(Object::toString).toList();
        return SyncSite.run(machines.farheap(all.toArray(String[]::new)));
    }

    private List<String> filesOf(String machine) throws IOException {
        try (Stream<Path> files = Files.list(machines.machine(machine))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("agent."))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void whatItMadeOnTheOtherTargetIsRemoved() throws Exception {
        machines.poolSet("two", "copy.set", "4M");

        farheap("create", "-l", "bank", set)
                .failedWith(REPLICA, "two copy.set", "two/copy.set:2:1: ");

        assertThat(filesOf("one")).containsExactly("copy.set");
        assertThat(filesOf("two")).containsExactly("copy.set");
        assertThat(filesOf("here")).containsExactly("pool.set");
        machines.poolSet("two", "copy.set", "8M");
        farheap("create", "-l", "bank", set).succeeded();
        farheap("status", set).succeeded();
    }

    @Test
    void aPartThatWasThereEmptyIsEmptyAgain() throws Exception {
        String agent = machines.settings().agentCommand(0);
        // The first agent looks, and the second is to make the replica.
        machines.set(
                "RPMEM_CMD",
                "case $PWD in */two) if [ -e looked ]; then echo gone >&2; exit 255; fi;"
                        + " : >looked;; esac; "
                        + agent);
        Path part = machines.here().resolve("pool.part0");
        Files.write(part, new byte[8 << 20]);

        farheap("create", "-l", "bank", set).failedWith(REPLICA, "two copy.set", "gone");

        assertThat(filesOf("here")).containsExactly("pool.part0", "pool.set");
        assertThat(Files.readAllBytes(part)).startsWith(new byte[4096]);
        machines.set("RPMEM_CMD", agent);
        farheap("create", "-l", "bank", set).succeeded();
        farheap("status", set).succeeded();
    }

    @Test
    void theModeThatIsGivenIsThatOfAllParts() throws Exception {
        farheap("create", "-l", "bank", "-m", "640", set).succeeded();
        for (Path part :
                List.of(
                        machines.here().resolve("pool.part0"),
                        machines.machine("one").resolve("copy.part0"),
                        machines.machine("two").resolve("copy.part0"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(part)))
                    .as("%s", part)
                    .isEqualTo("rw-r-----");
        }
    }

    @Test
    void aReplicaOfAnotherPoolStays() throws Exception {
        Path other = machines.poolSet("here", "other.set", "8M", "two copy.set");
        farheap("create", "-l", "bank", other).succeeded();
        byte[] before = Files.readAllBytes(machines.machine("two").resolve("copy.part0"));
        Files.delete(machines.here().resolve("other.part0"));

        farheap("create", "-l", "bank", set)
                .failedWith(WRONG_USE, "two copy.set", "the target holds a copy");

        assertThat(filesOf("one")).containsExactly("copy.set");
        assertThat(Files.readAllBytes(machines.machine("two").resolve("copy.part0")))
                .isEqualTo(before);

        farheap("rm", set).failedWith(3, "pool.part0");
        SyncSite.agreeing(this::farheap, "rm", "-f", set.toString()).succeeded();
        farheap("create", "-l", "bank", set).succeeded();
        farheap("status", set).succeeded();
    }

    @Test
    void whatCanNotBeRemovedIsNamedAndGoesByTheCommandThatIsSaid() throws Exception {
        Path there = machines.machine("one");
        String agent = machines.settings().agentCommand(0).replaceFirst("^exec ", "");
        // The first agent of each looks, the second makes the replica, the third is not reached.
        machines.set(
                "RPMEM_CMD",
                "if [ -e down ]; then echo gone >&2; exit 255;"
                        + " fi; if [ -e looked ]; then : >down; fi; : >looked; exec "
                        + agent);
        Path second = machines.machine("two");
        Files.writeString(second.resolve("looked"), "");

        farheap("create", "-l", "bank", set)
                .failedWith(
                        REPLICA,
                        "two copy.set",
                        "what was made of the replica one copy.set before, if anything, is left",
                        "farheap status " + set + " says what it holds");
        assertThat(there.resolve("copy.part0")).exists();

        machines.set("RPMEM_CMD", "exec " + agent);
        // A target with such a file is not reached.
        for (Path machine : List.of(there, second)) {
            Files.delete(machine.resolve("looked"));
            Files.delete(machine.resolve("down"));
        }
        SyncSite.agreeing(this::farheap, "rm", "-f", set.toString()).succeeded();
        assertThat(filesOf("one")).containsExactly("copy.set");
        farheap("create", "-l", "bank", set).succeeded();
        farheap("status", set).succeeded();
    }
}
