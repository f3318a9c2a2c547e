package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * {@code farheap sync} of a full pool to a lost replica, here, through an agent that is started for
 * it, and through one that runs already, beside {@code pmempool sync} and a plain copy of the file;
 * each a process of its own, in turns. Where the profile dist has made a distribution, its command
 * and its agent are measured: what is installed. Then what is sent where the replica was away while
 * 1 % of the pages changed.
 */
final class SyncTimes {
    private static final long SEED = 20261122;
    private static final int ROUNDS = 3;
    private static final int PAGE = 4096;
    private static final int PIECE = 1 << 20;
    private static final String LAYOUT = "benchmark";
    private static final PrintStream OUT = System.out;

    private final Path directory;
    private final long mebibytes;

    /** Of a distribution; null: there is none. */
    private final Path launcher;

    private SyncTimes(Site site, int mebibytes) throws IOException {
        this.directory = site.directory();
        this.mebibytes = mebibytes;
        List<Path> launchers = StartTimes.launchers();
        this.launcher = launchers.isEmpty() ? null : launchers.get(0);
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private void writeSets() throws IOException {
        String part = "PMEMPOOLSET\n%dM %s\n".formatted(mebibytes, file("sync.part"));
        Files.writeString(
                file("mirror.set"),
                part + "REPLICA\n%dM %s\n".formatted(mebibytes, file("sync.copy")));
        Files.writeString(file("far.set"), far("far.part") + "REPLICA localhost sync.set\n");
        Path target = file("target");
        Files.writeString(
                target.resolve("sync.set"),
                "PMEMPOOLSET\n%dM %s\n".formatted(mebibytes, target.resolve("sync.part")));
    }

    private String far(String part) {
        return "PMEMPOOLSET\n%dM %s\n".formatted(mebibytes, file(part));
    }

    /** All of it is used, and random. */
    private static void fill(ObjectPool pool, long mebibytes) {
        Ref root = pool.root(8);
        Random random = new Random(SEED);
        byte[] bytes = new byte[PIECE];
        MemorySegment piece = Arena.ofAuto().allocate(PIECE);
        pool.transaction(
                tx -> {
                    Ref all = tx.allocate((mebibytes - 16) * PIECE, 1);
                    tx.setRef(root, 0, all);
                });
        Ref all = pool.getRef(root, 0);
        for (long i = 0; i < mebibytes - 16; i++) {
            random.nextBytes(bytes);
            MemorySegment.copy(bytes, 0, piece, ValueLayout.JAVA_BYTE, 0, PIECE);
            long at = i * PIECE;
            pool.transaction(tx -> tx.raw().writeBytes(all.offset(), at, piece, 0, PIECE));
        }
    }

    // ---- part one: a lost replica ----

    static void run(Site site, int mebibytes) throws IOException, InterruptedException {
        SyncTimes times = new SyncTimes(site, mebibytes);
        times.writeSets();
        times.removeEarlier();
        Figures.text("a pool of %d MiB", mebibytes);
        try (ObjectPool pool = ObjectPool.create(times.file("mirror.set"), LAYOUT)) {
            fill(pool, mebibytes);
        }
        Figures.load();
        Figures.text(
                "farheap: %s",
                times.launcher == null
                        ? "class path (mvn verify -Pdist -pl pool-tools -am makes a distribution)"
                        : "the distribution");
        times.local();
        Files.delete(times.file("sync.part"));
        Files.delete(times.file("sync.copy"));
        times.remote();
    }

    private void local() throws IOException, InterruptedException {
        for (int i = 0; i < ROUNDS; i++) {
            double plain = copy("sync.part");
            Files.delete(file("sync.copy"));
            double ours = seconds(farheap("mirror.set"));
            Files.delete(file("sync.copy"));
            double theirs = seconds(List.of("pmempool", "sync", file("mirror.set").toString()));
            print("to a local replica", ours, plain);
            OUT.printf("  %-44s %8.2f s%n", "pmempool sync", theirs);
        }
    }

    private void remote() throws IOException, InterruptedException {
        Files.writeString(file("alone.far.set"), far("far.part"));
        try (ObjectPool pool = ObjectPool.create(file("alone.far.set"), LAYOUT)) {
            fill(pool, mebibytes);
        }
        Path target = file("target");
        try (AgentHere agent = AgentHere.start(directory, target, launcher, List.of())) {
            Map<String, String> plainly = new HashMap<>(agent.settings());
            plainly.put("FARHEAP_DATA", "plain");
            for (int i = 0; i < ROUNDS; i++) {
                double plain = copy("far.part");
                print("to a remote replica", remote(Map.of()), plain);
                print("to one whose agent runs, within TLS", remote(agent.settings()), plain);
                print("to one whose agent runs, plain", remote(plainly), plain);
            }
        }
    }

    private double remote(Map<String, String> settings) throws IOException, InterruptedException {
        Path target = file("target");
        Files.deleteIfExists(target.resolve("sync.part"));
        Files.deleteIfExists(target.resolve("sync.part.journal"));
        return seconds(farheap("far.set"), settings);
    }

    /** What a run with a pool of another size left. */
    private void removeEarlier() throws IOException {
        Files.deleteIfExists(file("far.part"));
        Path target = file("target");
        Files.deleteIfExists(target.resolve("sync.part"));
        Files.deleteIfExists(target.resolve("sync.part.journal"));
    }

    private double copy(String name) throws IOException, InterruptedException {
        Path plain = file("plain.copy");
        double taken = seconds(List.of("cp", file(name).toString(), plain.toString()));
        Files.delete(plain);
        return taken;
    }

    private List<String> farheap(String set) {
        String path = file(set).toString();
        return launcher == null
                ? LocalMachine.java(Main.class.getName(), "sync", path)
                : List.of(launcher.toString(), "sync", path);
    }

    private String agent() {
        Path target = file("target");
        return LocalMachine.quoted(
                List.of(
                        launcher.toString(),
                        "agent",
                        "--poolset-dir",
                        target.toString(),
                        "--log-file",
                        target.resolve("agent.log").toString()));
    }

    private static void print(String what, double ours, double plain) {
        OUT.printf(
                "  %-44s %8.2f s   cp %8.2f s   ratio %6.2f%n",
                "farheap sync " + what, ours, plain, ours / plain);
    }

    private double seconds(List<String> command) throws IOException, InterruptedException {
        return seconds(command, Map.of());
    }

    private double seconds(List<String> command, Map<String, String> settings)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(new ArrayList<>(command))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (launcher != null) {
            builder.environment().put("RPMEM_CMD", agent());
        }
        builder.environment().putAll(settings);
        long begin = System.nanoTime();
        Process process = builder.start();
        int status = process.waitFor();
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (status != 0) {
            throw new IOException(command + " ended with status " + status);
        }
        return seconds;
    }

    // ---- part two, without the target: 1 % of the pages change ----

    static void change(Site site, int mebibytes) throws IOException {
        SyncTimes times = new SyncTimes(site, mebibytes);
        try (ObjectPool pool = ObjectPool.open(times.file("far.set"), LAYOUT)) {
            Ref all = pool.getRef(pool.root(8), 0);
            int pages = ((mebibytes - 16) * (PIECE / PAGE));
            BitSet chosen = new BitSet(pages);
            Random random = new Random(SEED);
            while (chosen.cardinality() < mebibytes * (PIECE / PAGE) / 100) {
                chosen.set(random.nextInt(pages));
            }
            chosen.stream()
                    .forEach(
                            page ->
                                    pool.transaction(
                                            tx -> tx.setLong(all, (long) page * PAGE, page)));
            OUT.printf(
                    "  changed while the replica is away: %d pages, %d bytes of pages%n",
                    chosen.cardinality(), (long) chosen.cardinality() * PAGE);
        }
    }

    // ---- part three: what the replica lacks ----

    static void bringUp(Site site, int mebibytes) throws IOException {
        SyncTimes times = new SyncTimes(site, mebibytes);
        Figures.load();
        long begin = System.nanoTime();
        try (ObjectPool pool = ObjectPool.open(times.file("far.set"), LAYOUT)) {
            double seconds = (System.nanoTime() - begin) / 1e9;
            OUT.printf(
                    "  sent to bring the replica up: %d bytes in %.2f s%n",
                    pool.counters().replicaBytes(), seconds);
        }
    }
}
