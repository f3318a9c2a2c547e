package io.farheap.it.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.system.PowerCutProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A machine with a pool and its replica loses its power at any moment, over and over: what had
 * returned is in both when it has power again. What it says is kept here, outside.
 */
final class PowerCuts {
    private static final int THREADS = 2;
    private static final int MOST_COMMITS = 60;
    private static final int LATEST_MILLIS = 30_000;

    private static final String ENVIRONMENT =
            "RPMEM_SSH=%s RPMEM_CMD='sh %s' FARHEAP_FABRIC=verbs FARHEAP_HEARTBEAT=20s"
                            .formatted(PowerCutProgram.SHELL, PowerCutProgram.AGENT)
                    + " FARHEAP_COMMIT_TIMEOUT=120s FARHEAP_ATTACH_TIMEOUT=120s";

    /** Says over what the data connection is, and by which method records become durable. */
    private static final String LOGGED =
            "-Dorg.slf4j.simpleLogger.log.io.farheap.replication.session.DataLink=debug";

    private final long seed = new Random().nextLong() >>> 16;
    private final Random random = new Random(seed);
    private final String dax;
    private final String durability;
    private final String domain;
    private final String flags;
    private final String proof;
    private final int rounds;

    /** By thread, the last transaction that is known to be durable everywhere. */
    private final long[] known = new long[THREADS];

    /** What was said in this round, by the first word. */
    private int acknowledged;

    private int attached;
    private int opened;
    private int seenOnTarget;

    /** The thread whose last word did not get out of the machine before the cut; -1: none. */
    private int unheard;

    private PowerCuts(
            String dax, String durability, String domain, String flags, String proof, int rounds) {
        this.dax = dax;
        this.durability = durability;
        this.domain = domain;
        this.flags = flags;
        this.proof = proof;
        this.rounds = rounds;
    }

    /** The kernel maps the files with MAP_SYNC. */
    static PowerCuts onDax(int rounds) {
        return new PowerCuts("always", "", "DAX", "", flushing("DAX"), rounds);
    }

    /**
     * The files are on a block device, in the kernel's page cache.
     *
     * @param durability the pool's setting
     * @param domain what the pool must find then
     */
    static PowerCuts onDisk(String durability, String domain, int rounds) {
        return new PowerCuts(
                "never",
                " FARHEAP_DURABILITY=" + durability,
                domain,
                "",
                flushing("PAGE_CACHE"),
                rounds);
    }

    private static String flushing(String domain) {
        return "GPSPM (the agent flushes what verbs brings, in the domain " + domain;
    }

    /** The journal is on a device, and READs are what proves commits durable. */
    static PowerCuts byReads(int rounds) {
        return new PowerCuts(
                "always",
                "",
                "DAX",
                " -Drdma.journals=$LAB_DAX_DEVICE",
                "APM (a READ proves the WRITEs before it durable on a platform that was declared as"
                        + " adr, with the journal on the device dax1.0 of region1, which says"
                        + " memory_controller",
                rounds);
    }

    void run() throws IOException, InterruptedException {
        System.out.println("PowerCuts: " + this + ", seed " + seed);
        Path disks = Files.createTempDirectory(Path.of("/var/tmp"), "farheap-power");
        int round = 0;
        try {
            while (round++ < rounds) {
                round(disks, round == 1);
                System.out.printf(
                        "round %d: %s after %d commits that returned%n",
                        round, opened > 0 ? "cut" : "cut before the pool was open,", acknowledged);
            }
        } catch (AssertionError e) {
            throw new AssertionError("seed %d, round %d, %s".formatted(seed, round, this), e);
        } finally {
            Files.deleteIfExists(disks.resolve("pmem0"));
            Files.deleteIfExists(disks.resolve("dax0"));
            Files.delete(disks);
        }
        System.out.printf(
                "PowerCuts: %s, %d rounds, %d commits that returned%n",
                this, rounds, Arrays.stream(known).sum());
    }

    @Override
    public String toString() {
        return "pool in the domain " + domain + ", dax=" + dax;
    }

    /**
     * @param first there is nothing yet to be found again: the power is kept until there is
     */
    private void round(Path disks, boolean first) throws IOException, InterruptedException {
        acknowledged = 0;
        attached = 0;
        opened = 0;
        seenOnTarget = 0;
        unheard = -1;
        boolean underLoad = first || random.nextInt(4) > 0;
        int commits = 1 + random.nextInt(MOST_COMMITS);
        int millis = random.nextInt(underLoad ? 500 : LATEST_MILLIS); // the moment is any
        try (RdmaLab lab =
                RdmaLab.start(
                        Map.of("LAB_DISKS", disks.toString(), "LAB_DAX", dax),
                        ENVIRONMENT + durability,
                        LOGGED + flags,
                        PowerCutProgram.class.getName(),
                        Long.toString(seed),
                        Integer.toString(THREADS))) {
            CompletableFuture<Void> moment = new CompletableFuture<>();
            CompletableFuture<Void> cut =
                    moment.thenRunAsync(
                            lab::cutPower,
                            CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
            lab.listen(
                    line -> {
                        take(line);
                        if (underLoad ? acknowledged == commits : seenOnTarget == THREADS) {
                            moment.complete(null);
                        }
                    });
            assertThat(lab.waitFor()).as("the lab's exit status, see above").isZero();
            assertThat(cut).as("the power was cut").isDone();
        }
        assertThat(attached).as("data connections").isGreaterThanOrEqualTo(opened);
        assertThat(seenOnTarget).as("looks at the replica alone").isEqualTo(first ? 0 : THREADS);
    }

    private void take(String line) {
        String[] word = line.split(" ");
        switch (word[0]) {
            case "target" -> {
                seenOnTarget++;
                assertFound(line, word);
            }
            case "found" -> known[Integer.parseInt(word[1])] = assertFound(line, word);
            case "open" -> opened++;
            case "ack" -> {
                acknowledged++;
                known[Integer.parseInt(word[1])] = assertKnown(line, word);
            }
            case "domain" -> assertThat(line).isEqualTo("domain " + domain);
            case "replica" -> assertThat(line).startsWith("replica 0 ATTACHED");
            case "failed" -> throw new AssertionError(line);
            default -> other(line);
        }
    }

    private void other(String line) {
        System.out.println(line);
        if (line.contains("data over ")) {
            attached++;
            assertThat(line).contains("data over verbs", proof);
        }
    }

    /**
     * After a cut, one thread may have gone a commit further: what it said last was written, and
     * the device that carries it died before it was out.
     */
    private long assertFound(String line, String[] word) {
        int thread = Integer.parseInt(word[1]);
        long number = Long.parseLong(word[2]);
        if (number == known[thread] + 2 && (unheard == -1 || unheard == thread)) {
            System.out.println(line + ", of which " + (number - 1) + " was not heard of");
            unheard = thread;
            return number;
        }
        return assertKnown(line, word);
    }

    /** One more than what was told: that commit was under way. */
    private long assertKnown(String line, String[] word) {
        long told = known[Integer.parseInt(word[1])];
        long number = Long.parseLong(word[2]);
        assertThat(number).as(line).isBetween(told, told + 1);
        return number;
    }
}
