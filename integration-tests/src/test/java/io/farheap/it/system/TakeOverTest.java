package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Cables;
import io.farheap.it.support.Machines;
import io.farheap.layout.PoolHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A program hangs, or its machine is cut off, and another machine takes its pool over: from then on
 * the first one changes nothing any more, and says why.
 */
@Tag("deep")
@Timeout(400)
class TakeOverTest {
    private static final int THREADS = 3;
    private static final Duration COMMIT_BOUND = Duration.ofSeconds(3);

    /** Ending a stopped agent, starting one, replay and copy: the documented bounds, added up. */
    private static final Duration TAKE_OVER_BOUND = Duration.ofSeconds(40);

    private static final String DIRECTIONS = "to keep the local pool: farheap sync --overwrite";

    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with("there", "spare");
    private Path set;
    private Path spareSet;

    @BeforeEach
    void onePoolForTwoMachines() {
        machines.set("FARHEAP_COMMIT_TIMEOUT", COMMIT_BOUND.toMillis() + "ms");
        machines.set("FARHEAP_HEARTBEAT", "500ms");
        machines.configure("there", "journal-size = 1M", "heartbeat-bound = 4000");
        machines.poolSet("there", "copy.set", "64M");
        set = machines.poolSet("here", "pool.set", "64M", "there copy.set");
        spareSet = machines.poolSet("spare", "pool.set", "64M", "there copy.set");
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    @Test
    void aStoppedProgramWakesToFindItsPoolTakenOver() throws Exception {
        Load load = Load.start(machines, set, seed, THREADS);
        load.awaitOpen();
        load.go();
        load.awaitCommits(30);
        Machines.signal("STOP", load.process());
        long[] before = load.acknowledged();

        takeOver();
        Replica taken = Replica.of(machines);
        Machines.signal("CONT", load.process());
        load.awaitLastWords(DIRECTIONS);
        load.awaitTrouble();
        assertTakenOver(load, before, taken);
    }

    /** There is no witness: it goes on alone, and is told when it finds the replica again. */
    @Test
    void aStoppedProgramThatCanDoWithoutItsReplicaGoesOnAloneAndSaysSo() throws Exception {
        machines.set("FARHEAP_POLICY", "degrade").set("FARHEAP_RETRY_PAUSE", "200ms");
        Load load = Load.start(machines, set, seed, THREADS);
        long unused = load.awaitOpen();
        load.go();
        load.awaitCommits(30);
        Machines.signal("STOP", load.process());
        takeOver();
        Replica taken = Replica.of(machines);
        Machines.signal("CONT", load.process());

        Load.Shown refused = load.awaitState(0, State.REFUSED);

        assertThat(refused.reason())
                .contains("there copy.set")
                .containsAnyOf("can't be compared", "was taken over")
                .contains(DIRECTIONS);
        assertThat(refused.nextStep())
                .isEqualTo("decide which copy is to be kept, as the reason says");
        load.awaitCommits(10);
        assertThat(load.complaints()).isEmpty();
        assertThat(Replica.of(machines).differsFrom(taken)).as("the replica's bytes").isFalse();
    }

    @Test
    void aMachineCutOffIsTakenOverAndComesBackWithoutARight() throws Exception {
        Cables cables = machines.useCables();
        machines.set("FARHEAP_DATA", "ssh");
        Load load = Load.start(machines, set, seed, THREADS);
        load.awaitOpen();
        load.go();
        load.awaitCommits(30);
        cables.cut();
        long[] before = load.acknowledged();

        takeOver();
        load.awaitTrouble();
        Replica taken = Replica.of(machines);
        cables.mend();
        load.awaitLastWords(DIRECTIONS);
        assertTakenOver(load, before, taken);
    }

    private void takeOver() throws IOException, InterruptedException {
        ProcessBuilder sync = machines.farheap("sync", "--take-over", spareSet.toString());
        // The other machine has cables of its own.
        Machines.withoutCables(sync);
        long begin = System.nanoTime();
        Process process = sync.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        assertThat(said).contains("synchronized");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TAKE_OVER_BOUND);
    }

    private void assertTakenOver(Load load, long[] before, Replica taken) throws IOException {
        assertThat(load.lastWords())
                .allSatisfy(
                        words ->
                                assertThat(words)
                                        .contains("there copy.set")
                                        // sync has given the replica the new pool's number
                                        .containsAnyOf("can't be compared", "was taken over")
                                        .contains(DIRECTIONS));
        assertThat(Replica.of(machines).differsFrom(taken)).as("the replica's bytes").isFalse();
        Machines.signal("KILL", load.process());
        load.awaitEnd();
        long[] here = numbersIn(machines.here());
        long[] spare = numbersIn(machines.machine("spare"));
        for (int t = 0; t < THREADS; t++) {
            // What was on its way may have been finished here, as it is in the pool taken over.
            assertThat(load.acknowledged()[t]).isBetween(before[t], here[t]);
            assertThat(here[t]).as("thread %d, seed %d", t, seed).isLessThanOrEqualTo(spare[t]);
        }
    }

    /** What a machine's local pool holds: whole transactions. */
    private long[] numbersIn(Path machine) {
        Path alone =
                machines.write(
                        machine.resolve("alone.set"),
                        "PMEMPOOLSET\n64M " + machine.resolve("pool.part0") + "\n");
        try (ObjectPool pool = ObjectPool.open(alone, Ledgers.LAYOUT)) {
            return Ledgers.assertWhole(pool, seed, THREADS);
        }
    }

    /** All the replica's bytes but the header page, which says whether an agent has it open. */
    private record Replica(byte[] part, byte[] journal) {
        static Replica of(Machines machines) throws IOException {
            Path part = machines.machine("there").resolve("copy.part0");
            return new Replica(
                    Files.readAllBytes(part),
                    Files.readAllBytes(part.resolveSibling("copy.part0.journal")));
        }

        boolean differsFrom(Replica other) {
            int header = (int) PoolHeader.SIZE;
            return !Arrays.equals(part, header, part.length, other.part, header, other.part.length)
                    || !Arrays.equals(journal, other.journal);
        }
    }
}
