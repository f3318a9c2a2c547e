package io.farheap.replication.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.journal.RecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every fabric must do; the tests of each one inherit it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class FabricContract {
    protected static final int REGION = 4 << 20;
    protected static final int PUBLISHED = 4096;
    protected static final Duration BOUND = Duration.ofSeconds(20);

    /** Of one MiB each: several times what queues and sockets hold. */
    private static final int LONG_ANSWERS = 40;

    protected static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];

    static {
        new Random(1).nextBytes(SECRET);
    }

    protected final MemorySegment local = Arena.ofAuto().allocate(REGION, 64);
    protected final MemorySegment into = Arena.ofAuto().allocate(REGION, 64);
    protected final MemorySegment region = Arena.ofAuto().allocate(REGION, 64);
    protected final MemorySegment published = Arena.ofAuto().allocate(PUBLISHED, 64);
    protected final MemorySegment message = Arena.ofAuto().allocate(2048, 64);

    protected Fabric fabric;
    protected TargetListener listener;
    protected Connection connection;
    protected Endpoint target;

    /** The fabric under test. */
    protected abstract Fabric newFabric();

    /** An address of this machine that the fabric can listen on. */
    protected InetAddress machine() {
        return InetAddress.getLoopbackAddress();
    }

    @BeforeEach
    void connect() {
        fabric = newFabric();
        listener = listen();
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(BOUND));
        connection = fabric.connect(address(listener), SECRET, local, into, BOUND);
        target = accepted.join();
    }

    @AfterEach
    void close() {
        connection.close();
        target.close();
        listener.close();
    }

    protected final TargetListener listen() {
        return fabric.listen(machine(), 0, SECRET, region, published);
    }

    protected final InetSocketAddress address(TargetListener listener) {
        return new InetSocketAddress(machine(), listener.port());
    }

    @Test
    void initiatorLearnsTheSizesOfWhatItMayReach() {
        assertThat(connection.remoteBytes()).isEqualTo(REGION);
        assertThat(connection.publishedBytes()).isEqualTo(PUBLISHED);
    }

    @Test
    void nothingLeavesBeforeTheDoorbell() {
        connection.send(message, 0, 64);
        assertThat(target.await((m, at, length) -> {}, TimeUnit.MILLISECONDS.toNanos(30))).isZero();
        connection.post();
        assertThat(target.await((m, at, length) -> {}, BOUND.toNanos())).isEqualTo(1);
    }

    @Test
    void aMessageArrivesAfterAllThatWasPostedBefore() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 1; round <= 300; round++) {
            int length = 8 * (2 + random.nextInt(round % 50 == 0 ? 100_000 : 200));
            int at = random.nextInt(REGION - 2 * length) & -8;
            fill(local, at, length, round);
            while (!connection.canSend(8)) { // what the target took is learnt by polling
                connection.poll((m, offset, n) -> {});
            }
            connection.write(at, length / 2 & -8, at);
            connection.write(
                    at + (length / 2 & -8), length - (length / 2 & -8), at + (length / 2 & -8));
            message.set(RecordLayout.LONG, 0, round);
            connection.send(message, 0, 8);
            connection.post();
            long expected = round;
            AtomicInteger seen = new AtomicInteger();
            int done =
                    target.await(
                            (m, offset, n) -> {
                                assertThat(m.get(RecordLayout.LONG, offset)).isEqualTo(expected);
                                assertThat(region.asSlice(at, length))
                                        .as("seed %d round %d", seed, expected)
                                        .matches(s -> s.mismatch(local.asSlice(at, length)) == -1);
                                seen.incrementAndGet();
                            },
                            BOUND.toNanos());
            assertThat(done).isEqualTo(1);
            assertThat(seen).hasValue(1);
        }
    }

    @Test
    void answersComeInOrderAndTheMessageMayBeReusedAtOnce() {
        CompletableFuture<Void> served =
                serve(
                        1000,
                        (m, at, length) -> {
                            message.set(RecordLayout.LONG, 512, m.get(RecordLayout.LONG, at) * 2);
                            target.send(message, 512, 8);
                            target.post();
                        });
        List<Long> answers = new ArrayList<>();
        for (long i = 0; i < 1000; i++) {
            message.set(RecordLayout.LONG, 0, i);
            connection.send(message, 0, 8);
            if (i % 10 == 9) {
                connection.post();
                while (answers.size() <= i) {
                    int done =
                            connection.await(
                                    (m, at, n) -> answers.add(m.get(RecordLayout.LONG, at)),
                                    BOUND.toNanos());
                    assertThat(done).isPositive();
                }
            }
        }
        served.join();
        assertThat(answers).hasSize(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(answers.get(i)).isEqualTo(2L * i);
        }
    }

    @Test
    void readsSeeWhatWasWrittenBefore() {
        fill(local, 0, 200_000, 5);
        connection.write(0, 200_000, 1000);
        connection.read(1 << 20, 200_000, 1000);
        connection.read(2 << 20, 64, 1000);
        connection.post();
        assertThat(readsDone(2)).containsExactly(1L << 20, 2L << 20);
        assertThat(into.asSlice(1 << 20, 200_000).mismatch(local.asSlice(0, 200_000)))
                .isEqualTo(-1);
        assertThat(into.asSlice(2 << 20, 64).mismatch(local.asSlice(0, 64))).isEqualTo(-1);
    }

    /** What a commit posts whose durability the initiator reads. */
    @Test
    void whatIsPublishedIsReadBehindWritesWithTheSameDoorbell() {
        fill(local, 0, 4096, 5);
        fill(published, 0, 4096, 6);
        connection.write(0, 2048, REGION - 2048);
        connection.write(2048, 2048, 0);
        connection.read(8, 8, 2040);
        connection.readPublished(64, 40, PUBLISHED - 40);
        connection.post();
        assertThat(readsDone(2)).containsExactly(8L, 64L);
        assertThat(into.asSlice(8, 8).mismatch(local.asSlice(4088, 8))).isEqualTo(-1);
        assertThat(into.asSlice(64, 40).mismatch(published.asSlice(PUBLISHED - 40, 40)))
                .isEqualTo(-1);
        FabricCounters counters = connection.counters();
        assertThat(counters.workRequests()).isEqualTo(4);
        assertThat(counters.doorbells()).isEqualTo(1);
        assertThat(counters.completions()).isEqualTo(2);
    }

    @Test
    void readsWithoutWritesAndManyOfThemArriveInOrder() {
        fill(published, 0, 4096, 6);
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            connection.readPublished(64L * i, 64, 64L * i);
            expected.add(64L * i);
        }
        connection.post();
        assertThat(readsDone(7)).isEqualTo(expected);
        assertThat(into.asSlice(0, 448).mismatch(published.asSlice(0, 448))).isEqualTo(-1);
    }

    /** The offsets of that many READs, while somebody polls the target's end. */
    private List<Long> readsDone(int count) {
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> poller =
                CompletableFuture.runAsync(
                        () -> {
                            while (!stop.get()) {
                                target.await((m, at, n) -> {}, 5_000_000);
                            }
                        });
        List<Long> done = new ArrayList<>();
        while (done.size() < count) {
            int n = connection.await(readsInto(done), BOUND.toNanos());
            assertThat(n).isPositive();
        }
        stop.set(true);
        poller.join();
        return done;
    }

    private static CompletionHandler readsInto(List<Long> done) {
        return new CompletionHandler() {
            @Override
            public void received(MemorySegment m, long offset, int length) {
                throw new AssertionError("no message was sent");
            }

            @Override
            public void readDone(long localOffset, int length) {
                done.add(localOffset);
            }
        };
    }

    @Test
    void greatestMessagePassesAndNoGreaterOne() {
        MemorySegment big = Arena.ofAuto().allocate(Endpoint.MAX_MESSAGE_BYTES + 1, 64);
        fill(big, 0, Endpoint.MAX_MESSAGE_BYTES & -8, 3);
        AtomicInteger seen = new AtomicInteger();
        CompletableFuture<Void> served =
                serve(
                        3,
                        (m, at, length) -> {
                            assertThat(length).isEqualTo(Endpoint.MAX_MESSAGE_BYTES);
                            assertThat(m.asSlice(at, length).mismatch(big.asSlice(0, length)))
                                    .isEqualTo(-1);
                            seen.incrementAndGet();
                        });
        for (int i = 0; i < 3; i++) {
            connection.send(big, 0, Endpoint.MAX_MESSAGE_BYTES);
        }
        connection.post();
        while (!served.isDone()) {
            connection.poll((m, at, n) -> {});
        }
        served.join();
        assertThat(seen).hasValue(3);
        assertThatThrownBy(() -> connection.send(big, 0, Endpoint.MAX_MESSAGE_BYTES + 1))
                .isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> connection.send(big, 0, 0)).isInstanceOf(FarheapException.class);
    }

    @Test
    void slowReaderMakesTheSenderWaitAndLosesNothing() {
        MemorySegment big = Arena.ofAuto().allocate(1 << 20, 64);
        int sent = 0;
        while (connection.canSend(1 << 20) && sent < 1000) {
            big.set(RecordLayout.LONG, 0, sent);
            connection.send(big, 0, 1 << 20);
            connection.post();
            sent++;
        }
        assertThat(sent).isBetween(3, 999);
        assertThatThrownBy(() -> connection.send(big, 0, 1 << 20))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("poll before posting more");
        AtomicInteger next = new AtomicInteger();
        CompletableFuture<Void> served =
                serve(
                        sent + 20,
                        (m, at, length) ->
                                assertThat(m.get(RecordLayout.LONG, at))
                                        .isEqualTo(next.getAndIncrement()));
        int all = sent + 20;
        while (!served.isDone()) {
            connection.poll((m, at, n) -> {});
            if (sent < all && connection.canSend(1 << 20)) {
                big.set(RecordLayout.LONG, 0, sent++);
                connection.send(big, 0, 1 << 20);
                connection.post();
            }
        }
        served.join();
        assertThat(next).hasValue(all);
    }

    /** Neither side is stuck when the target answers more than the initiator takes for a while. */
    @Test
    void targetThatAnswersAtLengthIsNotOverrun() {
        MemorySegment big = Arena.ofAuto().allocate(1 << 20, 64);
        CompletableFuture<Void> served =
                serve(
                        LONG_ANSWERS,
                        (m, at, length) -> {
                            target.send(big, 0, 1 << 20);
                            target.post();
                        });
        for (int i = 0; i < LONG_ANSWERS; i++) {
            connection.send(message, 0, 64);
            connection.post();
        }
        AtomicInteger answers = new AtomicInteger();
        while (answers.get() < LONG_ANSWERS) {
            int done =
                    connection.await(
                            (m, at, n) -> {
                                assertThat(n).isEqualTo(1 << 20);
                                answers.incrementAndGet();
                            },
                            BOUND.toNanos());
            assertThat(done).isPositive();
        }
        served.join();
    }

    @Test
    void writeOutsideTheRegionIsRefusedHere() {
        assertThatThrownBy(() -> connection.write(0, 64, REGION - 32))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("remote memory");
        assertThatThrownBy(() -> connection.write(REGION, 64, 0))
                .hasMessageContaining("local memory");
        assertThatThrownBy(() -> connection.write(-1, 64, 0)).hasMessageContaining("local memory");
        assertThatThrownBy(() -> connection.read(0, 64, -64)).hasMessageContaining("remote memory");
        assertThatThrownBy(() -> connection.write(0, 0, 0)).isInstanceOf(FarheapException.class);
        assertThatThrownBy(() -> connection.write(0, 64, REGION))
                .as("what is published is only read")
                .hasMessageContaining("remote memory");
        assertThatThrownBy(() -> connection.readPublished(0, 64, PUBLISHED - 32))
                .hasMessageContaining("remote memory");
        assertThatThrownBy(() -> connection.readPublished(REGION, 64, 0))
                .hasMessageContaining("local memory");
    }

    @Test
    void lossOfTheTargetBreaksTheConnectionForGood() {
        target.close();
        FarheapException first = brokenBy(() -> connection.await((m, at, n) -> {}, 1_000_000_000L));
        assertThat(first).hasMessageContaining("broke");
        assertThatThrownBy(() -> connection.poll((m, at, n) -> {}))
                .isInstanceOf(FarheapException.class)
                .hasMessage(first.getMessage());
        assertThatThrownBy(() -> connection.send(message, 0, 8)).hasMessage(first.getMessage());
        assertThatThrownBy(connection::post).hasMessage(first.getMessage());
    }

    @Test
    void whatArrivedBeforeTheLossIsStillHandedOver() {
        message.set(RecordLayout.LONG, 0, 77);
        target.send(message, 0, 8);
        target.post();
        target.close();
        List<Long> seen = new ArrayList<>();
        int done =
                connection.await(
                        (m, at, n) -> seen.add(m.get(RecordLayout.LONG, at)), BOUND.toNanos());
        assertThat(done).isEqualTo(1);
        assertThat(seen).containsExactly(77L);
    }

    /**
     * A peer whose machine is gone sends nothing, not even an end: only the bound ends the wait.
     */
    @Test
    void silentPeerCostsNoMoreThanTheBound() {
        connection.send(message, 0, 8);
        connection.post();
        long begin = System.nanoTime();
        assertThat(connection.await((m, at, n) -> {}, 50_000_000)).isZero();
        assertThat(System.nanoTime() - begin).isBetween(50_000_000L, 5_000_000_000L);
    }

    @Test
    void closeWakesAThreadThatWaits() {
        CompletableFuture<FarheapException> waiter =
                CompletableFuture.supplyAsync(
                        () -> brokenBy(() -> connection.await((m, at, n) -> {}, BOUND.toNanos())));
        while (connection.counters().waits() == 0) {
            Thread.onSpinWait();
        }
        connection.close();
        connection.close();
        assertThat(waiter.orTimeout(5, TimeUnit.SECONDS).join())
                .hasMessageContaining("closed on this side");
    }

    @Test
    void interruptNeitherEndsAWaitNorTheConnectionAndIsKept() {
        Thread.currentThread().interrupt();
        assertThat(connection.await((m, at, n) -> {}, 20_000_000)).isZero();
        assertThat(Thread.interrupted()).isTrue();
        target.send(message, 0, 8);
        target.post();
        assertThat(connection.await((m, at, n) -> {}, BOUND.toNanos())).isEqualTo(1);
    }

    @Test
    void workRequestsAndDoorbellsAreCounted() {
        connection.write(0, 64, 0);
        connection.write(64, 64, 64);
        connection.send(message, 0, 8);
        connection.post();
        FabricCounters counters = connection.counters();
        assertThat(counters).isEqualTo(new FabricCounters(3, 1, 0, 0, counters.bytes()));
        assertThat(counters.bytes()).isBetween(64L + 64 + 8, 2 * (64L + 64 + 8));
        assertThat(target.await((m, at, n) -> {}, BOUND.toNanos())).isEqualTo(1);
        assertThat(target.counters()).isEqualTo(new FabricCounters(0, 0, 1, 1, 0));
    }

    @Test
    void strangerIsTurnedAwayAndTheInitiatorStillLetIn() {
        TargetListener second = listen();
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> second.accept(BOUND));
        byte[] wrong = SECRET.clone();
        wrong[31] ^= 1;
        assertThatThrownBy(() -> fabric.connect(address(second), wrong, local, BOUND))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.REPLICA))
                .hasMessageContaining("does not know this connection's secret");
        try (Connection initiator = fabric.connect(address(second), SECRET, local, BOUND);
                Endpoint end = accepted.join()) {
            assertThat(initiator.remoteBytes()).isEqualTo(REGION);
            assertThat(end.peer()).isNotEmpty();
        }
    }

    @Test
    void secretIsGoodForOneConnection() {
        assertThatThrownBy(() -> fabric.connect(address(listener), SECRET, local, BOUND))
                .isInstanceOf(FarheapException.class);
    }

    @Test
    void listenerDoesNotWaitForEver() {
        TargetListener lonely = listen();
        assertThatThrownBy(() -> lonely.accept(Duration.ofMillis(30)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("within 30 ms");
    }

    @Test
    void nobodyThereIsAnErrorThatNamesTheAddress() {
        InetSocketAddress gone = address(listener);
        assertThatThrownBy(() -> fabric.connect(gone, SECRET, local, BOUND))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no data connection with")
                .hasMessageContaining(String.valueOf(gone.getPort()));
    }

    protected final CompletableFuture<Void> serve(int messages, CompletionHandler handler) {
        return CompletableFuture.runAsync(
                () -> {
                    int done = 0;
                    while (done < messages) {
                        int n = target.await(handler, BOUND.toNanos());
                        assertThat(n).isPositive();
                        done += n;
                    }
                    // what was answered last must leave as well
                    for (int i = 0; i < 50; i++) {
                        target.await((m, at, length) -> {}, 1_000_000);
                    }
                });
    }

    protected static FarheapException brokenBy(Runnable action) {
        try {
            while (true) {
                action.run();
            }
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(Category.REPLICA);
            return e;
        }
    }

    protected static void fill(MemorySegment memory, long at, long length, long seed) {
        for (long i = 0; i + 8 <= length; i += 8) {
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + i, seed * 31 + i);
        }
    }
}
