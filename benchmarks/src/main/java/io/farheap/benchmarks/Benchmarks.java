package io.farheap.benchmarks;

import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The side-by-side program: our commits beside what they are measured by, in one run, on one
 * machine that plays both. Each part is a process of its own, with an agent of its own.
 *
 * <pre>
 *   [--quick] [replicated] [tls] [large] [local] [alone] [bytes] [async] [threads] [garbage] [references] [reads]
 *   [operations] [map] [recovery] [start] [promote] [sync] [steady [MINUTES]] [disk [--disk=DIRECTORY]]
 *   [disk-load [--disk=DIRECTORY] [--pool=MIB] [--stored=MIB] [--threads=N] [--minutes=N]]
 *   [age] [objects] [objects-fields] [objects-threads] [objects-many [--objects=N]] [objects-maps]
 *
 *   without a name   all parts but steady, objects, age, disk and disk-load, about seven minutes
 *   objects          the four parts whose names begin so
 *   steady           takes one minute, or so many
 *   --objects        how many there are in objects-many; else 1,000,000
 *   --disk           where a disk is; else that of temporary files
 *   --quick          with too few repetitions to mean anything: whether it still runs
 * </pre>
 */
public final class Benchmarks {
    private static final String PART = "--part";
    private static final String QUICK = "--quick";
    private static final String STEADY = "steady";

    /** All parts whose names begin so. */
    private static final String OBJECTS = "objects";

    /** Long enough that they never block while the other side is alive. */
    private static final WaitStrategy SPINNING = new WaitStrategy(10_000_000, 0);

    private static final WaitStrategy YIELDING = new WaitStrategy(0, 10_000_000);

    /** Openings that roll back, of each side. */
    private static final int RECOVERIES = 9;

    /** Commits on a disk. */
    private static final String DISK = "disk";

    private static final String LOAD = "disk-load";

    /** Mixed sizes that come and go. */
    private static final String AGE = "age";

    /** In which the start of processes is a small part of the time. */
    private static final int LARGE_MEBIBYTES = 4096;

    private static final String LOAD_VARIABLE = "FARHEAP_BENCHMARK_LOAD";
    private static final String DISK_VARIABLE = "FARHEAP_BENCHMARK_DISK";

    /** Without it LMDB's binding copies what it returns. */
    private static final String LMDB_FLAG = "--add-opens=java.base/java.nio=ALL-UNNAMED";

    private final Site site;
    private final boolean quick;
    private final int minutes;
    private final String disk;
    private final DiskLoad.Amounts load;
    private final int objects;

    private Benchmarks(
            Site site,
            boolean quick,
            int minutes,
            String disk,
            DiskLoad.Amounts load,
            int objects) {
        this.disk = disk;
        this.load = load;
        this.site = site;
        this.quick = quick;
        this.minutes = minutes;
        this.objects = objects;
    }

    public static void main(String[] args) throws Exception {
        List<String> words = new ArrayList<>(List.of(args));
        if (words.size() == 3 && words.get(0).equals(PART)) {
            part(words.get(1), Integer.parseInt(words.get(2)));
            return;
        }
        boolean quick = words.remove(QUICK);
        int minutes = takeMinutes(words);
        String disk = take(words, "--disk=", System.getProperty("java.io.tmpdir"));
        DiskLoad.Amounts load = takeLoad(words, quick);
        int objects = Integer.parseInt(take(words, "--objects=", "1000000"));
        Site site = Site.create();
        try {
            new Benchmarks(site, quick, minutes, disk, load, objects).run(words);
        } finally {
            site.delete();
        }
    }

    /** The number that follows steady, if there is one. */
    private static int takeMinutes(List<String> words) {
        int at = words.indexOf(STEADY) + 1;
        boolean given = at > 0 && at < words.size() && words.get(at).matches("[1-9][0-9]{0,2}");
        return given ? Integer.parseInt(words.remove(at)) : 1;
    }

    private static DiskLoad.Amounts takeLoad(List<String> words, boolean quick) {
        long pool = Long.parseLong(take(words, "--pool=", quick ? "64" : "8192"));
        long stored = Long.parseLong(take(words, "--stored=", quick ? "16" : "2048"));
        int threads = Integer.parseInt(take(words, "--threads=", "2"));
        long minutes = Long.parseLong(take(words, "--minutes=", "10"));
        return new DiskLoad.Amounts(pool, stored, threads, quick ? 2 : 60 * minutes);
    }

    private static String take(List<String> words, String option, String otherwise) {
        String value =
                words.stream()
                        .filter(word -> word.startsWith(option))
                        .map(word -> word.substring(option.length()))
                        .findFirst()
                        .orElse(otherwise);
        words.removeIf(word -> word.startsWith(option));
        return value;
    }

    private void run(List<String> parts) throws IOException, InterruptedException {
        if (parts.isEmpty() || parts.contains("replicated")) {
            Figures.title("A 64 B transaction, one replica: tcp on loopback, files in memory");
            start("replicated", WaitStrategy.DEFAULT, 100, 1);
            if (!quick) {
                start("replicated", SPINNING, 100, 1);
                start("replicated", YIELDING, 100, 1);
                start("replicated", WaitStrategy.BLOCKING, 50, 1);
            }
        }
        if (parts.isEmpty() || parts.contains("tls")) {
            Figures.title("Transactions within TLS, one replica: tcp on loopback, files in memory");
            start("tls", WaitStrategy.DEFAULT, 60, 2);
        }
        if (parts.isEmpty() || parts.contains("large")) {
            Figures.title("Transactions of 1 MiB, one replica: tcp on loopback, files in memory");
            start("large", WaitStrategy.DEFAULT, 15, 2);
        }
        if (parts.isEmpty() || parts.contains("local")) {
            Figures.title("A 64 B transaction, no replica: files in memory");
            start("local", WaitStrategy.DEFAULT, 10, 1);
        }
        if (parts.isEmpty() || parts.contains("alone")) {
            Figures.title("A 64 B transaction while the only replica is away: files in memory");
            start("alone", WaitStrategy.DEFAULT, 10, 1);
        }
        if (parts.isEmpty() || parts.contains("bytes")) {
            Figures.title("What a commit sends and writes");
            start("bytes", WaitStrategy.DEFAULT, 1000, 20);
        }
        if (parts.isEmpty() || parts.contains("async")) {
            Figures.title("A 64 B transaction, one asynchronous replica: tcp on loopback");
            start("async", WaitStrategy.DEFAULT, 2500, 20);
        }
        if (parts.isEmpty() || parts.contains("threads")) {
            Figures.title("64 B transactions of several threads, one replica");
            start("threads", WaitStrategy.DEFAULT, 2000, 20);
        }
        if (parts.isEmpty() || parts.contains("garbage")) {
            Figures.title("64 B transactions under JMH");
            start("garbage", WaitStrategy.DEFAULT, 1000, 20);
        }
        if (parts.isEmpty() || parts.contains("references")) {
            Figures.title("Eight fields of an object, named by its offset or by a reference");
            start("references", WaitStrategy.DEFAULT, 1000, 20);
        }
        if (parts.isEmpty() || parts.contains("reads")) {
            Figures.title("Loads outside of transactions: files in memory");
            start("reads", WaitStrategy.DEFAULT, 2000, 4);
        }
        if (parts.contains(STEADY)) {
            Figures.title("A 64 B transaction, one replica, for a long time: the whole process");
            start(STEADY, WaitStrategy.DEFAULT, 60 * minutes, 1);
        }
        if (parts.isEmpty() || parts.contains("operations")) {
            Figures.title("Operations beside libpmemobj's: files in memory");
            start("operations", WaitStrategy.DEFAULT, 400, Operations.QUICK);
        }
        if (parts.isEmpty() || parts.contains("map")) {
            Figures.title("A hash map on the raw API beside the same on libpmemobj");
            start("map", WaitStrategy.DEFAULT, 100_000, 500);
        }
        if (parts.isEmpty() || parts.contains("recovery")) {
            Figures.title("Opening of a pool that has a transaction to roll back: files in memory");
            start("recovery", WaitStrategy.DEFAULT, 128, 8);
        }
        if (parts.isEmpty() || parts.contains("start")) {
            Figures.title("The command from its first to its last instruction");
            StartTimes.run(quick ? 1 : 20);
        }
        if (parts.isEmpty() || parts.contains("promote")) {
            Figures.title("farheap promote of a replica on its machine: files in memory");
            start("promote", WaitStrategy.DEFAULT, 9, 1);
        }
        if (parts.isEmpty() || parts.contains("sync")) {
            Figures.title("farheap sync of a pool to a lost replica, and to one that was away");
            if (site.hasRoom(4L * LARGE_MEBIBYTES << 20)) {
                start("sync", WaitStrategy.DEFAULT, LARGE_MEBIBYTES, 128);
            } else {
                Figures.text("left out for want of room: a pool of %d MiB", LARGE_MEBIBYTES);
            }
            start("sync", WaitStrategy.DEFAULT, 1024, 64);
            start("syncAway", WaitStrategy.DEFAULT, 1024, 64);
            start("syncAgain", WaitStrategy.DEFAULT, 1024, 64);
        }
        if (parts.contains(OBJECTS) || parts.contains("objects-fields")) {
            Figures.title("Fields of typed objects beside the raw API's: files in memory");
            start("objects-fields", WaitStrategy.DEFAULT, 1_000_000, 2_000);
        }
        if (parts.contains(OBJECTS) || parts.contains("objects-threads")) {
            Figures.title("Threads in one map of typed objects: files in memory");
            start("objects-threads", WaitStrategy.DEFAULT, 1_000_000, 2_000);
        }
        if (parts.contains(OBJECTS) || parts.contains("objects-many")) {
            Figures.title("A heap of many typed objects: files in memory");
            start("objects-many", WaitStrategy.DEFAULT, objects, 2_000);
        }
        if (parts.contains(OBJECTS) || parts.contains("objects-maps")) {
            Figures.title("Maps of typed objects beside others: files in memory");
            start("objects-maps", WaitStrategy.DEFAULT, 1_000_000, 2_000);
        }
        if (parts.contains(AGE)) {
            Figures.title("A heap under age beside libpmemobj's: files in memory");
            start(AGE, WaitStrategy.DEFAULT, 10_000_000, 20_000);
        }
        if (parts.contains(DISK)) {
            Figures.title("64 B transactions of several threads on a disk beside others");
            start(DISK, WaitStrategy.DEFAULT, 1000, 20);
        }
        if (parts.contains(LOAD)) {
            Figures.title("Random writes on a disk for a long time, then a kill");
            start(LOAD, WaitStrategy.DEFAULT, 1, 1);
        }
    }

    private void start(String part, WaitStrategy waiting, int amount, int amountIfQuick)
            throws IOException, InterruptedException {
        String howMuch = String.valueOf(quick ? amountIfQuick : amount);
        List<String> command =
                new ArrayList<>(LocalMachine.java(Benchmarks.class.getName(), PART, part, howMuch));
        if (part.equals("objects-maps") || part.equals(DISK)) {
            command.add(1, LMDB_FLAG);
        }
        ProcessBuilder process = new ProcessBuilder(command);
        if (part.equals("alone") || part.equals("syncAway")) {
            site.tellAlone(process.environment(), waiting);
        } else {
            site.tell(process.environment(), waiting);
        }
        if (part.equals(DISK) || part.equals(LOAD)) {
            process.environment().remove("PMEM_IS_PMEM_FORCE");
            process.environment().put(DISK_VARIABLE, disk);
            process.environment().put(LOAD_VARIABLE, String.join(" ", load.words()));
        }
        if (part.equals("async")) {
            process.environment().put("FARHEAP_POLICY", "async");
        }
        long begin = System.nanoTime();
        int status = process.inheritIO().start().waitFor();
        if (part.startsWith(OBJECTS)) {
            Figures.text("this part took %.0f s", (System.nanoTime() - begin) / 1e9);
        }
        if (status != 0) {
            throw new IOException("the part " + part + " ended with status " + status);
        }
    }

    private static void part(String part, int amount) throws Exception {
        Site site = Site.ofParent();
        switch (part) {
            case "replicated" -> ReplicatedCommits.run(site, amount);
            case "tls" -> TlsCommits.run(site, amount);
            case "large" -> LargeCommits.run(site, amount);
            case "local" -> LocalCommits.run(site, amount);
            case "alone" -> CommitsAlone.run(site, amount);
            case "bytes" -> CommitBytes.run(site, amount);
            case "async" -> AsyncCommits.run(site, amount);
            case "threads" -> CommittingThreads.run(site, amount);
            case DISK -> DiskCommits.run(site, Path.of(System.getenv(DISK_VARIABLE)), amount);
            case LOAD ->
                    DiskLoad.run(
                            Path.of(System.getenv(DISK_VARIABLE)),
                            DiskLoad.Amounts.of(List.of(System.getenv(LOAD_VARIABLE).split(" "))));
            case "garbage" -> Garbage.run(amount);
            case "references" -> References.run(amount);
            case "reads" -> CheckedReads.run(site.directory(), amount);
            case STEADY -> SteadyCommits.run(site, amount);
            case "operations" -> Operations.run(site, amount);
            case "map" -> MapRounds.run(site, amount);
            case "recovery" -> RecoveryTimes.run(site, amount, RECOVERIES);
            case "objects-fields" -> ObjectsAccess.run(site.directory(), amount);
            case "objects-threads" ->
                    ObjectsThreads.run(site.directory().resolve("threads"), amount);
            case "objects-many" -> ObjectsOfMany.run(site.directory().resolve("many"), amount);
            case "objects-maps" -> ObjectsMaps.run(site, amount);
            case AGE -> AgedHeap.run(site, amount);
            case "promote" -> PromotionTimes.run(site, amount);
            case "sync" -> SyncTimes.run(site, amount);
            case "syncAway" -> SyncTimes.change(site, amount);
            case "syncAgain" -> SyncTimes.bringUp(site, amount);
            default -> throw new IllegalArgumentException("no part " + part);
        }
    }
}
