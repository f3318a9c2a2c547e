package io.farheap.replication.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What goes wrong with a peer over RDMA, and with a connection that breaks the rules: each ends in
 * an error that says what it is, and none takes longer than its bound.
 */
@Tag("rdma")
class VerbsFailuresTest {
    /** Of an attempt to connect, and of a wait for an answer. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** A connection's end is told much faster than a wait for an answer ends; emulated, too. */
    private static final Duration TOLD = Duration.ofSeconds(10);

    private final Fabric fabric = VerbsFabrics.open(WaitStrategy.DEFAULT);
    private final MemorySegment memory = Arena.ofAuto().allocate(VerbsPeer.REGION, 64);

    @Test
    void peerKilledBeforeTheConnectionIsMade() throws Exception {
        try (VerbsPeer peer = VerbsPeer.start()) {
            peer.signal("KILL");
            peer.close();
            assertThat(failureWithin(BOUND, () -> connect(peer)))
                    .hasMessageContaining("no data connection with")
                    .hasMessageContaining("nobody listens there, or it is rejected");
        }
    }

    /** Nobody there takes part in the handshake; the card alone can't. */
    @Test
    void peerStoppedInTheHandshake() throws Exception {
        try (VerbsPeer peer = VerbsPeer.start()) {
            peer.signal("STOP");
            assertThat(failureWithin(BOUND.plus(TOLD), () -> connect(peer)))
                    .hasMessageContaining("no data connection with")
                    .hasMessageMatching("(?s).*(nobody answers|it can't be reached).*");
        }
    }

    @Test
    void peerKilledInTheHandshake() throws Exception {
        try (VerbsPeer peer = VerbsPeer.start()) {
            peer.signal("STOP");
            CompletableFuture<FarheapException> failure =
                    CompletableFuture.supplyAsync(() -> failure(() -> connect(peer)));
            LockSupport.parkNanos(500_000_000); // whatever step it has reached
            peer.signal("KILL");
            assertThat(failure.get(TOLD.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining("no data connection with");
        }
    }

    /** With a connection or without one: nobody waits for who is not there any more. */
    @Test
    void peerKilledAtAnyMomentOfTheHandshake() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 3; round++) {
            try (VerbsPeer peer = VerbsPeer.start()) {
                CompletableFuture<FarheapException> failure =
                        CompletableFuture.supplyAsync(
                                () ->
                                        failure(
                                                () -> {
                                                    try (Connection made = connect(peer)) {
                                                        int unused = waitFor(made);
                                                    }
                                                }));
                LockSupport.parkNanos(random.nextInt(400_000_000));
                peer.signal("KILL");
                assertThat(failure.get(BOUND.toSeconds(), TimeUnit.SECONDS).category())
                        .as("seed %d, round %d", seed, round)
                        .isEqualTo(Category.REPLICA);
            }
        }
    }

    @Test
    void peerKilledBetweenPostAndAnswer() throws Exception {
        try (VerbsPeer peer = VerbsPeer.start();
                Connection connection = connect(peer)) {
            ask(connection);
            assertThat(waitFor(connection)).isEqualTo(1);
            peer.signal("STOP");
            ask(connection);
            assertThat(connection.await((m, at, n) -> {}, 200_000_000)).isZero();
            peer.signal("KILL");
            assertThat(failureWithin(TOLD, () -> waitFor(connection)))
                    .hasMessageContaining("broke: the other side ended it");
        }
    }

    @Test
    void peerKilledWhileNothingIsOnItsWay() throws Exception {
        try (VerbsPeer peer = VerbsPeer.start();
                Connection connection = connect(peer)) {
            ask(connection);
            assertThat(waitFor(connection)).isEqualTo(1);
            peer.signal("KILL");
            assertThat(failureWithin(TOLD, () -> waitFor(connection)))
                    .hasMessageContaining("broke: the other side ended it");
            assertThatThrownBy(() -> ask(connection))
                    .hasMessageContaining("broke: the other side ended it");
        }
    }

    /** The card answers for a process that stands still: only the bound ends a wait. */
    @Test
    void stoppedPeerCostsNoMoreThanTheBound() throws Exception {
        try (VerbsPeer peer = VerbsPeer.start();
                Connection connection = connect(peer)) {
            peer.signal("STOP");
            ask(connection);
            long begin = System.nanoTime();
            assertThat(connection.await((m, at, n) -> {}, 500_000_000)).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TOLD);
        }
    }

    @Test
    void writeWithAWrongKeyBreaksTheConnectionAndChangesNothing() throws Exception {
        withBothEnds(
                (connection, target, region) -> {
                    rude("WriteWithWrongKey", connection);
                    assertThat(failureWithin(BOUND, () -> waitFor(connection)))
                            .hasMessageContaining(
                                    "the other side's network card refuses access to that memory");
                    assertThat(failureWithin(BOUND, () -> waitFor(target)))
                            .hasMessageContaining("broke");
                    assertThat(region.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
                });
    }

    /** Its key is good for READs only: who could write there could claim what is not so. */
    @Test
    void writeToWhatIsPublishedBreaksTheConnectionAndChangesNothing() throws Exception {
        withBothEnds(
                (connection, target, region) -> {
                    rude("WriteToPublished", connection);
                    assertThat(failureWithin(BOUND, () -> waitFor(connection)))
                            .hasMessageContaining(
                                    "the other side's network card refuses access to that memory");
                    assertThat(failureWithin(BOUND, () -> waitFor(target)))
                            .hasMessageContaining("broke");
                });
    }

    /** More messages than the target has receives for, from who does not count them. */
    @Test
    void messageThatNobodyHasAReceiveForBreaksTheConnection() throws Exception {
        withBothEnds(
                (connection, target, region) -> {
                    rude("MoreMessagesThanReceives", connection);
                    assertThat(failureWithin(BOUND, () -> waitFor(connection)))
                            .hasMessageContaining("broke: the other side takes no messages");
                    assertThat(failureWithin(BOUND, () -> waitFor(target)))
                            .hasMessageContaining("broke");
                });
    }

    @Test
    void fullQueueIsRefusedAndDrains() throws Exception {
        withBothEnds(
                (connection, target, region) -> {
                    int prepared = 0;
                    FarheapException full = null;
                    while (full == null) {
                        assertThat(prepared).isLessThan(100_000);
                        full = failureOf(() -> connection.write(0, 64, 0));
                        prepared++;
                    }
                    assertThat(full)
                            .hasMessageContaining("poll before posting more")
                            .extracting(FarheapException::category)
                            .isEqualTo(Category.WRONG_USE);
                    connection.post();
                    while (!connection.canSend(8)) {
                        int unused = connection.poll((m, at, n) -> {});
                    }
                    connection.send(memory, 0, 8);
                    connection.post();
                    assertThat(waitFor(target)).isEqualTo(1);
                });
    }

    // ---- both ends here ----

    private interface Case {
        void run(Connection connection, Endpoint target, MemorySegment region) throws Exception;
    }

    private void withBothEnds(Case test) throws Exception {
        MemorySegment region = Arena.ofAuto().allocate(4096, 64);
        MemorySegment published = Arena.ofAuto().allocate(4096, 64);
        withBothEnds(test, region, published);
        assertThat(published.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    private void withBothEnds(Case test, MemorySegment region, MemorySegment published)
            throws Exception {
        TargetListener listener =
                fabric.listen(
                        VerbsFabricTest.rdmaAddress(), 0, VerbsPeer.SECRET, region, published);
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(BOUND));
        InetSocketAddress address =
                new InetSocketAddress(VerbsFabricTest.rdmaAddress(), listener.port());
        try (Connection connection = fabric.connect(address, VerbsPeer.SECRET, memory, BOUND);
                Endpoint target = accepted.join()) {
            test.run(connection, target, region);
        }
    }

    /** Does something that {@link Connection} has no way to do. */
    @SuppressWarnings("unchecked")
    private void rude(String name, Connection connection) throws ReflectiveOperationException {
        ClassLoader disni = fabric.getClass().getClassLoader();
        Class<?> breaker = Class.forName(DisniLoader.OWN_PACKAGE + name, true, disni);
        ((Consumer<Connection>) breaker.getDeclaredConstructor().newInstance()).accept(connection);
    }

    // ---- a peer in another process ----

    private Connection connect(VerbsPeer peer) {
        return fabric.connect(peer.address(), VerbsPeer.SECRET, memory, BOUND);
    }

    private void ask(Connection connection) {
        connection.write(0, 4096, 4096);
        connection.send(memory, 0, 64);
        connection.post();
    }

    private static int waitFor(Endpoint end) {
        return end.await((m, at, n) -> {}, BOUND.toNanos());
    }

    private interface Step {
        void run();
    }

    /** Of a step that must fail, and not too late. */
    private static FarheapException failureWithin(Duration bound, Step step) {
        long begin = System.nanoTime();
        FarheapException failure = failure(step);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(bound);
        return failure;
    }

    private static FarheapException failure(Step step) {
        FarheapException failure = failureOf(step);
        assertThat(failure).as("a failure").isNotNull();
        return failure;
    }

    private static FarheapException failureOf(Step step) {
        try {
            step.run();
            return null;
        } catch (FarheapException e) {
            return e;
        }
    }
}
