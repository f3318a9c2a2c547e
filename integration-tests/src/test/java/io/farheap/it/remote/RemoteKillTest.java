package io.farheap.it.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.remote.RemotePool;
import io.farheap.remote.RemotePoolOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Kill -9 of the agent, of the program and of both at random moments, over and over with one remote
 * pool: every persist that returned is there at the next opening, and no half one.
 */
@Timeout(300)
class RemoteKillTest {
    private static final Duration BOUND = Duration.ofSeconds(Machines.overRdma() ? 600 : 60);

    private enum Victim {
        AGENT,
        PROGRAM,
        BOTH
    }

    private final long seed = new Random().nextLong() >>> 16;
    private final Random random = new Random(seed);
    private final Machines machines = Machines.with("there");
    private final Path part = machines.machine("there").resolve("load.part0");
    private final long[] persisted = new long[RemoteLoad.LANES];
    private final List<String> words = new ArrayList<>();

    @AfterEach
    void endAll() {
        machines.close();
    }

    @Test
    void everyPersistThatReturnedIsThereAtTheNextOpening() throws Exception {
        machines.configure("there", "journal-size = 1M", "heartbeat-bound = 60000");
        machines.set("FARHEAP_HEARTBEAT", "10s"); // who is slow is not taken for dead
        machines.set("FARHEAP_COMMIT_TIMEOUT", "60s");
        machines.poolSet("there", "load.set", "8M");
        for (Victim victim : Victim.values()) {
            try {
                round(victim);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ", " + victim, e);
            }
        }
        assertPersisted();
    }

    private void round(Victim victim) throws Exception {
        boolean first = victim == Victim.values()[0];
        Process program = machines.java(RemoteLoad.class, first ? "create" : "open").start();
        words.clear();
        Thread reader = new Thread(() -> listen(program));
        reader.start();
        await().atMost(BOUND).until(() -> said("done 0 ") > 5 && said("done 1 ") > 5);
        LockSupport.parkNanos(random.nextInt(100_000_000)); // the kill's moment is any
        ProcessHandle agent = machines.agentOf(part);
        if (victim != Victim.PROGRAM) {
            Machines.signal("KILL", agent);
        }
        if (victim != Victim.AGENT) {
            Machines.signal("KILL", program.toHandle());
        }
        assertThat(program.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        reader.join();
        await().atMost(BOUND).until(() -> Machines.hasEnded(agent));
        if (victim == Victim.AGENT) {
            assertThat(said("failed 0 remote memory there load.set: ")).isOne();
            assertThat(said("failed 1 remote memory there load.set: ")).isOne();
            assertThat(said("close: ")).as("it was told already").isZero();
        }
    }

    private void listen(Process program) {
        try (BufferedReader reader = program.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                hear(line.split(" "), line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void hear(String[] word, String line) {
        words.add(line);
        if (word[0].equals("done")) {
            persisted[Integer.parseInt(word[1])] = Long.parseLong(word[2]);
        } else if (word[0].equals("begin")) {
            int lane = Integer.parseInt(word[1]);
            if (!isPossible(lane, Long.parseLong(word[2]))) {
                words.add("lost: " + persisted[lane] + " was persisted, " + line);
            }
        }
    }

    /** The one that was under way may be there, too. */
    private boolean isPossible(int lane, long found) {
        return found == persisted[lane] || found == persisted[lane] + 1;
    }

    private synchronized long said(String begin) {
        assertThat(words).noneMatch(line -> line.startsWith("lost: "));
        return words.stream().filter(line -> line.startsWith(begin)).count();
    }

    private void assertPersisted() {
        MemorySegment memory = Arena.ofAuto().allocate(RemoteLoad.SIZE, 4096);
        RemotePoolOptions options =
                machines.remotePoolOptions(BOUND, BOUND, Duration.ofSeconds(10)).withMaxLanes(1);
        try (RemotePool pool = RemotePool.open("there", "load.set", memory, options)) {
            for (int lane = 0; lane < RemoteLoad.LANES; lane++) {
                MemorySegment range =
                        memory.asSlice(RemoteLoad.rangeOf(lane), RemoteLoad.RANGE_BYTES);
                pool.lane(0).read(range, RemoteLoad.rangeOf(lane), RemoteLoad.RANGE_BYTES);
                long found = RemoteLoad.wholeNumberIn(range);
                assertThat(isPossible(lane, found))
                        .as("lane %d has %d, persisted was %d", lane, found, persisted[lane])
                        .isTrue();
            }
        }
    }
}
