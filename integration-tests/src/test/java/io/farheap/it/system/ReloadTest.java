package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Machines;
import io.farheap.replication.journal.ReplicaState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A poolset file is edited and read again while its program commits: real programs and agents. */
@Tag("deep")
@Timeout(300)
class ReloadTest {
    private static final int THREADS = 2;
    private static final String ONE = "one copy.set";
    private static final String TWO = "two copy.set";

    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with("one", "two");
    private Path set;
    private Load load;

    @BeforeEach
    void startUnderLoad() {
        machines.set("FARHEAP_COMMIT_TIMEOUT", "60s").set("FARHEAP_RETRY_PAUSE", "200ms");
        machines.poolSet("one", "copy.set", "64M");
        machines.poolSet("two", "copy.set", "64M");
        name(ONE);
        startAgain();
    }

    private void startAgain() {
        load = Load.start(machines, set, seed, THREADS);
        long unused = load.awaitOpen();
        load.go();
        load.awaitCommits(5);
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    /** Edits the poolset file. */
    private void name(String... replicas) {
        set = machines.poolSet("here", "pool.set", "64M", replicas);
    }

    private Path part(String target) {
        return machines.machine(target).resolve("copy.part0");
    }

    private record Said(int code, String words) {}

    private Said reload(String... options) throws IOException, InterruptedException {
        String[] words = new String[options.length + 2];
        words[0] = "reload";
        System.arraycopy(options, 0, words, 1, options.length);
        words[words.length - 1] = set.toString();
        Process process = machines.farheap(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), said);
    }

    private void reloaded(String... words) throws IOException, InterruptedException {
        Said said = reload();
        assertThat(said.code()).as(said.words()).isZero();
        assertThat(said.words()).contains(words);
    }

    /** As whoever has nothing else would find it. */
    private void assertHasAllAcknowledged(String target) {
        load.kill();
        long[] acknowledged = load.acknowledged();
        try (ReplicaCopy copy = ReplicaCopy.of(part(target))) {
            var unused = copy.promote();
            long[] there = copy.assertWhole(seed, THREADS);
            for (int t = 0; t < THREADS; t++) {
                assertThat(there[t])
                        .as("thread %d, seed %d", t, seed)
                        .isBetween(acknowledged[t], acknowledged[t] + 1);
            }
        }
    }

    @Test
    void aReplicaIsReplacedUnderLoadAndTheNewOneHasEveryCommit() throws Exception {
        name(ONE, TWO);
        reloaded(TWO + "  ATTACHED");
        load.awaitCommits(5);
        long number = ReplicaCopy.slotOf(part("one")).cur();
        name(TWO);
        reloaded(ONE + "  has left");
        load.awaitCommits(5);
        assertThat(load.replicas()).hasSize(1);
        assertThat(load.complaints()).isEmpty();
        assertThat(ReplicaCopy.slotOf(part("one")).state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(ReplicaCopy.slotOf(part("one")).cur()).isEqualTo(number);
        assertThat(ReplicaCopy.slotOf(part("two")).cur()).isGreaterThan(number);
        assertHasAllAcknowledged("two");
    }

    /** Its agent would take the hello for a later one of the program that it serves. */
    @Test
    void anotherNameOfAMembersMachineIsRefusedAndTheMemberGoesOn() throws Exception {
        Path uno = Files.createSymbolicLink(machines.machine("uno"), machines.machine("one"));
        try {
            long number = ReplicaCopy.slotOf(part("one")).cur();
            name(ONE, "uno copy.set");
            assertThat(reload().words())
                    .contains("uno copy.set  REFUSED", "the same place as a member");
            load.awaitCommits(5);
            assertThat(load.complaints()).isEmpty();
            assertThat(load.replicas())
                    .extracting(Load.Shown::state)
                    .containsExactly(State.ATTACHED, State.REFUSED);
            assertThat(ReplicaCopy.slotOf(part("one")).cur()).isEqualTo(number);
            assertThat(ReplicaCopy.slotOf(part("one")).next()).isZero();
        } finally {
            Files.delete(uno);
        }
    }

    @Test
    void whatElseHasChangedIsRefusedByName() throws Exception {
        String before = Files.readString(set);
        machines.write(set, before.replace("64M", "96M"));
        assertThat(reload().words())
                .contains("line 2", "only REPLICA lines", "nothing has changed");
        machines.write(set, before.replace("REPLICA one", "REPLICAS one"));
        assertThat(reload().words()).contains("pool.set:3");
        machines.write(set, before + "REPLICA\n64M " + machines.here().resolve("more") + "\n");
        assertThat(reload().words()).contains("2 local replicas", "nothing has changed");
        name();
        assertThat(reload().words()).contains("only one that has every commit", "--alone");
        load.awaitCommits(3);
        assertThat(load.replicas()).extracting(Load.Shown::state).containsExactly(State.ATTACHED);
        assertThat(reload("--alone").words()).contains(ONE + "  has left");
        load.awaitCommits(3);
        assertThat(load.complaints()).isEmpty();
    }

    /** At whatever moment: the next opening reads the file as it is. */
    @Test
    void aProgramThatIsKilledMeanwhileOpensWithWhatTheFileSays() throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 6; round++) {
            boolean both = round % 2 == 0;
            String[] named = both ? new String[] {ONE, TWO} : new String[] {ONE};
            name(named);
            Said unused = reload("--no-wait");
            long wait = random.nextLong(Duration.ofMillis(1500).toNanos());
            long begin = System.nanoTime();
            await().pollInterval(Duration.ofMillis(2))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> System.nanoTime() - begin >= wait);
            load.kill();
            long[] acknowledged = load.acknowledged();
            if (!both) {
                // It is made anew when its line is back: a person would order that.
                removeCopy("two");
            }
            load = Load.start(machines, set, seed, THREADS);
            long bytes = load.awaitOpenWith(acknowledged);
            assertThat(bytes).isNotNegative();
            assertThat(load.replicas()).hasSize(named.length);
            load.go();
            load.awaitCommits(3);
        }
        assertHasAllAcknowledged("one");
    }

    private void removeCopy(String target) throws IOException {
        try (Stream<Path> files = Files.list(machines.machine(target))) {
            for (Path file : files.filter(each -> each.toString().contains("part0")).toList()) {
                Files.delete(file);
            }
        }
    }
}
