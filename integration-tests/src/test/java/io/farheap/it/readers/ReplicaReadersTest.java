package io.farheap.it.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.ReplicaPool;
import io.farheap.agent.Promotion;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PoolPosition;
import io.farheap.base.Ref;
import io.farheap.it.support.Machines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that read a replica while a writer commits and an agent applies. */
class ReplicaReadersTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String SIZE = "16M";
    private static final long MILLI = 1_000_000;

    private static final int READERS = 3;
    private static final int TURNS = 10;

    private final Machines machines = Machines.with("there");
    private final List<Child> children = new CopyOnWriteArrayList<>();
    private Path pool;
    private Path copy;

    /** Whether the writer and its agent have core 0 for themselves, and all others share core 1. */
    private boolean apart;

    /** A process, and what it has told. */
    private final class Child {
        private final Process process;
        private final Writer in;
        private final List<String> told = new CopyOnWriteArrayList<>();

        Child(Consumer<String> also, Class<?> main, Path set) {
            try {
                ProcessBuilder program = machines.java(main, set.toString());
                if (apart) {
                    boolean writes = main == WriterProgram.class;
                    List<String> pinned =
                            new ArrayList<>(List.of("taskset", "-c", writes ? "0" : "1"));
                    pinned.addAll(program.command());
                    program.command(pinned);
                }
                process = program.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            in = process.outputWriter(StandardCharsets.UTF_8);
            Thread unused = Thread.ofPlatform().daemon().start(() -> read(also));
            children.add(this);
        }

        private void read(Consumer<String> also) {
            try (BufferedReader out =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (!line.startsWith("committed")) {
                        told.add(line);
                    }
                    also.accept(line);
                }
            } catch (IOException e) {
                told.add("wrong " + e);
            }
        }

        /** Who was killed, or has ended, is told in vain. */
        synchronized void tell(String line) {
            try {
                in.write(line + "\n");
                in.flush();
            } catch (IOException e) {
                told.add("not told " + line);
            }
        }

        String awaitMore(String start, int before) {
            ReplicaReadersTest.await(start, () -> count(start) > before || isWrong());
            assertThat(told).noneMatch(line -> line.startsWith("wrong"));
            return told.stream().filter(line -> line.startsWith(start)).reduce("", (a, b) -> b);
        }

        int count(String start) {
            return (int) told.stream().filter(line -> line.startsWith(start)).count();
        }

        void awaitEnd() {
            ReplicaReadersTest.await("the end", () -> !process.isAlive());
        }

        boolean isWrong() {
            return told.stream().anyMatch(line -> line.startsWith("wrong"));
        }
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).pollInterval(Duration.ofMillis(5)).atMost(BOUND).until(condition);
    }

    /** A replica of a pool, whose agent lets readers hold records for a while. */
    private void site(String readHold, String journal) {
        machines.configure(
                "there",
                "journal-size = " + journal,
                "read-hold = " + readHold,
                "heartbeat-bound = 20000");
        machines.set("FARHEAP_HEARTBEAT", "2s");
        copy = machines.poolSet("there", "copy.set", SIZE);
        pool = machines.poolSet("here", "pool.set", SIZE, "there copy.set");
    }

    @AfterEach
    void end() {
        machines.close();
    }

    @Test
    @Timeout(120)
    void noReaderSeesHalfACommitWhateverBecomesOfReaders() {
        readersUnderLoad(Duration.ofSeconds(3));
    }

    /** Ten minutes with {@code -Dreaders.minutes=10}. */
    @Test
    @Tag("long")
    void forLong() {
        readersUnderLoad(minutes());
    }

    private static Duration minutes() {
        return Duration.ofMinutes(Integer.getInteger("readers.minutes", 2));
    }

    /**
     * Prints what readers cost a writer and its agent that have a core for themselves: how long
     * commits take beside readers, and beside processes that do the same on pools of their own.
     * Those tell what any processes on the other core cost. For as long as {@code readers.minutes},
     * in turns.
     */
    @Test
    @Tag("long")
    void besideReadersAndBesideOthers() throws IOException, InterruptedException {
        String self = String.valueOf(ProcessHandle.current().pid());
        Process moved =
                new ProcessBuilder("taskset", "-a", "-c", "-p", "1", self)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertThat(moved.waitFor()).isZero();
        apart = true;
        Random random = new Random(seed());
        List<Child> audience = new CopyOnWriteArrayList<>();
        Child writer = startWriter(audience);
        Duration turn = minutes().dividedBy(TURNS);
        String settling = figuresAfter(writer, Duration.ofSeconds(5));
        System.out.printf("commits, p50, p99, max (us) of the first seconds: %s%n", settling);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            String alone = figuresAfter(writer, turn.dividedBy(4));
            String others = beside(writer, audience, this::bystander, turn, random);
            String readers = beside(writer, audience, which -> reader(), turn, random);
            ratios.add((double) p99(readers) / p99(others));
            System.out.printf(
                    "alone %s, beside others %s, beside readers %s, ratio of the p99s %.2f%n",
                    alone, others, readers, ratios.getLast());
        }
        ratios.sort(null);
        System.out.printf(
                "p99 beside readers to p99 beside others: %.2f to %.2f, median %.2f%n",
                ratios.getFirst(), ratios.getLast(), ratios.get(TURNS / 2));
        writer.tell("close");
        writer.awaitMore("closed", 0);
    }

    private static long p99(String figures) {
        return Long.parseLong(figures.split(" ")[2]);
    }

    /** They are killed and stopped at random meanwhile, and are gone in the end. */
    private String beside(
            Child writer,
            List<Child> crowd,
            IntFunction<Child> maker,
            Duration time,
            Random random) {
        for (int i = 0; i < READERS; i++) {
            crowd.add(maker.apply(i));
        }
        String unused = figuresAfter(writer, Duration.ZERO);
        String figures = disturb(writer, crowd, maker, time, random);
        List<Child> last = List.copyOf(crowd);
        crowd.clear();
        for (Child each : last) {
            each.tell("end");
            each.awaitMore("seen", 0);
            each.awaitEnd();
        }
        return figures;
    }

    private void readersUnderLoad(Duration time) {
        long seed = seed();
        List<Child> readers = new CopyOnWriteArrayList<>();
        Child writer = startWriter(readers);
        String settling = figuresAfter(writer, Duration.ofSeconds(1));
        String without = figuresAfter(writer, time.dividedBy(4));
        for (int i = 0; i < READERS; i++) {
            readers.add(reader());
        }
        String before = figuresAfter(writer, Duration.ZERO);
        String with = disturb(writer, readers, which -> reader(), time, new Random(seed));
        long[] seen = new long[4];
        List<Child> last = List.copyOf(readers);
        readers.clear();
        for (Child reader : last) {
            reader.tell("end");
            String[] words = reader.awaitMore("seen", 0).split(" ");
            for (int i = 0; i < seen.length; i++) {
                seen[i] += Long.parseLong(words[i + 1]);
            }
        }
        writer.tell("close");
        writer.awaitMore("closed", 0);
        System.out.printf(
                "ReplicaReadersTest: seed %d; commits, p50, p99, max (us) of the writer, first %s,"
                        + " without readers %s, starting them %s, with three %s; these saw %d sums,"
                        + " %d commits, %d evictions, ages of up to %d ms in all%n",
                seed, settling, without, before, with, seen[0], seen[1], seen[2], seen[3]);
        assertThat(seen[0]).as("sums").isPositive();
        assertThat(seen[1]).as("commits that were waited for").isPositive();
        children.forEach(
                child -> assertThat(child.told).noneMatch(line -> line.startsWith("wrong")));
    }

    private static long seed() {
        return Long.getLong("readers.seed", new Random().nextLong() >>> 16);
    }

    /**
     * Its copy can be read when this returns.
     *
     * @param audience those are told of its commits
     */
    private Child startWriter(List<Child> audience) {
        site("40", "1M");
        Child writer =
                new Child(
                        line -> {
                            if (line.startsWith("committed")) {
                                audience.forEach(each -> each.tell(line));
                            }
                        },
                        WriterProgram.class,
                        pool);
        await("a copy", () -> Files.exists(copy.resolveSibling("copy.part0.readers")));
        openWhenReadable().close();
        return writer;
    }

    /**
     * @param which goes on with the pool of the one before it
     */
    private Child bystander(int which) {
        Path own = machines.poolSet("here", "bystander" + which + ".set", SIZE);
        Child started = new Child(line -> {}, BystanderProgram.class, own);
        started.awaitMore("open", 0);
        return started;
    }

    private Child reader() {
        Child reader = new Child(line -> {}, ReaderProgram.class, copy);
        reader.awaitMore("open", 0);
        return reader;
    }

    private String figuresAfter(Child writer, Duration time) {
        pass(time);
        int before = writer.count("figures");
        writer.tell("figures");
        return writer.awaitMore("figures", before).substring("figures ".length());
    }

    private static void pass(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        await("time to pass", () -> System.nanoTime() - until >= 0, time.plus(BOUND));
    }

    private static void await(String what, Callable<Boolean> condition, Duration bound) {
        Awaitility.await(what).pollInterval(Duration.ofMillis(10)).atMost(bound).until(condition);
    }

    /** Kills readers, and stops others for a while. */
    private String disturb(
            Child writer,
            List<Child> readers,
            IntFunction<Child> maker,
            Duration time,
            Random random) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            pass(Duration.ofMillis(100 + random.nextInt(700)));
            int which = random.nextInt(readers.size());
            Child reader = readers.get(which);
            if (random.nextBoolean()) {
                reader.process.destroyForcibly();
                reader.awaitEnd();
                readers.set(which, maker.apply(which));
            } else {
                Machines.signal("STOP", reader.process.toHandle());
                pass(Duration.ofMillis(random.nextInt(400)));
                Machines.signal("CONT", reader.process.toHandle());
            }
            assertThat(reader.isWrong()).as("%s", reader.told).isFalse();
        }
        return figuresAfter(writer, Duration.ZERO);
    }

    private ReplicaPool openWhenReadable() {
        long until = System.nanoTime() + BOUND.toNanos();
        while (true) {
            try {
                return ObjectPool.openReplica(copy, Accounts.LAYOUT);
            } catch (FarheapException e) {
                if (System.nanoTime() - until > 0) {
                    throw e;
                }
                pass(Duration.ofMillis(20));
            }
        }
    }

    // ---- one reader in this process ----

    @Test
    @Timeout(120)
    void oneWhoKnowsThePositionReadsWhatWasCommittedAndMayReadOn() {
        site("1000", "1M");
        try (ObjectPool writer = writer();
                ReplicaPool reader = ObjectPool.openReplica(copy, Accounts.LAYOUT)) {
            Accounts.move(writer, 7, new Random(1));
            PoolPosition position = writer.position();
            assertThat(reader.await(position, BOUND)).isTrue();
            assertThat(reader.<Long, RuntimeException>read(Accounts::number)).isEqualTo(7);
            assertThat(reader.poolId()).isEqualTo(writer.poolId());
            List<Ref> objects = new ArrayList<>();
            writer.objects().forEach(objects::add);
            List<Ref> found =
                    reader.read(
                            view -> {
                                List<Ref> all = new ArrayList<>();
                                view.objects().forEach(all::add);
                                return all;
                            });
            assertThat(found).containsExactlyElementsOf(objects).hasSize(2);
            for (Ref object : objects) {
                assertThat(reader.<byte[], RuntimeException>read(v -> v.readBytes(object, 8, 4080)))
                        .isEqualTo(writer.readBytes(object, 8, 4080));
                assertThat(reader.<Long, RuntimeException>read(v -> v.usableSize(object)))
                        .isEqualTo(writer.usableSize(object));
            }
            long sum =
                    reader.read(Duration.ofSeconds(5), BOUND, view -> Accounts.sum(view, () -> {}));
            assertThat(sum).isEqualTo(Accounts.TOTAL);
            assertThat(
                            reader.await(
                                    new PoolPosition(position.number(), Long.MAX_VALUE),
                                    Duration.ofMillis(50)))
                    .isFalse();
        }
    }

    @Test
    @Timeout(120)
    void whatIsNotThereIsRefusedAsByThePool() {
        site("1000", "1M");
        try (ObjectPool writer = writer();
                ReplicaPool reader = ObjectPool.openReplica(copy, Accounts.LAYOUT)) {
            Ref object = writer.objects().iterator().next();
            assertThat(reader.await(writer.position(), BOUND)).isTrue();
            Ref inside = new Ref(object.poolId(), object.offset() + 8);
            reader.read(
                    view -> {
                        refuses(() -> view.getLong(Ref.NULL, 0), "null");
                        refuses(() -> view.getLong(inside, 0), "no allocated object starts at");
                        refuses(() -> view.getLong(object, 1L << 30), "outside of the object");
                        refuses(() -> view.getLong(object, -8), "outside of the object");
                        refuses(
                                () -> view.getLong(new Ref(1, object.offset()), 0),
                                "leads into pool");
                        refuses(() -> view.raw().getLong(1L << 50, 0), "");
                        refuses(() -> view.raw().getLong(-1, 0), "");
                        return null;
                    });
            var ended = reader.read(view -> view);
            refuses(ended::root, "has ended");
        }
    }

    private static void refuses(Runnable read, String words) {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContaining(words);
    }

    private ObjectPool writer() {
        PoolOptions options =
                PoolOptions.builder()
                        .replication("RPMEM_SSH", machines.settings().remoteShell())
                        .replication("RPMEM_CMD", "exec " + machines.agentCommand())
                        .replication("FARHEAP_HEARTBEAT", "2s")
                        .build();
        ObjectPool writer =
                ObjectPool.at(pool).layout(Accounts.LAYOUT).options(options).openOrCreate();
        Accounts.create(writer);
        return writer;
    }

    // ---- what can't be read ----

    @Test
    @Timeout(120)
    @Tag("deep")
    void withoutAnAgentNobodyReadsAndWithTheNextOneWhoWasThereReadsOn() {
        site("1000", "1M");
        ReplicaPool reader;
        try (ObjectPool writer = writer()) {
            reader = ObjectPool.openReplica(copy, Accounts.LAYOUT);
            long unused = reader.read(Accounts::number);
        }
        await("the agent's end", () -> !machines.isBusy("there"));
        cannotRead(() -> reader.read(Accounts::number), "has no agent now");
        cannotRead(() -> reader.await(new PoolPosition(Long.MAX_VALUE, 0), BOUND), "no agent now");
        for (int i = 0; i < 130; i++) { // more than can read
            cannotRead(
                    () -> ObjectPool.openReplica(copy, Accounts.LAYOUT).close(),
                    "has no agent now");
        }
        try (ObjectPool writer = writer()) {
            Accounts.move(writer, 5, new Random(2));
            assertThat(reader.await(writer.position(), BOUND)).isTrue();
            assertThat(reader.<Long, RuntimeException>read(Accounts::number)).isEqualTo(5);
            ObjectPool.openReplica(copy, Accounts.LAYOUT).close();
            sumUpWhileMoneyMoves(writer, reader);
        }
        reader.close();
        reader.close();
        assertThatThrownBy(() -> reader.read(Accounts::number)).hasMessageContaining("was closed");
    }

    /** In the view before these the reader was refused. */
    private static void sumUpWhileMoneyMoves(ObjectPool writer, ReplicaPool reader) {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> moves =
                CompletableFuture.runAsync(
                        () -> {
                            Random random = new Random(3);
                            for (long number = 6; !over.get(); number++) {
                                Accounts.move(writer, number, random);
                            }
                        });
        for (int i = 0; i < 200; i++) {
            long sum = reader.read(view -> Accounts.sum(view, () -> LockSupport.parkNanos(MILLI)));
            assertThat(sum).isEqualTo(Accounts.TOTAL);
        }
        over.set(true);
        moves.join();
    }

    /** Nobody has closed anything: of the words that readers look at, all say that it follows. */
    @Test
    @Timeout(120)
    @Tag("deep")
    void whereTheAgentWasKilledNobodyReads() {
        site("1000", "1M");
        ObjectPool writer = writer();
        try (ReplicaPool reader = ObjectPool.openReplica(copy, Accounts.LAYOUT)) {
            long unused = reader.read(Accounts::number);
            machines.killAll("there");
            await("the notice of that", () -> isRefused(() -> reader.read(Accounts::number)));
            cannotRead(() -> reader.read(Accounts::number), "has no agent now");
            cannotRead(
                    () -> ObjectPool.openReplica(copy, Accounts.LAYOUT).close(),
                    "has no agent now");
        } finally {
            writer.close();
        }
    }

    private static boolean isRefused(Runnable read) {
        try {
            read.run();
            return false;
        } catch (FarheapException e) {
            return true;
        }
    }

    @Test
    @Timeout(120)
    void oneThatIsPromotedMeanwhileEndsReadingForGood() {
        site("1000", "1M");
        ObjectPool writer = writer();
        try (ReplicaPool reader = ObjectPool.openReplica(copy, Accounts.LAYOUT)) {
            var promoted = Promotion.of(copy).run("a test", true, 0);
            assertThat(promoted.runId()).isPositive();
            cannotRead(
                    () -> reader.read(Accounts::number),
                    "has become a pool of its own: it was promoted");
            cannotRead(
                    () -> ObjectPool.openReplica(copy, Accounts.LAYOUT).close(),
                    "has become a pool of its own");
        } finally {
            writer.close();
        }
    }

    @Test
    @Timeout(120)
    @Tag("deep")
    void filesThatAreNoReplicaOrOfAnotherPoolAreRefused() throws IOException {
        site("1000", "1M");
        Path readers = copy.resolveSibling("copy.part0.readers");
        try (ObjectPool writer = writer()) {
            assertThatThrownBy(() -> ObjectPool.openReplica(copy, "another"))
                    .hasMessageContaining("wrong layout (\"another\")");
            cannotRead(() -> ObjectPool.openReplica(pool, null).close(), "There is no");
            Path alone = machines.poolSet("here", "alone.set", SIZE);
            ObjectPool.create(alone, "alone").close();
            cannotRead(() -> ObjectPool.openReplica(alone, null).close(), "There is no");
            Files.copy(readers, alone.resolveSibling("alone.part0.readers"));
            assertThatThrownBy(() -> ObjectPool.openReplica(alone, null))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("belongs to another pool");
            assertThatThrownBy(() -> ObjectPool.openReplica(readers.resolveSibling("no.set"), null))
                    .hasMessageContaining("No such file");
        }
    }

    private static void cannotRead(Runnable read, String words) {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                .hasMessageContaining(words);
    }
}
