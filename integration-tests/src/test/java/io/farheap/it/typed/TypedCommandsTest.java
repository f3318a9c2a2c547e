package io.farheap.it.typed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.it.system.Load;
import io.farheap.it.system.ReplicaCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The commands for typed objects on pools that are not simply closed: a program has them, or was
 * killed; their replica is there, or away; a disk journal has what the files lack; a command was
 * killed itself. Each time what they say is right, or one sentence, and nothing changes that was
 * not asked for.
 */
@Tag("deep")
@Timeout(300)
class TypedCommandsTest {
    private static final int THREADS = 2;
    private static final int ENVIRONMENT = 3;
    private static final int REPLICA = 4;
    private static final int BAD_DATA = 1;
    private static final int WRONG_USE = 2;
    private static final String DISCARDING = "to lose them: farheap ";
    private static final String[] READS = {"types", "dump", "reclaim --dry-run"};
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final long seed = Long.getLong("seed", new Random().nextLong() >>> 16);
    private final Random random = new Random(seed);
    private Machines machines;
    private Path set;

    @AfterEach
    void close() {
        machines.close();
    }

    private void withReplica() {
        machines = Machines.with("there");
        machines.configure("there", "journal-size = 1M", "heartbeat-bound = 20000");
        machines.set("FARHEAP_ATTACH_TIMEOUT", "10s");
        machines.poolSet("there", "copy.set", "24M");
        set = machines.poolSet("here", "pool.set", "24M", "there copy.set");
    }

    private void withDiskJournal() {
        machines = Machines.with();
        machines.set("FARHEAP_DURABILITY", "journal");
        set = machines.poolSet("here", "pool.set", "24M");
    }

    private Load start() {
        Load load = Load.start(machines, TypedBankProgram.class, set, seed, THREADS);
        long unused = load.awaitOpen();
        return load;
    }

    /** After some transactions, with objects that nothing reaches. */
    private void killAProgram() {
        Load load = start();
        load.go();
        load.awaitCommits(20);
        load.kill();
        awaitNoAgent();
    }

    private void openAndClose() {
        start().close();
        awaitNoAgent();
    }

    private void awaitNoAgent() {
        if (Files.exists(machines.here().resolveSibling("there"))) {
            await("the end of the agent").atMost(BOUND).until(() -> !machines.isBusy("there"));
        }
    }

    // ---- commands ----

    private record Run(int exitCode, String out, String err) {
        String succeeded() {
            assertThat(err).isEmpty();
            assertThat(exitCode).isZero();
            return out;
        }

        void failedWith(int code, String... parts) {
            assertThat(err).startsWith("farheap: ").contains(parts).doesNotContain("Exception");
            assertThat(err.lines()).hasSize(1);
            assertThat(exitCode).isEqualTo(code);
        }
    }

    private Process start(String... words) {
        try {
            ProcessBuilder command = machines.farheap(words);
            command.redirectError(machines.here().resolve("command.err").toFile());
            command.redirectOutput(machines.here().resolve("command.out").toFile());
            return command.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Run farheap(String... words) {
        try {
            int exitCode = start(words).waitFor();
            return new Run(
                    exitCode,
                    Files.readString(machines.here().resolve("command.out")),
                    Files.readString(machines.here().resolve("command.err")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Run onPool(String command) {
        return farheap((command + " " + set).split(" "));
    }

    /** Both machines' pool files and journals, by checksum. */
    private Map<String, Long> pools() {
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(machines.here().getParent())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (file.getFileName().toString().matches(".*part0(\\..*journal)?")) {
                    CRC32C sum = new CRC32C();
                    sum.update(Files.readAllBytes(file));
                    found.put(file.toString(), sum.getValue());
                }
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without what the program's agent may apply meanwhile. */
    private Map<String, Long> localPool() {
        Map<String, Long> found = pools();
        found.keySet().removeIf(file -> !file.startsWith(machines.here().toString()));
        return found;
    }

    // ---- in use ----

    @Test
    void whoHasThePoolIsNamed() {
        withReplica();
        Load load = start();
        Map<String, Long> before = localPool();
        Path dump = machines.write(machines.here().resolve("dump"), "");
        for (String command :
                new String[] {"types", "dump", "reclaim -d", "reclaim -y", "load -i " + dump}) {
            onPool(command)
                    .failedWith(ENVIRONMENT, "pool.part0", "process " + load.process().pid());
        }
        assertThat(localPool()).isEqualTo(before);
        load.close();
    }

    // ---- killed, with a replica ----

    @Test
    void whatACrashLeftIsReadAsItWillBeRecovered() {
        withReplica();
        killAProgram();
        Map<String, Long> before = pools();
        String dump = onPool("dump").succeeded();
        for (String read : READS) {
            onPool(read).succeeded();
        }
        assertThat(pools()).as("seed %d", seed).isEqualTo(before);
        machines.takeDown("there");
        assertThat(onPool("dump").succeeded()).as("without the replica").isEqualTo(dump);
        onPool("reclaim -y").failedWith(REPLICA, "there copy.set");
        assertThat(onPool("dump").succeeded()).isEqualTo(dump);
        machines.bringUp("there");
        openAndClose();
        assertThat(onPool("dump").succeeded()).as("recovered").isEqualTo(dump);
    }

    @Test
    void whatIsFreedAndLoadedIsSoOnTheReplicaToo() throws IOException {
        withReplica();
        killAProgram();
        assertThat(onPool("reclaim -y").succeeded()).contains("Receipt: ", "freed ");
        awaitNoAgent();
        String dump = onPool("dump").succeeded();
        assertReplicaHas(dump);

        Path lines = machines.write(machines.here().resolve("lines"), dump);
        machines.addTarget("elsewhere");
        machines.poolSet("elsewhere", "other.set", "24M");
        set = machines.poolSet("here", "second.set", "24M", "elsewhere other.set");
        assertThat(onPool("load -i " + lines).succeeded()).contains(": loaded ");
        assertThat(onPool("dump").succeeded()).isEqualTo(dump);
        try (TypedBank bank = TypedBank.open(alone("second"), seed, THREADS)) {
            assertThat(bank.assertWhole()).hasSize(THREADS);
        }
    }

    /** The local part of a pool, as a pool of its own. */
    private Path alone(String name) throws IOException {
        Path part = machines.here().resolve(name + ".part0");
        Path copy = Files.copy(part, machines.here().resolve(name + "-alone.part0"));
        return machines.write(
                machines.here().resolve(name + "-alone.set"),
                "PMEMPOOLSET\n" + Files.size(copy) + "B " + copy + "\n");
    }

    private void assertReplicaHas(String dump) {
        try (ReplicaCopy copy = ReplicaCopy.of(machines.machine("there").resolve("copy.part0"))) {
            var unused = copy.promote();
            assertThat(farheap("dump", copy.set().toString()).succeeded()).isEqualTo(dump);
        }
    }

    // ---- a disk journal ----

    @Test
    void whatIsInADiskJournalIsSaidOrSeen() {
        withDiskJournal();
        killAProgram();
        Map<String, Long> before = pools();
        List<String> looked = new ArrayList<>();
        for (String read : READS) {
            looked.add(onPool(read).succeeded());
        }
        assertThat(pools()).as("seed %d", seed).isEqualTo(before);
        assertThat(onPool("recover").succeeded()).isNotEmpty();
        for (int i = 0; i < READS.length; i++) {
            assertThat(onPool(READS[i]).succeeded()).as("seed %d", seed).isEqualTo(looked.get(i));
        }
        String dump = onPool("dump").succeeded();
        openAndClose();
        assertThat(onPool("dump").succeeded()).isEqualTo(dump);
        killAProgram();
        assertThat(onPool("reclaim -y").succeeded()).contains("freed ");
        assertThat(onPool("reclaim -d").succeeded()).contains("nothing is to be freed");
    }

    // ---- commands that are killed ----

    @Test
    void aReclaimThatWasKilledGoesOn() throws InterruptedException {
        withReplica();
        for (int round = 0; round < 3; round++) {
            killAProgram();
            kill(start("reclaim", "-y", set.toString()));
            assertThat(onPool("reclaim -y").succeeded())
                    .as("seed %d", seed)
                    .containsAnyOf("freed ", "nothing is to be freed");
            assertThat(onPool("reclaim -d").succeeded()).contains("nothing is to be freed");
            assertThat(farheap("check", set.toString()).exitCode()).isZero();
            awaitNoAgent();
            assertReplicaHas(onPool("dump").succeeded());
        }
    }

    @Test
    void aLoadThatWasKilledIsNoHeapAndBegunAgain() throws Exception {
        withReplica();
        killAProgram();
        String dump = onPool("dump").succeeded();
        Path lines = machines.here().resolve("lines");
        Files.write(lines, dump.getBytes(UTF_8));
        for (int round = 0; round < 3; round++) {
            Path copy = machines.here().resolve("copy" + round + ".pool");
            kill(start("load", "-s", "24M", "-i", lines.toString(), copy.toString()));
            Run found = farheap("dump", copy.toString());
            if (found.exitCode() == 0) {
                assertThat(found.out()).as("seed %d", seed).isEqualTo(dump);
            } else if (Files.exists(copy)) {
                found.failedWith(BAD_DATA, copy.toString());
                remove(copy);
            }
            Files.deleteIfExists(copy);
            farheap("load", "-s", "24M", "-i", lines.toString(), copy.toString()).succeeded();
            assertThat(farheap("dump", copy.toString()).succeeded()).isEqualTo(dump);
        }
    }

    /**
     * What a killed load has committed is named before it is lost, as of any pool: the refusal says
     * how.
     */
    private void remove(Path copy) {
        Run removal = farheap("rm", "-f", copy.toString());
        if (removal.err().contains("ends inside its header")) {
            return; // killed while it made the file: nothing that a tool of pools would remove
        }
        if (removal.exitCode() != 0) {
            removal.failedWith(WRONG_USE, copy.toString(), DISCARDING);
            String discarding = removal.err().substring(removal.err().indexOf(DISCARDING));
            farheap(discarding.substring(DISCARDING.length()).strip().split(" ")).succeeded();
        }
        assertThat(copy).doesNotExist();
    }

    /** At any moment from its start on. */
    private void kill(Process command) throws InterruptedException {
        LockSupport.parkNanos(200_000_000 + random.nextInt(1_000_000_000));
        command.destroyForcibly();
        int unused = command.waitFor();
        awaitNoAgent();
    }
}
