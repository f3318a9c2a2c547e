package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.StoredPool;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.it.support.Machines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code farheap run} as a process, with a real etcd. The other nodes are what they say of
 * themselves in the store, and the command is a shell's.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FarheapRunTest {
    private static final Duration TTL = Duration.ofSeconds(5);

    /** It ends well when it is told to, and not before. */
    private static final String UNTIL_TERM =
            "trap 'echo told; exit 0' TERM; echo begun; while :; do sleep 0.05; done";

    private StoreServers servers;
    private Coordinator store;

    private Machines machines;
    private BlockingQueue<String> said;

    /** The store that is used. */
    StoreServers servers(Path place) throws Exception {
        return ThreeEtcds.start(place);
    }

    @BeforeAll
    void startStore(@TempDir Path directory) throws Exception {
        servers = servers(directory);
        store = servers.connect();
    }

    @AfterAll
    void endStore() throws InterruptedException {
        if (store != null) {
            store.close();
            servers.close();
        }
    }

    @BeforeEach
    void start() {
        machines = Machines.with("a");
        said = new LinkedBlockingQueue<>();
        Path there = machines.machine("a");
        Path unused =
                machines.write(
                        there.resolve("copy.set"),
                        "PMEMPOOLSET\n16M " + there.resolve("pool.part0") + "\n");
        pool().putRecord(StoredPool.record(1, "b", Set.of("a", "b"), 1234));
    }

    private StoredPool pool() {
        return new StoredPool(store, "main", "numbers");
    }

    @AfterEach
    void end() {
        machines.close();
    }

    @Test
    void theCommandRunsFromThisNodesChanceUntilAnotherNodeWrites() throws Exception {
        Presence first = lead();
        Process run = run(UNTIL_TERM);
        assertThat(hearUntil("waiting: b writes")).doesNotContain("begun");

        first.close();
        assertThat(hearUntil("begun")).doesNotContain("told");
        Presence second = lead();
        assertThat(hearUntil("waiting: b writes"))
                .containsSubsequence("ending it: b writes", "told");

        second.close();
        assertThat(hearUntil("begun")).doesNotContain("told");
        assertThat(run.toHandle().destroy()).isTrue();
        assertThat(hearUntil("told")).doesNotContain("begun");
        assertThat(run.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Its turn may come to nothing, and the program here go on writing. */
    @Test
    void aNodeThatOnlyAnnouncesItselfEndsNothing() throws Exception {
        Process run =
                run("trap 'echo told; exit 0' TERM; echo begun; sleep 5 & wait; echo over; exit 7");
        assertThat(hearUntil("begun")).doesNotContain("over");
        Presence standing = pool().announce("b", 0, TTL);
        try {
            assertThat(hearUntil("over")).doesNotContain("told", "ending it: b writes");
            assertThat(run.waitFor()).isEqualTo(7);
        } finally {
            standing.close();
        }
    }

    /** Else its files stay open, and who took over may need just this copy. */
    @Test
    void aProgramWhoseTermIsOverIsEndedThoughItsSuccessorHasNotOpenedYet() throws Exception {
        pool().putRecord(StoredPool.record(2, "a", Set.of("a", "b"), 1234));
        Process run = run("trap 'echo told; exit 0' TERM; echo begun; while :; do sleep 1; done");
        assertThat(hearUntil("begun")).doesNotContain("told");
        Presence standing = pool().announce("b", 0, TTL);
        try {
            await().during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(10))
                    .until(run::isAlive);
            pool().putRecord(StoredPool.record(3, "b", Set.of("a", "b"), 1234));
            assertThat(hearUntil("told")).contains("ending it: b writes");
        } finally {
            standing.close();
        }
        assertThat(run.toHandle().destroy()).isTrue();
        assertThat(run.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCommandThatEndsByItselfEndsItWithItsExitCode() throws Exception {
        Process run = run("echo begun; exit 7");
        assertThat(hearUntil("begun")).last().isEqualTo("begun");
        assertThat(run.waitFor()).isEqualTo(7);
    }

    /** Its announcement would be there for its ttl, and is kept alive here for longer. */
    @Test
    void aCommandThatWasKilledIsNotWaitedForByOtherNodes() throws Exception {
        Process run = run("echo begun; echo $$; exec sleep 60");
        List<String> heard = hearUntil("begun");
        assertThat(heard).doesNotContain("told");
        String pid = said.poll(30, TimeUnit.SECONDS);
        long program = Long.parseLong(pid);
        Presence unused = pool().announceProgram("a", 2, program, TTL);
        assertThat(ProcessHandle.of(program).orElseThrow().destroyForcibly()).isTrue();
        assertThat(run.waitFor()).isEqualTo(137);
        assertThat(pool().lead()).isEmpty();
    }

    private Presence lead() {
        return pool().announce("b", 1, TTL);
    }

    private Process run(String script) throws IOException {
        Process run =
                machines.farheap(
                                "run",
                                "--store=" + servers.address(),
                                "--pool=numbers",
                                "--node=a",
                                "--copy=" + machines.machine("a").resolve("copy.set"),
                                "--",
                                "sh",
                                "-c",
                                script)
                        .redirectErrorStream(true)
                        .start();
        Thread unused = Thread.ofPlatform().daemon().start(() -> listen(run));
        return run;
    }

    private void listen(Process run) {
        try (BufferedReader lines = run.inputReader()) {
            lines.lines().forEach(said::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What it and the command say next, up to this line. */
    private List<String> hearUntil(String line) throws InterruptedException {
        List<String> heard = new ArrayList<>();
        while (!heard.contains(line)) {
            String next = said.poll(30, TimeUnit.SECONDS);
            assertThat(next).as("%s, after %s", line, heard).isNotNull();
            heard.add(next);
        }
        return heard;
    }
}
