package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap rm} with two targets, one of which does not show its replica. */
@Timeout(200)
class RemovalTest {
    private static final int REPLICA = 4;

    private Machines machines;
    private Path set;

    @BeforeEach
    void pool() throws Exception {
        machines = Machines.with("one", "two");
        machines.poolSet("one", "copy.set", "8M");
        machines.poolSet("two", "copy.set", "8M");
        set = machines.poolSet("here", "pool.set", "8M", "one copy.set", "two copy.set");
        farheap("create", "-l", "bank", set.toString()).succeeded();
    }

    @AfterEach
    void none() {
        machines.close();
    }

    private SyncSite.Run farheap(String... words) throws Exception {
        return SyncSite.run(machines.farheap(words));
    }

    private SyncSite.Run agreeing(String... words) throws Exception {
        return SyncSite.agreeing(this::farheap, words);
    }

    private List<String> filesOf(String machine) throws IOException {
        try (Stream<Path> files = Files.list(machines.machine(machine))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("agent.") && !name.equals("down"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aReplicaThatIsNotReachedIsNamedAndGoesByTheCommandThatIsSaid() throws Exception {
        List<String> before = filesOf("two");
        machines.takeDown("two");
        farheap("rm", "-y", set.toString()).failedWith(REPLICA, "two copy.set");
        assertThat(filesOf("here")).contains("pool.part0");

        agreeing("rm", "-f", "-a", set.toString())
                .failedWith(
                        REPLICA,
                        "replica 2 (two copy.set) is left, nothing of it was removed: ",
                        "; once its target shows it: farheap rm -f -r " + set,
                        "the poolset file stays");

        assertThat(filesOf("here")).containsExactly("pool.set");
        assertThat(filesOf("one")).isEmpty();
        assertThat(filesOf("two")).isEqualTo(before);
        machines.bringUp("two");
        agreeing("rm", "-f", "-r", set.toString()).succeeded();
        assertThat(filesOf("two")).isEmpty();
    }

    @Test
    void programsAreToldOfIt() throws Exception {
        machines.takeDown("two");

        SyncSite.Run run = agreeing("rm", "-f", "--json", set.toString());

        run.failedWith(REPLICA, "replica 2 (two copy.set) is left");
        assertThat(String.join("", run.out()).replaceAll("\\s+", " "))
                .contains("\"replicasLeft\" : [ \"replica 2 (two copy.set) is left, ");
        assertThat(filesOf("here")).containsExactly("pool.set");
    }

    @Test
    void whatIsGoneAlreadyIsNoError() throws Exception {
        agreeing("rm", "-f", "-r", set.toString()).succeeded();

        farheap("rm", "-f", "-r", set.toString()).succeeded();

        assertThat(filesOf("one")).isEmpty();
        assertThat(filesOf("two")).isEmpty();
    }

    @Test
    void aSetOfDirectoriesWithoutPartsStaysWhereItNamesReplicas() throws Exception {
        Path directory = Files.createDirectory(machines.machine("here").resolve("parts"));
        Path grows =
                Files.writeString(
                        machines.machine("here").resolve("grows.set"),
                        "PMEMPOOLSET\nOPTION SINGLEHDR\n16M "
                                + directory
                                + "\nREPLICA one copy.set\n");
        List<String> before = filesOf("one");

        agreeing("rm", "-f", "-a", grows.toString())
                .failedWith(REPLICA, "has no part left here", "one copy.set", "the file stays");

        assertThat(grows).exists();
        assertThat(filesOf("one")).isEqualTo(before);
    }

    /** The new pool can't be made there. */
    @Test
    void aPoolIsNotReplacedWhereATargetIsNotReached() throws Exception {
        List<String> one = filesOf("one");
        machines.takeDown("two");

        agreeing("create", "-f", set.toString())
                .failedWith(REPLICA, "replica 2 (two copy.set): ", "; nothing was changed");

        assertThat(filesOf("here")).contains("pool.part0");
        assertThat(filesOf("one")).isEqualTo(one);
        machines.bringUp("two");
        farheap("status", set.toString()).succeeded();
    }
}
