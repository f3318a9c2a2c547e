package io.farheap.agent.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.Refusal;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SessionOwner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of one process that want the same replica: one is ended for another, never both. */
@Timeout(60)
class NeighboursTest {
    private static final Duration BOUND = Duration.ofSeconds(20);

    @TempDir private Path directory;
    private final Neighbours neighbours = Neighbours.inService();
    private final SessionOwner opening = SessionOwner.fresh().next();
    private final AtomicInteger ended = new AtomicInteger();
    private Path path;
    private ReplicaLock held;

    @BeforeEach
    void aSessionHasTheReplica() {
        path = directory.resolve("part0.journal.lock");
        held = acquire(opening, false);
        neighbours.took(path, this::end);
    }

    /** As a session does: a little later, and once. */
    private void end() {
        if (ended.getAndIncrement() == 0) {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(held::close);
        }
    }

    private ReplicaLock acquire(SessionOwner owner, boolean takeOver) {
        return ReplicaLock.acquire(
                path,
                new LockRequest("bank, process 7", owner, takeOver, false, neighbours),
                BOUND);
    }

    @Test
    void anotherOpeningFindsItBusy() {
        assertThatThrownBy(() -> acquire(SessionOwner.fresh(), false))
                .isInstanceOfSatisfying(
                        Refusal.class, why -> assertThat(why.code()).isEqualTo(Code.BUSY))
                .hasMessageContaining("attached to bank, process 7 (agent process ");
        assertThat(ended).hasValue(0);
        held.close();
    }

    @Test
    void theSameOpeningEndsTheSessionThatItLeftBehind() {
        try (ReplicaLock next = acquire(opening.next(), false)) {
            assertThat(next.ended()).isPresent();
        }
        assertThat(ended).hasPositiveValue();
    }

    @Test
    void anOrderEndsTheSessionThatHasIt() {
        try (ReplicaLock next = acquire(SessionOwner.NONE, true)) {
            assertThat(next.ended()).isPresent();
        }
        assertThat(ended).hasPositiveValue();
    }

    @Test
    void anOrderOfAnotherProcessIsHeededOnce() {
        LetGoOrder.give(path);
        LetGoOrder.give(path);
        neighbours.heedOrders();
        neighbours.heedOrders();

        assertThat(ended).hasValue(1);
        assertThat(directory.resolve("part0.journal.lock.let-go")).doesNotExist();
    }

    @Test
    void whoHasLeftIsNotEndedAnyMore() {
        Runnable other = () -> {};
        neighbours.leaves(path, other);
        neighbours.end(path);
        assertThat(ended).as("another one left").hasValue(1);

        neighbours.took(path, other);
        neighbours.leaves(path, other);
        neighbours.end(path);
        assertThat(ended).as("it left").hasValue(1);
    }

    /** Else whoever takes one replica over would end all others with it. */
    @Test
    void theLockFileSaysThatTheProcessServesOthers() throws Exception {
        assertThat(Files.readAllLines(path)).hasSize(3).last().isEqualTo("service");
        assertThat(ReplicaHolder.read(path)).map(ReplicaHolder::service).contains(true);
        held.close();
        try (ReplicaLock alone =
                ReplicaLock.acquire(
                        path, new LockRequest("one", SessionOwner.NONE, false), BOUND)) {
            assertThat(ReplicaHolder.read(path)).map(ReplicaHolder::service).contains(false);
        }
        try (ReplicaLock nameless = acquire(SessionOwner.NONE, false)) {
            assertThat(ReplicaHolder.read(path)).map(ReplicaHolder::service).contains(true);
            assertThat(ReplicaHolder.read(path)).map(ReplicaHolder::opening).contains("");
        }
    }
}
