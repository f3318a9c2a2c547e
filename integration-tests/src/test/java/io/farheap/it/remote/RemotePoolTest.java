package io.farheap.it.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.it.support.Machines;
import io.farheap.poolset.RemoteReplica;
import io.farheap.remote.PersistMode;
import io.farheap.remote.RemoteLane;
import io.farheap.remote.RemotePool;
import io.farheap.remote.RemotePoolAttributes;
import io.farheap.remote.RemotePoolOptions;
import io.farheap.remote.RemoveOption;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Remote pools from making to removal, with real agents; and what is refused, and how. */
@Timeout(300)
class RemotePoolTest {
    private static final int SIZE = 4 << 20;
    private static final long BEGIN = 4096;
    private static final int LANES = 3;

    private final long seed = new Random().nextLong() >>> 16;
    private final Machines machines = Machines.with("there");
    private final MemorySegment memory = Arena.ofAuto().allocate(SIZE, 4096);

    @AfterEach
    void endAll() {
        machines.close();
    }

    /** No agent, and no program, is slow here in the eyes of the other. */
    @BeforeEach
    void giveThemTime() {
        machines.configure("there", "journal-size = 1M", "heartbeat-bound = 60000");
    }

    private RemotePoolOptions options() {
        Duration bound = Duration.ofSeconds(60);
        return machines.remotePoolOptions(bound, bound, Duration.ofSeconds(10))
                .withLanes(LANES)
                .withMaxLanes(8);
    }

    private RemotePool create(String set, String signature) {
        return RemotePool.create(
                "there", set, memory, RemotePoolAttributes.of(signature), options());
    }

    private RemotePool open(String set) {
        return RemotePool.open("there", set, memory, options());
    }

    @Test
    void whatSeveralLanesPersistAtOnceIsThereInTheNextRunAndInTheTargetsFile() throws Exception {
        machines.poolSet("there", "data.set", "8M");
        MemorySegment copy = Arena.ofAuto().allocate(SIZE);
        try (RemotePool pool = create("data.set", "DATA")) {
            assertThat(pool.lanes()).isEqualTo(LANES);
            assertThat(pool.size()).isEqualTo(SIZE);
            assertThat(pool.remoteSize()).isEqualTo(8 << 20);
            persistByThreads(pool);
            pool.lane(1).read(copy, 0, SIZE);
            assertSame(copy);
        }
        assertSame(fileOf("data.part0"));

        try (RemotePool pool = open("data.set")) {
            copy.fill((byte) 0);
            pool.lane(0).read(copy, 0, SIZE);
            assertSame(copy);
        }
    }

    private void persistByThreads(RemotePool pool) throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        long share = (SIZE - BEGIN) / LANES;
        for (int t = 0; t < LANES; t++) {
            RemoteLane lane = pool.lane(t);
            Random random = new Random(seed + t);
            long begin = BEGIN + t * share;
            Thread thread = new Thread(() -> persistMuch(lane, random, begin, share), "lane " + t);
            thread.setUncaughtExceptionHandler(
                    (failed, why) -> {
                        synchronized (failures) {
                            failures.add(why);
                        }
                    });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).as("seed " + seed).isEmpty();
    }

    /** Short ones and some that are longer than the target's whole journal, of 1 MiB. */
    private void persistMuch(RemoteLane lane, Random random, long begin, long length) {
        fill(random, begin, length);
        lane.persist(begin, length, PersistMode.RELAXED);
        for (int i = 0; i < 300; i++) {
            int bytes = 1 + random.nextInt(3000);
            long at = begin + random.nextInt((int) length - bytes);
            fill(random, at, bytes);
            switch (random.nextInt(4)) {
                case 0 -> lane.persist(at, bytes);
                case 1 -> lane.deepPersist(at, bytes);
                default -> lane.flush(at, bytes);
            }
        }
        lane.drain();
    }

    private void fill(Random random, long at, long length) {
        byte[] bytes = new byte[(int) length];
        random.nextBytes(bytes);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    /** Behind the header. */
    private void assertSame(MemorySegment copy) {
        assertThat(MemorySegment.mismatch(memory, BEGIN, SIZE, copy, BEGIN, SIZE))
                .as("first difference, seed " + seed)
                .isEqualTo(-1);
    }

    private MemorySegment fileOf(String part) throws IOException {
        try (FileChannel file = FileChannel.open(machines.machine("there").resolve(part))) {
            return file.map(FileChannel.MapMode.READ_ONLY, 0, SIZE, Arena.ofAuto());
        }
    }

    @Test
    void flushesWithoutADrainNeverStickAndAreReadByTheirLane() {
        machines.poolSet("there", "data.set", "8M");
        try (RemotePool pool = create("data.set", "DATA")) {
            RemoteLane lane = pool.lane(0);
            for (int i = 0; i < 20_000; i++) { // more than may be under way
                memory.set(ValueLayout.JAVA_INT, BEGIN + 4L * (i % 1000), i);
                lane.flush(BEGIN + 4L * (i % 1000), 4);
            }
            MemorySegment read = Arena.ofAuto().allocate(4000);
            lane.read(read, BEGIN, 4000);
            for (int i = 0; i < 1000; i++) {
                assertThat(read.get(ValueLayout.JAVA_INT, 4L * i)).isEqualTo(19_000 + i);
            }
        }
    }

    @Test
    @Tag("deep")
    void attributesAreKeptReplacedAndRemovedWithThePool() throws IOException {
        machines.write(
                machines.machine("there").resolve("two.set"),
                "PMEMPOOLSET\n5M %1$s/two.0\n5M %1$s/two.1\n".formatted(machines.machine("there")));
        RemotePoolAttributes made =
                RemotePoolAttributes.of("THINGS")
                        .withMajor(7)
                        .withFeatures(5, 2, 9)
                        .withUserFlags("0123456789abcdef".getBytes("US-ASCII"));
        RemotePool.create("there", "two.set", memory, made, options()).close();
        RemotePoolAttributes other =
                RemotePoolAttributes.of("OTHERS").withUuids(uuid(1), uuid(2), uuid(3), uuid(4));
        try (RemotePool pool = open("two.set")) {
            assertThat(pool.attributes()).isEqualTo(made);
            assertThat(pool.attributes().signature()).startsWith((byte) 'T').endsWith((byte) 0);
            assertThat(pool.attributes().major()).isEqualTo(7);
            assertThat(pool.attributes().compatFeatures()).isEqualTo(5);
            assertThat(pool.attributes().incompatFeatures()).isEqualTo(2);
            assertThat(pool.attributes().roCompatFeatures()).isEqualTo(9);
            assertThat(pool.attributes().userFlags()).asHexString().startsWith("3031");
            assertRefused(
                    Code.BAD_MESSAGE,
                    () -> pool.setAttributes(made.withFeatures(0, 1, 0)),
                    "OPTION SINGLEHDR");
            assertThat(pool.attributes()).isEqualTo(made);
            pool.setAttributes(other);
            assertThat(pool.attributes()).isEqualTo(other);
            pool.lane(0).persist(BEGIN, 10); // which goes on
        }
        try (RemotePool pool = open("two.set")) {
            assertThat(pool.attributes()).isEqualTo(other);
            assertThat(pool.attributes().poolsetUuid()).isEqualTo(uuid(1));
            assertThat(pool.attributes().uuid()).isEqualTo(uuid(2));
            assertThat(pool.attributes().previousUuid()).isEqualTo(uuid(3));
            assertThat(pool.attributes().nextUuid()).isEqualTo(uuid(4));
        }

        RemotePool.remove("there", "two.set", options());
        assertThat(filesThere()).contains("two.set").doesNotContain("two.0", "two.0.journal");
        assertRefused(Code.NOT_FOUND, () -> open("two.set"), "has no files");
        assertRefused(
                Code.NOT_FOUND,
                () -> RemotePool.remove("there", "two.set", options()),
                "has no files");
        create("two.set", "AGAIN").close();
        RemotePool.remove("there", "two.set", options(), RemoveOption.FORCE, RemoveOption.POOL_SET);
        assertThat(filesThere()).noneMatch(name -> name.matches("two\\.(set|0|1|0\\.journal)"));
    }

    private static byte[] uuid(int number) {
        byte[] uuid = new byte[RemotePoolAttributes.UUID_BYTES];
        Arrays.fill(uuid, (byte) number);
        return uuid;
    }

    private List<String> filesThere() throws IOException {
        try (var files = Files.list(machines.machine("there"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static void assertRefused(Code code, Runnable call, String sentence) {
        RefusedException refusal = catchThrowableOfType(RefusedException.class, call::run);
        assertThat(refusal).hasMessageContaining(sentence);
        assertThat(refusal.code()).isEqualTo(code);
    }

    private static void assertWrong(Runnable call, String sentence) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContaining(sentence);
    }

    @Test
    void wrongArgumentsAreRefusedHere() {
        machines.poolSet("there", "data.set", "8M");
        RemotePool pool = create("data.set", "DATA");
        try (pool) {
            RemoteLane lane = pool.lane(0);
            assertWrong(() -> lane.persist(BEGIN - 1, 1), "what is before it is the target's");
            assertWrong(() -> lane.flush(0, 8), "what is before it is the target's");
            assertWrong(() -> lane.persist(SIZE, 1), "not in the remote pool's memory");
            assertWrong(() -> lane.persist(BEGIN, SIZE - BEGIN + 1), "not in the remote pool's");
            assertWrong(() -> lane.persist(BEGIN, -1), "not in the remote pool's memory");
            assertWrong(() -> lane.persist(Long.MAX_VALUE, 8), "not in the remote pool's memory");
            assertWrong(() -> lane.persist(BEGIN, 8, null), "no mode");
            assertWrong(() -> lane.read(memory, SIZE - 8, 9), "not in the remote pool's memory");
            assertWrong(() -> lane.read(memory.asSlice(0, 8), 0, 9), "read into 8 bytes");
            assertWrong(() -> pool.lane(LANES), "there is no lane 3: 3 were granted");
            assertWrong(() -> pool.lane(-1), "there is no lane -1");
            lane.persist(BEGIN, 0);
            lane.drain();
        }
        pool.close();
        assertWrong(() -> pool.lane(0).persist(BEGIN, 1), "is closed");
        assertWrong(() -> pool.lane(0).drain(), "is closed");
        assertWrong(() -> pool.setAttributes(pool.attributes()), "is closed");
        assertWrong(
                () -> RemotePool.open("a@@b:x", "data.set", memory, options()),
                "\"a@@b:x\" names no target");
        assertWrong(
                () -> RemotePool.open("there", "data.set", memory.asSlice(0, 8191), options()),
                "a multiple of 4096");
        assertWrong(
                () -> RemotePool.open("there", "data.set", memory.asSlice(0, 4096), options()),
                "at least 8192");
        assertWrong(() -> options().withLanes(0), "number of lanes must be positive");
        assertWrong(() -> RemotePoolAttributes.of("PMEMOBJ"), "not PMEMOBJ");
        assertWrong(() -> RemotePoolAttributes.of("ninechars"), "1 to 8 characters");
    }

    @Test
    @Tag("deep")
    void whatTheTargetRefusesHasACodeAndSaysWhatToDo() throws Exception {
        machines.poolSet("there", "data.set", "8M");
        machines.write(
                machines.machine("there").resolve("bare.set"),
                "PMEMPOOLSET\nOPTION NOHDRS\n8M " + machines.machine("there") + "/bare\n");
        assertRefused(Code.BAD_NAME, () -> open("/etc/passwd"), "/etc/passwd");
        assertRefused(Code.NOT_FOUND, () -> open("none.set"), "none.set");
        MemorySegment large = Arena.ofAuto().allocate(9 << 20);
        RemotePoolAttributes any = RemotePoolAttributes.of("ANY");
        assertRefused(
                Code.BAD_POOLSET,
                () -> RemotePool.create("there", "data.set", large, any, options()),
                "larger parts");
        assertRefused(Code.BAD_POOLSET, () -> create("bare.set", "DATA"), "NOHDRS");
        try (RemotePool holder = create("data.set", "DATA")) {
            try (RemotePool next =
                    RemotePool.open("there", "data.set", memory, options().withTakeOver(true))) {
                next.lane(0).persist(BEGIN, 8);
                assertThatThrownBy(() -> holder.lane(0).persist(BEGIN, 8))
                        .isInstanceOf(FarheapException.class)
                        .hasMessageContaining("remote memory there data.set")
                        .hasMessageContaining("close it and open it again");
                assertThatThrownBy(() -> holder.lane(1).read(memory, 0, 8))
                        .hasMessageContaining("close it and open it again");
            }
        }
        assertRefused(
                Code.EXISTS, () -> create("data.set", "DATA"), "Open it, or name another poolset");
        machines.takeDown("there");
        assertThatThrownBy(() -> open("data.set"))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.REPLICA))
                .hasMessageContaining("No route to host");
    }

    /** A pool's replica, and what its poolset file is called with. */
    @Test
    @Tag("deep")
    void aPoolsReplicaAndAProgramsMemoryAreNeverTakenForEachOther() {
        machines.poolSet("there", "copy.set", "16M");
        machines.poolSet("there", "data.set", "16M");
        machines.set("FARHEAP_POLICY", "fail");
        Path set = machines.poolSet("here", "pool.set", "16M", "there copy.set");
        Process pool = run(machines.farheap("create", set.toString(), "--layout", "bank"));
        assertThat(pool.exitValue()).isZero();
        assertRefused(Code.WRONG_POOL, () -> open("copy.set"), "a pool's replica");
        assertRefused(Code.WRONG_POOL, () -> create("copy.set", "DATA"), "a pool's replica");

        try (RemotePool made = create("data.set", "DATA")) {
            memory.set(ValueLayout.JAVA_LONG, BEGIN, 77);
            made.lane(0).persist(BEGIN, 8);
        }
        Path wrong = machines.poolSet("here", "pool.set", "16M", "there data.set");
        Process sync =
                run(machines.farheap("sync", "--overwrite", "there data.set", wrong.toString()));
        assertThat(sync.exitValue()).isNotZero();
        RemoteReplicaClient client =
                new RemoteReplicaClient(
                        RemoteReplica.at("there", "data.set").orElseThrow(),
                        0,
                        machines.settings());
        assertThatThrownBy(() -> client.promote(false)).hasMessageContaining("remote memory");
        try (RemotePool still = open("data.set")) {
            MemorySegment read = Arena.ofAuto().allocate(8);
            still.lane(0).read(read, BEGIN, 8);
            assertThat(read.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
        }
    }

    private static Process run(ProcessBuilder command) {
        try {
            Process process = command.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            int unused = process.waitFor();
            return process;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
