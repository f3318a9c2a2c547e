package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A replica has one initiator, and one that is not heard of any more has no right to it. */
@Timeout(400)
class ExclusiveAttachTest {
    private static final int THREADS = 2;
    private static final Duration COMMIT_BOUND = Duration.ofSeconds(3);
    private static final Duration HEARTBEAT_BOUND = Duration.ofMillis(2500);

    /** For a busy machine: what a bound is measured with. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with("there", "spare");
    private Path replica;
    private Load first;

    @BeforeEach
    void oneInitiatorIsThere() {
        machines.set("FARHEAP_HEARTBEAT", "500ms");
        machines.set("FARHEAP_COMMIT_TIMEOUT", COMMIT_BOUND.toMillis() + "ms");
        machines.configure(
                "there", "journal-size = 1M", "heartbeat-bound = " + HEARTBEAT_BOUND.toMillis());
        machines.poolSet("there", "copy.set", "64M");
        replica = machines.machine("there").resolve("copy.part0");
        Path set = machines.poolSet("here", "pool.set", "64M", "there copy.set");
        first = Load.start(machines, set, seed, THREADS);
        first.awaitOpen();
        first.go();
        first.awaitCommits(20);
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    @Test
    @Tag("deep")
    void aSecondInitiatorIsRefusedByNameWhileTheFirstLives() throws Exception {
        long unused = first.pause();
        Load second = second();
        assertThat(second.awaitFailure())
                .contains("replica there copy.set")
                .contains("attached to process " + first.process().pid() + " on")
                .contains("(agent process " + machines.agentOf(replica).pid() + ")")
                .contains("farheap sync --take-over");
        second.awaitEnd();
        first.go();
        first.awaitCommits(20);
        first.close();
    }

    @Test
    @Tag("deep")
    void aSilentInitiatorLosesItsRightWithinTheBoundAndFindsThatOut() throws Exception {
        ProcessHandle agent = machines.agentOf(replica);
        long begin = System.nanoTime();
        Machines.signal("STOP", first.process());
        await().pollInterval(Duration.ofMillis(10)).until(() -> Machines.hasEnded(agent));
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isBetween(
                        HEARTBEAT_BOUND.minus(Duration.ofMillis(700)), HEARTBEAT_BOUND.plus(SLACK));

        Load second = second();
        second.awaitOpen();
        second.go();
        second.awaitCommits(20);
        Machines.signal("CONT", first.process());
        first.awaitTrouble();
        first.awaitWords("there copy.set");
        first.kill();
        second.awaitCommits(20);
        second.close();
        assertThat(PoolState.ofFile(replica).withoutBlocks())
                .isEqualTo(
                        PoolState.ofFile(machines.machine("spare").resolve("pool.part0"))
                                .withoutBlocks());
    }

    @Test
    @Tag("deep")
    void anAgentThatHangsIsReplacedWithinTheCommitsBound() {
        ProcessHandle agent = machines.agentOf(replica);
        long begin = System.nanoTime();
        Machines.signal("STOP", agent);
        await().pollInterval(Duration.ofMillis(10)).until(() -> Machines.hasEnded(agent));
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isLessThan(COMMIT_BOUND.plus(SLACK));
        first.awaitCommits(20);
        assertThat(machines.agentOf(replica).pid()).isNotEqualTo(agent.pid());
        // The next agent was there within the commits' bound, or it was not.
        assertThat(first.complaints())
                .allSatisfy(
                        words ->
                                assertThat(words)
                                        .containsAnyOf(
                                                "the journal of there copy.set had no room within",
                                                "whether the replica there copy.set has it is",
                                                "commits are refused until the replica there",
                                                "no commits while a replica is missing"));
        first.close();
    }

    /** Another program with a copy of the pool's files. */
    private Load second() throws IOException {
        Path set = machines.poolSet("spare", "pool.set", "64M", "there copy.set");
        Files.copy(
                machines.here().resolve("pool.part0"),
                machines.machine("spare").resolve("pool.part0"),
                StandardCopyOption.REPLACE_EXISTING);
        return Load.start(machines, set, seed, THREADS);
    }
}
