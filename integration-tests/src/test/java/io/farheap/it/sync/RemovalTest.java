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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap rm} with two targets, one of which does not show its replica. */
@Tag("deep")
@Timeout(200)
class RemovalTest {
    private static final int WRONG_USE = 2;
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
                        "poolset files stay");

        assertThat(filesOf("here")).containsExactly("pool.set");
        assertThat(filesOf("one")).containsExactly("copy.set");
        assertThat(filesOf("two")).isEqualTo(before);
        machines.bringUp("two");
        agreeing("rm", "-f", "-r", set.toString()).succeeded();
        assertThat(filesOf("one")).as("it had no replica any more").containsExactly("copy.set");
        assertThat(filesOf("two")).isEmpty();
    }

    /** Its image says nothing of commits: its journal does. It may be all that is left. */
    @Test
    void aReplicaIsNotRemovedOnItsTargetBeforeItIsNamed() throws Exception {
        String copy = machines.machine("one").resolve("copy.set").toString();
        List<String> before = filesOf("one");
        SyncSite.Run removal = farheap("rm", "-y", copy);
        removal.failedWith(WRONG_USE, "replica 0 (", "(number ", "--discard=");
        assertThat(removal.out()).anyMatch(line -> line.contains("its commits are lost"));
        farheap("create", "-f", "-y", copy).failedWith(WRONG_USE, "--discard=");
        SyncSite.Run creation = farheap("create", copy);
        creation.failedWith(WRONG_USE, "a replica of a pool on another machine", "farheap status");
        assertThat(creation.err()).noneMatch(line -> line.contains("create -f"));
        assertThat(filesOf("one")).isEqualTo(before);
        assertThat(farheap("status", set.toString()).succeeded().out())
                .contains("copies      : 3, 3 without a fault");

        agreeing("rm", copy).succeeded();

        assertThat(filesOf("one")).containsExactly("copy.set");
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
        agreeing("rm", "-f", set.toString()).succeeded();

        farheap("rm", "-f", "-l", set.toString()).succeeded();

        assertThat(filesOf("one")).containsExactly("copy.set");
        assertThat(filesOf("two")).containsExactly("copy.set");
        assertThat(filesOf("here")).isEmpty();
    }

    /** A file system that the target has not mounted looks like that, or as if nothing ever was. */
    @Test
    void aTargetWithoutItsPoolsetDoesNotCountAsOneWithoutAReplica() throws Exception {
        List<String> before = filesOf("two");
        Path away = unmounted();

        agreeing("create", "-f", set.toString())
                .failedWith(REPLICA, "replica 2 (two copy.set): ", "; nothing was changed");
        agreeing("rm", "-f", "-a", set.toString())
                .failedWith(
                        REPLICA,
                        "replica 2 (two copy.set) is left, nothing of it was removed: There is no"
                                + " poolset \"copy.set\" in the target's poolset directory; Mount",
                        "; once its target shows it: farheap rm -f -r " + set,
                        "if its poolset was removed there, look for the replica's part files on"
                                + " the target first: nothing names them any more; the system's"
                                + " rm removes "
                                + set,
                        "poolset files stay");

        assertThat(filesOf("here")).containsExactly("pool.set");
        assertThat(filesOf("one")).containsExactly("copy.set");
        mount(away);
        assertThat(filesOf("two")).isEqualTo(before);
        agreeing("rm", "-f", "-a", set.toString()).succeeded();
        assertThat(filesOf("here")).isEmpty();
        assertThat(filesOf("one")).as("it had no replica any more").containsExactly("copy.set");
        assertThat(filesOf("two")).isEmpty();
    }

    /** Its poolset is elsewhere than its parts. */
    @Test
    void aTargetWithoutTheDirectoryOfThePartsDoesNotCountAsOneWithoutAReplica() throws Exception {
        Path parts = Files.createDirectory(machines.machine("two").resolve("disk"));
        Path poolset =
                machines.write(
                        machines.machine("two").resolve("far.set"),
                        "PMEMPOOLSET\n8M " + parts.resolve("part0") + "\n");
        Path other = machines.poolSet("here", "far.set", "8M", "two " + poolset.getFileName());
        agreeing("rm", "-f", set.toString()).succeeded();
        farheap("create", "-l", "bank", other.toString()).succeeded();
        Path away = Files.move(parts, parts.resolveSibling("disk.away"));

        assertThat(String.join(" ", farheap("status", other.toString()).out()))
                .contains(": refused: ", parts + " is not there");
        agreeing("rm", "-f", "-a", other.toString())
                .failedWith(
                        REPLICA,
                        "replica 1 (two far.set) is left, nothing of it was removed: ",
                        parts + " is not there",
                        "poolset files stay");

        assertThat(other).exists();
        assertThat(poolset).exists();
        Files.move(away, parts);
        agreeing("rm", "-f", "-a", other.toString()).succeeded();
        assertThat(parts).isEmptyDirectory();
        assertThat(other).doesNotExist();
        assertThat(poolset).doesNotExist();
    }

    private Path unmounted() throws IOException {
        Path machine = machines.machine("two");
        Path away = Files.createDirectory(machine.resolveSibling("away"));
        move(machine, away);
        return away;
    }

    private void mount(Path away) throws IOException {
        move(away, machines.machine("two"));
        Files.delete(away);
    }

    private static void move(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                if (!file.getFileName().toString().startsWith("agent.")) {
                    Files.move(file, to.resolve(file.getFileName()));
                }
            }
        }
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
