package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Ran;
import io.farheap.it.support.SmallDisk;
import io.farheap.layout.Descriptor;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code farheap transform} with replicas on other machines, and on disks that are full. */
@Tag("deep")
@Timeout(200)
class TransformTest {
    private static final int NOTES = 30;
    private static final int HEAP_AND_ZONE_HEADER = 1024 + 64;
    private static final int BAD_DATA = 1;
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;

    private Machines machines;

    @BeforeEach
    void two() {
        machines = Machines.with("one", "two");
        machines.poolSet("one", "copy.set", "8M");
        machines.poolSet("two", "copy.set", "8M");
    }

    @AfterEach
    void none() {
        machines.close();
    }

    private Path set(String name, String lines) {
        Path here = machines.here();
        return machines.write(here.resolve(name), "PMEMPOOLSET\n" + lines.replace("@", here + "/"));
    }

    private Path pool(String lines) throws Exception {
        Path set = set("from.set", lines);
        assertThat(machines.java(Notes.class, set.toString(), "" + NOTES).start().waitFor())
                .isZero();
        return set;
    }

    private Ran transform(Object... words) throws Exception {
        Ran refused = run(command(words).command());
        String[] agreement = Agreement.words(refused.err());
        return agreement.length == 0 ? refused : run(machines.farheap(agreement).command());
    }

    private ProcessBuilder command(Object... words) {
        List<String> all = new ArrayList<>(List.of("transform"));
        Stream.of(words).map(Object::toString).forEach(all::add);
        return machines.farheap(all.toArray(String[]::new));
    }

    private Ran run(List<String> words) {
        ProcessBuilder command = machines.farheap();
        command.command(words);
        return Ran.of(command);
    }

    private void assertInStep(Path set) {
        assertThat(
                        Notes.in(
                                        set,
                                        pool ->
                                                RemoteReplication.attach(
                                                        pool,
                                                        AttachOptions.NONE,
                                                        machines.settings()))
                                .reversed())
                .isEqualTo(LongStream.rangeClosed(1, NOTES).boxed().toList());
    }

    private Path copy(String machine) {
        return machines.machine(machine).resolve("copy.part0");
    }

    @Test
    void aLocalPoolGetsAReplicaElsewhereAndLosesItAgain() throws Exception {
        Path alone = pool("8M @a\n");
        Path both = set("to.set", "8M @a\nREPLICA one copy.set\n");

        Ran dryRun = transform("-d", alone, both);
        assertThat(dryRun.exitCode()).isZero();
        assertThat(dryRun.out())
                .isEqualTo(
                        "would open the pool and copy all of it to replica 1 (one copy.set)\n"
                                + alone
                                + ": nothing was changed\n");
        assertThat(copy("one")).doesNotExist();

        Ran run = transform(alone, both);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("replica 1 (one copy.set): attached, in step, number ")
                .endsWith(both + ": the pool is as this file says; use it from now on\n");
        assertInStep(both);

        Ran back = transform(both, alone);
        assertThat(back.err()).isEmpty();
        assertThat(back.out())
                .contains(
                        "will remove the files of replica 1 (one copy.set)",
                        "replica 1 (one copy.set): removed, no file of it is left");
        assertThat(copy("one")).doesNotExist();
        assertThat(machines.machine("one").resolve("copy.set")).exists();
        assertInStep(alone);
    }

    @Test
    void aRemoteReplicaStaysWhileThePoolHereIsDamaged() throws Exception {
        Path both = pool("8M @a\nREPLICA one copy.set\n");
        Path alone = set("to.set", "8M @a\n");
        damageFirstChunk(machines.here().resolve("a"));
        byte[] there = Files.readAllBytes(copy("one"));

        Ran run = transform(both, alone);

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(BAD_DATA);
        assertThat(run.err()).contains("its content is damaged", "farheap check -r", "sync --from");
        assertThat(Files.readAllBytes(copy("one"))).isEqualTo(there);
    }

    private static void damageFirstChunk(Path part) throws IOException {
        long header = Descriptor.DEFAULT_HEAP_OFFSET + HEAP_AND_ZONE_HEADER;
        try (FileChannel file = FileChannel.open(part, StandardOpenOption.WRITE)) {
            assertThat(file.write(ByteBuffer.allocate(8), header)).isEqualTo(8);
        }
    }

    @Test
    void aHostThatIsGoneIsReplacedByAnother() throws Exception {
        Path from = pool("8M @a\nREPLICA one copy.set\n");
        Path to = set("to.set", "8M @a\nREPLICA\n9M @b\nREPLICA two copy.set\n");
        machines.takeDown("one");

        Ran run = transform(from, to);

        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains(
                        "will leave the files of replica 1 (one copy.set): ",
                        "will make replica 1 (" + machines.here().resolve("b") + ")",
                        "replica 1 (one copy.set): left, its files stay at the target: ")
                .contains("replica 2 (two copy.set): attached");
        machines.bringUp("one");
        assertThat(copy("one")).exists();
        assertInStep(to);

        // What came back late is not removed blindly: it may have been promoted meanwhile.
        assertThat(transform(from, to).out()).contains("left");
        assertThat(copy("one")).exists();
    }

    @Test
    void whatWasMadeBeforeTheEndIsNotUndoneWhenItIsRunAgain() throws Exception {
        Path from = pool("8M @a\nREPLICA\n8M @b\nREPLICA\n8M @c\nREPLICA one copy.set\n");
        Path to =
                set(
                        "to.set",
                        "8M @a\nREPLICA one copy.set\nREPLICA\n8M @c\nREPLICA two copy.set\n");
        assertThat(transform(from, to).exitCode()).isZero();
        Path dropped = machines.here().resolve("b");
        assertThat(dropped).doesNotExist();

        Ran again = transform(from, to);

        assertThat(again.err()).isEmpty();
        assertThat(again.exitCode()).isZero();
        assertThat(again.out()).contains("(two copy.set): attached, in step");
        assertThat(dropped).doesNotExist();
        assertThat(copy("one")).exists();
        for (String command : List.of("check", "status", "verify")) {
            assertThat(run(machines.farheap(command, to.toString()).command()).exitCode())
                    .as(command)
                    .isZero();
        }
        assertInStep(to);
    }

    @Test
    void aReplicaWithOtherCommitsStays() throws Exception {
        Path from = pool("8M @a\nREPLICA one copy.set\n");
        Path to = set("to.set", "8M @a\n");
        String copySet = machines.machine("one").resolve("copy.set").toString();
        assertThat(machines.farheap("promote", copySet).start().waitFor()).isZero();

        Ran run = transform(from, to);

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("left", "it may hold commits that the pool here lacks");
        assertThat(copy("one")).exists();
        assertInStep(to);
    }

    @Test
    void aTargetThatCanNotHaveItLeavesThePoolAsItWas() throws Exception {
        Path from = pool("8M @a\nREPLICA one copy.set\n");
        Path to = set("to.set", "8M @a\nREPLICA\n8M @b\nREPLICA two copy.set\n");
        machines.takeDown("two");

        Ran run = transform(from, to);

        assertThat(run.exitCode()).isEqualTo(REPLICA);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).contains("two copy.set");
        assertThat(machines.here().resolve("b")).doesNotExist();
        assertInStep(from);
    }

    @Test
    void aFullDiskHereLeavesThePoolAsItWas() throws Exception {
        SmallDisk.require();
        Path from = pool("8M @a\nREPLICA one copy.set\n");
        Path to = set("to.set", "8M @a\nREPLICA\n8M @small/b\n8M @small/c\nREPLICA one copy.set\n");
        try (SmallDisk disk = SmallDisk.mount(machines.here(), 9)) {
            List<String> words = new ArrayList<>(List.of(disk.entering()));
            words.addAll(command(from, to).command());

            Ran run = run(words);

            assertThat(run.exitCode()).isEqualTo(ENVIRONMENT);
            assertThat(run.err().lines()).hasSize(1);
            assertThat(run.err()).contains("small/c", "No space left on device", "make room");
            assertThat(disk.names()).isEmpty();
        }
        assertInStep(from);
    }

    @Test
    void aFullDiskThereLeavesThePoolAsItWas() throws Exception {
        SmallDisk.require();
        Path from = pool("8M @a\nREPLICA one copy.set\n");
        Path to = set("to.set", "8M @a\nREPLICA two copy.set\n");
        Path there = machines.machine("two");
        try (SmallDisk disk = SmallDisk.mount(there, 8)) {
            machines.write(there.resolve("copy.set"), "PMEMPOOLSET\n8M " + there + "/small/copy\n");
            String agent = machines.settings().agentCommand(0).replaceFirst("^exec ", "");
            // Both agents see the small disk; each begins in its own machine's directory.
            String entering =
                    String.join(" ", disk.entering()).replace("--wd=" + there, "--wd=\"$PWD\"");
            machines.set("RPMEM_CMD", "exec " + entering + " " + agent);

            Ran run = transform(from, to);

            assertThat(run.exitCode()).isEqualTo(REPLICA);
            assertThat(run.err()).contains("No space left on device");
            assertThat(disk.names()).isEmpty();
            assertThat(copy("one")).as("what goes is not gone yet").exists();
            machines.set("RPMEM_CMD", "exec " + agent);
        }
        assertInStep(from);
    }
}
