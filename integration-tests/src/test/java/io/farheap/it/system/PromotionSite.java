package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.it.support.Agreement;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Ran;
import io.farheap.replication.journal.ReplicaSlot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** A pool on the machine "here" whose replica on "there" is promoted, and what became of both. */
final class PromotionSite implements AutoCloseable {
    static final int THREADS = 3;
    static final String REPLICA = "there copy.set";

    private final Machines machines = Machines.with("there");
    private final long seed;
    private final Path set;
    private final Path copySet;

    PromotionSite(long seed, String size, String copySize) {
        this.seed = seed;
        machines.set("FARHEAP_COMMIT_TIMEOUT", "3s");
        machines.configure("here", "journal-size = 1M");
        machines.configure("there", "journal-size = 1M", "heartbeat-bound = 6000");
        set = machines.poolSet("here", "pool.set", size, REPLICA);
        copySet = machines.poolSet("there", "copy.set", copySize);
    }

    Machines machines() {
        return machines;
    }

    Path set() {
        return set;
    }

    Path copySet() {
        return copySet;
    }

    Path copy() {
        return machines.machine("there").resolve("copy.part0");
    }

    ReplicaSlot slot() {
        return ReplicaCopy.slotOf(copy());
    }

    Load load(Path pool) {
        return Load.start(machines, pool, seed, THREADS);
    }

    /** A program on a machine that commits for a while. */
    Load working(Path pool) {
        Load load = load(pool);
        long unused = load.awaitOpen();
        load.go();
        load.awaitCommits(20);
        return load;
    }

    /** Work, and then the machine is lost; returns what had returned by then. */
    long[] workAndDie(Path pool) {
        Load load = working(pool);
        ProcessHandle agent = machines.agentOf(replicaOf(pool));
        load.kill();
        await().until(() -> Machines.hasEnded(agent));
        return load.acknowledged();
    }

    private Path replicaOf(Path pool) {
        return pool.equals(set) ? copy() : machines.here().resolve("pool.part0");
    }

    /** Work, and a good end. */
    long[] workAndClose(Path pool) {
        Load load = working(pool);
        load.close();
        return load.acknowledged();
    }

    /** As somebody who agrees to what the command asks for. */
    Ran agreeing(String machine, String... arguments) {
        Ran refused = farheap(machine, arguments);
        String[] agreement = Agreement.words(refused.err());
        return agreement.length == 0 ? refused : farheap(machine, agreement);
    }

    /** {@code farheap}, run in the directory of a machine. */
    Ran farheap(String machine, String... arguments) {
        return Ran.of(command(machine, arguments));
    }

    Process start(String machine, Path errors, String... arguments) throws IOException {
        return command(machine, arguments).redirectError(errors.toFile()).start();
    }

    private ProcessBuilder command(String machine, String... arguments) {
        return machines.farheap(arguments).directory(machines.machine(machine).toFile());
    }

    /** A pool that is closed has whole transactions and nothing else; returns how many. */
    long[] wholeIn(Path pool) {
        try (ObjectPool opened =
                await("the agent that was asked last has ended")
                        .ignoreExceptionsMatching(PromotionSite::isInUse)
                        .until(() -> ObjectPool.open(alone(pool), Ledgers.LAYOUT), each -> true)) {
            return Ledgers.assertWhole(opened, seed, THREADS);
        }
    }

    private static boolean isInUse(Throwable failure) {
        return failure instanceof FarheapException && failure.getMessage().contains("in use");
    }

    /** That a pool has every commit that returned, and at most those that were under way. */
    void assertHas(Path pool, long[] acknowledged) {
        long[] found = wholeIn(pool);
        for (int t = 0; t < THREADS; t++) {
            assertThat(found[t])
                    .as("transactions of thread %d, seed %d", t, seed)
                    .isBetween(acknowledged[t], acknowledged[t] + 1);
        }
    }

    /**
     * That a copy of a part is a pool as it was before the promotion, or has all of {@code now}.
     */
    void assertOldOr(long[] now, Path part) throws IOException {
        Path copy = part.resolveSibling("looked-at");
        Path pool = part.resolveSibling("looked-at.set");
        Files.copy(part, copy);
        machines.write(pool, "PMEMPOOLSET\n" + Files.size(part) + "B " + copy + "\n");
        long[] found = wholeIn(pool);
        if (found[0] == now[0]) {
            assertThat(found).isEqualTo(now);
        } else {
            for (int t = 0; t < THREADS; t++) {
                assertThat(found[t]).as("thread %d, seed %d", t, seed).isLessThan(now[t]);
            }
        }
        Files.delete(copy);
        Files.delete(pool);
    }

    /** The poolset without its remote replicas. */
    private Path alone(Path pool) {
        try {
            String text = Files.readString(pool).replaceAll("(?m)^REPLICA \\S.*\n", "");
            return machines.write(pool.resolveSibling("alone.set"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A checksum of every file of a machine but what agents write in passing. */
    Map<Path, Long> sums(String machine) {
        Map<Path, Long> sums = new TreeMap<>();
        try (Stream<Path> files = Files.walk(machines.machine(machine))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("agent.log") && !file.toString().endsWith(".readers")) {
                    CRC32C crc = new CRC32C();
                    crc.update(Files.readAllBytes(file));
                    sums.put(file, crc.getValue());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sums;
    }

    @Override
    public void close() {
        machines.close();
    }
}
