package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.base.ScrubResult;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.support.Machines;
import io.farheap.layout.Descriptor;
import io.farheap.metrics.PoolBean;
import io.farheap.metrics.PoolMetrics;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Limits;
import io.farheap.replication.status.ProgramStatus;
import io.farheap.replication.status.StatusFile;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool is compared with its replicas while commits go on, with real agents. */
@Tag("deep")
@Timeout(300)
class ScrubTest {
    private static final String LAYOUT = "scrub";
    private static final long TYPE = 7;
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long QUIET_BYTES = 600_000;
    private static final int ROUNDS = 20;
    private static final long APPLIED = 0x600d_600d_600d_600dL;
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final Machines machines = Machines.with("near", "far");
    private final Path set =
            machines.poolSet("here", "bank.set", "20M", "near copy.set", "far copy.set");
    private final Path far = machines.machine("far").resolve("copy.part0");

    @BeforeEach
    void writeTargets() {
        machines.poolSet("near", "copy.set", "20M");
        machines.poolSet("far", "copy.set", "20M");
        pace("off");
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private void pace(String value) {
        machines.write(set.resolveSibling("bank.set.replication"), "scrub = " + value + "\n");
    }

    private ObjectPool open() throws Exception {
        ReplicationSettings settings =
                machines.settings()
                        .withPolicies(new ReplicaPolicies(ReplicaPolicy.DEGRADE, Map.of()));
        Path alone = machines.here().resolve("alone.set");
        if (!alone.toFile().exists()) {
            machines.write(alone, "PMEMPOOLSET\n20M " + machines.here() + "/bank.part0\n");
            ObjectPool.create(alone, LAYOUT).close();
        }
        ObjectPool opened =
                ClassPathReplicas.replacedBy(
                        pool -> RemoteReplication.attach(pool, AttachOptions.NONE, settings),
                        () -> ObjectPool.open(set, LAYOUT));
        // One that took too long at open comes by itself.
        await().until(
                        () ->
                                opened.replicas().stream()
                                        .allMatch(replica -> replica.state() == State.ATTACHED));
        return opened;
    }

    /** An object that nobody changes any more, and that the replica's image has whole. */
    private Ref quiet(ObjectPool pool) {
        Ref object =
                pool.compute(
                        tx -> {
                            Ref fresh = tx.allocate(QUIET_BYTES, TYPE);
                            for (long at = 0; at + 8 <= QUIET_BYTES; at += 8) {
                                tx.setLong(fresh, at, at * 31);
                            }
                            return fresh;
                        });
        // What is only in the journal yet would be copied over a bit that a test flips. Records are
        // applied one after the other: with the next one's the object is there.
        pool.transaction(tx -> tx.setLong(object, 0, APPLIED));
        await().until(() -> longAt(far, object.offset()) == APPLIED);
        return object;
    }

    private static long longAt(Path file, long offset) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
            open.seek(offset);
            return Long.reverseBytes(open.readLong());
        }
    }

    private static void flipBit(Path file, long offset) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(offset);
            int value = open.read();
            open.seek(offset);
            open.write(value ^ 4);
        }
    }

    @Test
    void underLoadNothingDiffers() throws Exception {
        try (ObjectPool pool = open()) {
            Ref object = quiet(pool);
            ChangingObjects load = new ChangingObjects(pool, 5000, 200_000);
            load.awaitMore(300);
            long begin = System.nanoTime();
            long compared = 0;
            long busy = 0;
            int rounds = 0;
            while (System.nanoTime() - begin < RUN_NANOS) {
                ScrubResult result = pool.scrub();
                assertThat(result.differences()).isEmpty();
                assertThat(result.notCompared()).isEmpty();
                compared += result.comparedBytes();
                busy += result.busyBytes();
                rounds++;
            }
            load.end();
            System.out.println(
                    rounds
                            + " rounds, "
                            + compared
                            + " bytes compared, "
                            + busy
                            + " busy, "
                            + load.commits()
                            + " commits, quiet object at "
                            + object.offset());
            ScrubResult still = pool.scrub();
            assertThat(still.differences()).isEmpty();
            assertThat(still.busyBytes()).as("nobody commits").isZero();
        }
    }

    private ProgramStatus said() {
        return StatusFile.read(machines.here().resolve("bank.part0.status")).orElseThrow();
    }

    private long comparedMillis() {
        return said().comparedMillis();
    }

    @Test
    void whenAllWereComparedIsSaid() throws Exception {
        long before = System.currentTimeMillis();
        try (ObjectPool pool = open()) {
            assertThat(comparedMillis()).as("the background has a rest").isZero();
            await().until(() -> pool.scrub().notCompared().isEmpty());
            await().until(() -> comparedMillis() >= before);
            machines.takeDown("far");
            machines.killAll("far");
            await().until(() -> pool.replicas().get(1).state() != State.ATTACHED);
            long then = comparedMillis();
            // On a busy machine the other one can be away for a moment, too.
            assertThat(pool.scrub().notCompared()).contains("far copy.set");
            long after = System.currentTimeMillis();
            pool.transaction(tx -> tx.allocate(64, TYPE));
            await().until(() -> said().writtenMillis() >= after);
            assertThat(comparedMillis()).as("one is missing").isEqualTo(then);
        }
    }

    @Test
    void metersAndTheBeanSayWhenAllWereCompared() throws Exception {
        ObjectName name = new ObjectName("io.farheap:type=Pool,name=\"bank\"");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        long before = System.currentTimeMillis();
        try (ObjectPool pool = open();
                PoolBean bean = PoolBean.register(pool, "bank");
                PoolMetrics metrics = new PoolMetrics(pool, "bank")) {
            assertThat(bean).isNotNull();
            metrics.bindTo(registry);
            assertThat(server.getAttribute(name, "ComparedTimeSeconds")).isEqualTo(-1L);
            await().until(() -> pool.scrub().notCompared().isEmpty());
            await().until(() -> pool.compared().isPresent());
            long millis = pool.compared().orElseThrow().toEpochMilli();
            assertThat(millis).isBetween(before, System.currentTimeMillis());
            assertThat(registry.get("farheap.pool.compared.time").gauge().value())
                    .isEqualTo(millis / 1000.0);
            assertThat(server.getAttribute(name, "ComparedTimeSeconds")).isEqualTo(millis / 1000);
            assertThat(((TabularData) server.getAttribute(name, "ReplicaDifferences")).size())
                    .isEqualTo(pool.replicas().size());
        }
    }

    @Test
    void theBackgroundSaysItTooWhenItsRoundIsWhole() throws Exception {
        pace("256M");
        long before = System.currentTimeMillis();
        try (ObjectPool pool = open()) {
            await().until(() -> comparedMillis() >= before);
            long first = comparedMillis();
            await().until(() -> comparedMillis() > first);
            assertThat(pool.replicas()).allMatch(copy -> copy.differences().isEmpty());
        }
    }

    @Test
    void aFlippedBitIsFoundUnderLoadAndRepairedByOrder() throws Exception {
        long at;
        try (ObjectPool pool = open();
                RecordingStream events = new RecordingStream()) {
            List<String> seen = new ArrayList<>();
            events.onEvent(
                    "io.farheap.Difference",
                    event -> seen.add(event.getString("replica") + " " + event.getLong("offset")));
            events.startAsync();
            Ref object = quiet(pool);
            ChangingObjects load = new ChangingObjects(pool, 5000, 200_000);
            load.awaitMore(300);
            assertThat(pool.scrub().differences()).isEmpty();
            at = object.offset() + 123_457;
            ReplicaDifference difference = new ReplicaDifference("far copy.set", at, 1);

            flipBit(far, at);
            assertThat(pool.scrub().differences()).containsExactly(difference);
            load.awaitMore(50);
            assertThat(pool.scrub().differences()).containsExactly(difference);
            load.end();

            ReplicaStatus status = pool.replicas().get(1);
            assertThat(status.state()).isEqualTo(State.ATTACHED);
            assertThat(status.differences()).containsExactly(difference);
            assertThat(status.nextStep()).contains("farheap sync --overwrite \"far copy.set\"");
            assertThat(pool.replicas().get(0).differences()).isEmpty();
            await().untilAsserted(
                            () -> assertThat(farheap(5, "status")).contains("different: it has"));
            events.stop();
            assertThat(seen).containsExactly("far copy.set " + at);
        }
        farheap(0, "sync", "-y", "--overwrite", "far copy.set");
        try (ObjectPool pool = open()) {
            assertThat(pool.scrub().differences()).isEmpty();
            assertThat(pool.replicas().get(1).nextStep()).isEmpty();
        }
    }

    private String farheap(int exitCode, String... words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.add(set.toString());
        Process process = machines.farheap(arguments.toArray(String[]::new)).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isEqualTo(exitCode);
        return out;
    }

    @Test
    void freeMemoryDoesNotCount() throws Exception {
        try (ObjectPool pool = open()) {
            Ref object = quiet(pool);
            pool.transaction(tx -> tx.free(object));
            flipBit(far, object.offset() + 100_000);
            flipBit(far, (19 << 20) + 5);
            assertThat(pool.scrub().differences()).isEmpty();
        }
    }

    @Test
    void inTheBackgroundItTakesItsTime() throws Exception {
        pace("256K");
        try (ObjectPool pool = open()) {
            long begin = System.nanoTime();
            Ref object = quiet(pool);
            long at = object.offset() + 400_000;
            flipBit(far, at);
            await().until(() -> !pool.replicas().get(1).differences().isEmpty());
            double seconds = (System.nanoTime() - begin) / 1e9;
            long piecesBefore = (at - HEAP) / Limits.MAX_SUM_BYTES; // each takes a second
            assertThat(piecesBefore).isPositive();
            assertThat(seconds).isGreaterThan(0.8 * piecesBefore);
        }
    }

    @Test
    void inTheBackgroundItFindsTheSame() throws Exception {
        pace("64M");
        try (ObjectPool pool = open()) {
            Ref object = quiet(pool);
            flipBit(far, object.offset() + 17);
            await().until(() -> !pool.replicas().get(1).differences().isEmpty());
            assertThat(pool.replicas().get(1).differences())
                    .containsExactly(
                            new ReplicaDifference("far copy.set", object.offset() + 17, 1));
            flipBit(far, object.offset() + 17);
            await().until(() -> pool.replicas().get(1).differences().isEmpty());
        }
    }

    /** It goes on for ever, and what it leaves behind makes the collector stop commits. */
    @Test
    void aComparisonLeavesLittleGarbage() throws Exception {
        try (ObjectPool pool = open()) {
            Ref unused = quiet(pool);
            long compared = pool.scrub().comparedBytes(); // warms up
            long before = allocated();
            for (int i = 0; i < ROUNDS; i++) {
                compared = pool.scrub().comparedBytes();
            }
            double perByte = (double) (allocated() - before) / ROUNDS / compared;
            assertThat(perByte).isPositive().isLessThan(0.03);
        }
    }

    /** Bytes, by the threads that compare and read what agents answer. */
    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread.getThreadName().matches("farheap-(scrub|control.*)"))
                .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.getThreadId()))
                .sum();
    }

    @Test
    void aReplicaThatIsLostMeanwhileIsNotCompared() throws Exception {
        try (ObjectPool pool = open()) {
            ChangingObjects load = new ChangingObjects(pool, 5000, 200_000);
            load.awaitMore(100);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            AtomicBoolean stop = new AtomicBoolean();
            AtomicLong rounds = new AtomicLong();
            AtomicLong partly = new AtomicLong();
            Thread scrubbing =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            while (!stop.get()) {
                                                ScrubResult result = pool.scrub();
                                                assertThat(result.differences()).isEmpty();
                                                partly.addAndGet(result.notCompared().size());
                                                rounds.incrementAndGet();
                                            }
                                        } catch (RuntimeException | AssertionError e) {
                                            failure.set(e);
                                        }
                                    });
            machines.takeDown("far");
            Machines.signal("KILL", machines.agentOf(far));
            await().until(() -> partly.get() > 0 || failure.get() != null);
            machines.bringUp("far");
            await().until(() -> pool.replicas().get(1).state() == State.ATTACHED);
            long before = rounds.get();
            await().until(() -> rounds.get() > before + 2 || failure.get() != null);
            stop.set(true);
            scrubbing.join();
            load.end();
            assertThat(failure.get()).isNull();
            ScrubResult last = pool.scrub();
            assertThat(last.notCompared()).isEmpty();
            assertThat(last.differences()).isEmpty();
        }
    }
}
