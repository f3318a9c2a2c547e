package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.it.support.Machines;
import io.farheap.layout.PoolHeader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pools with remote replicas from their creation to another day: only the poolset file says so. */
@Timeout(400)
class EndToEndTest {
    private static final int THREADS = 3;
    private static final int COMMITS = 120;

    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with("there", "yonder");
    private final Path set = machines.here().resolve("pool.set");

    @AfterEach
    void endAll() {
        machines.close();
    }

    private static List<String> ways() {
        return Boolean.getBoolean("test.deep") ? List.of("direct", "ssh") : List.of("ssh");
    }

    @ParameterizedTest
    @MethodSource("ways")
    @Tag("sliced")
    void aReplicaIsEqualAfterTheEndAndAfterEveryReturn(String data) {
        machines.set("FARHEAP_DATA", data);
        if (data.equals("ssh")) {
            var unused = machines.useCables(); // they stand in for ssh's forwarding
        }
        machines.poolSet("there", "copy.set", "64M");
        // Two parts and a local replica here, one part there: the image is what is replicated.
        machines.write(
                set,
                """
                PMEMPOOLSET
                20M %1$s/pool.part0
                44M %1$s/pool.part1
                REPLICA
                64M %1$s/mirror.part0
                REPLICA there copy.set
                """
                        .formatted(machines.here()));
        long[] first = loadAndClose(0, set);
        assertAllEqual("there");
        long[] second = loadAndClose(0, set);
        for (int t = 0; t < THREADS; t++) {
            assertThat(second[t]).as("goes on where it was").isGreaterThan(first[t]);
        }
        assertAllEqual("there");
        assertWhole(second);
    }

    @Test
    @Tag("deep")
    void twoReplicasHaveEveryCommit() {
        machines.poolSet("there", "copy.set", "64M");
        machines.poolSet("yonder", "copy.set", "70M");
        machines.poolSet("here", "pool.set", "64M", "there copy.set", "yonder copy.set");
        loadAndClose(0, set);
        assertAllEqual("there", "yonder");
        assertWhole(loadAndClose(0, set));
        assertAllEqual("there", "yonder");
        assertAloneWhole("there");
        assertAloneWhole("yonder");
    }

    @Test
    void replicasComeAndGoByTheSetFileAlone() {
        machines.poolSet("there", "copy.set", "64M");
        machines.poolSet("yonder", "copy.set", "64M");
        machines.poolSet("here", "pool.set", "64M");
        long[] alone = loadAndClose(0, set);
        assertThat(machines.machine("there").resolve("copy.part0")).doesNotExist();

        machines.poolSet("here", "pool.set", "64M", "there copy.set");
        loadAndClose(1 << 20, set); // a new replica gets all of it
        assertAllEqual("there");

        machines.poolSet("here", "pool.set", "64M", "there copy.set", "yonder copy.set");
        loadAndClose(1 << 20, set);
        assertAllEqual("there", "yonder");

        machines.poolSet("here", "pool.set", "64M", "yonder copy.set");
        long[] last = loadAndClose(0, set);
        assertAllEqual("yonder");
        assertThat(last[0]).isGreaterThan(alone[0]);
        assertAloneWhole("there"); // still a pool, of an earlier time
        assertWhole(last);
    }

    @Test
    void aReplicaThatMissedCommitsIsNeverTakenForCurrent() throws Exception {
        machines.poolSet("there", "copy.set", "64M");
        machines.poolSet("here", "pool.set", "64M", "there copy.set");
        loadAndClose(0, set);
        machines.poolSet("here", "pool.set", "64M");
        long[] alone = loadAndClose(0, set);
        machines.poolSet("here", "pool.set", "64M", "there copy.set");
        Path part = machines.machine("there").resolve("copy.part0");
        byte[] before = Files.readAllBytes(part);

        Load refused = Load.start(machines, set, seed, THREADS);
        assertThat(refused.awaitFailure())
                .contains("replica there copy.set")
                .contains("can't be compared")
                .contains("to keep the local pool: farheap sync --overwrite")
                .contains("to keep the replica: farheap sync --from");
        refused.awaitEnd();
        byte[] after = Files.readAllBytes(part);
        // The header page is the files' own: it says whether somebody has them open.
        int header = (int) PoolHeader.SIZE;
        assertThat(Arrays.mismatch(after, header, after.length, before, header, before.length))
                .as("where the replica was changed")
                .isEqualTo(-1);
        machines.poolSet("here", "pool.set", "64M");
        assertWhole(alone);
    }

    /**
     * Runs transactions of all threads, and checks what opening the pool sent.
     *
     * @param atLeast bytes that the open must send; 0: nearly nothing
     * @return by thread, the last transaction that returned
     */
    private long[] loadAndClose(long atLeast, Path pool) {
        boolean created = !Files.exists(machines.here().resolve("pool.part0"));
        Load load = Load.start(machines, pool, seed, THREADS);
        long sent = load.awaitOpen();
        if (atLeast > 0) {
            assertThat(sent).as("bytes sent to a new replica").isGreaterThan(atLeast);
        } else if (!created) {
            assertThat(sent).as("bytes sent to replicas that are current").isLessThan(64 << 10);
        }
        load.go();
        load.awaitCommits(COMMITS);
        load.close();
        return load.acknowledged();
    }

    /** After a close: every copy, local ones included, holds the same, and is sound. */
    private void assertAllEqual(String... targets) {
        List<PoolState> copies = PoolState.ofLocalCopies(set);
        PoolState first = copies.get(0);
        assertThat(first.inconsistencies()).isEmpty();
        assertThat(first.objects()).hasSizeGreaterThan(THREADS);
        assertThat(copies).allSatisfy(copy -> assertThat(copy).isEqualTo(first));
        for (String target : targets) {
            PoolState replica = PoolState.ofFile(machines.machine(target).resolve("copy.part0"));
            assertThat(replica.withoutBlocks()).as(target).isEqualTo(first.withoutBlocks());
            assertThat(replica.inconsistencies()).as(target).isEmpty();
        }
    }

    /** Checks the local pool without its remote replicas. */
    private void assertWhole(long[] acknowledged) {
        Path alone = machines.here().resolve("alone.set");
        try {
            String text = Files.readString(set).replaceAll("(?m)^REPLICA \\S.*\n", "");
            machines.write(alone, text);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        try (ObjectPool pool = ObjectPool.open(alone, Ledgers.LAYOUT)) {
            assertThat(Ledgers.assertWhole(pool, seed, THREADS)).isEqualTo(acknowledged);
        } catch (FarheapException e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private void assertAloneWhole(String target) {
        try (ReplicaCopy copy = ReplicaCopy.of(machines.machine(target).resolve("copy.part0"))) {
            copy.promote();
            copy.assertWhole(seed, THREADS);
        }
    }
}
