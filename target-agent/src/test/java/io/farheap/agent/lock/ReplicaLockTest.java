package io.farheap.agent.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.agent.base.Refusal;
import io.farheap.memory.NativeFile;
import io.farheap.pool.Ownership;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SessionOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which process loses a replica's lock to whom, with real ones. */
@Timeout(120)
class ReplicaLockTest {
    private static final int MOST_RACES = 20;
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String TOUCHED = "-XX:+AlwaysPreTouch";

    @TempDir private Path directory;
    private final SessionOwner first = SessionOwner.fresh().next().next();
    private Path path;

    @BeforeEach
    void name() {
        path = directory.resolve("part0.journal.lock");
    }

    private ReplicaLock acquire(SessionOwner owner, boolean takeOver) {
        return ReplicaLock.acquire(path, new LockRequest("the next", owner, takeOver), BOUND);
    }

    private void assertBusy(SessionOwner owner) {
        assertThatThrownBy(() -> acquire(owner, false))
                .isInstanceOfSatisfying(
                        Refusal.class, why -> assertThat(why.code()).isEqualTo(Code.BUSY))
                .hasMessageContaining("attached to a test (agent process ");
    }

    /** A stopped one does not see the end of its input, and heeds no polite word. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSameOpeningEndsWhatItLeftBehind(boolean stopped) throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, first)) {
            if (stopped) {
                keeper.stop();
            }
            try (ReplicaLock lock = acquire(first.next(), false)) {
                assertThat(lock.ended()).map(ReplicaHolder::pid).contains(keeper.process().pid());
                assertThat(ReplicaLock.holder(path)).startsWith("the next (agent process ");
            }
            await().until(() -> !keeper.process().isAlive());
        }
    }

    @Test
    void anOrderEndsWhoeverHasIt() throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, first)) {
            keeper.stop();
            try (ReplicaLock lock = acquire(SessionOwner.NONE, true)) {
                assertThat(lock.ended()).map(ReplicaHolder::pid).contains(keeper.process().pid());
            }
        }
    }

    /** A program that lives connects again at once, and its next agent may be faster. */
    @Test
    void anOrderEndsWhoeverComesNextAsWell() throws Exception {
        boolean wasFaster = false;
        for (int i = 0; i < MOST_RACES && !wasFaster; i++) {
            wasFaster = isNextFaster();
        }
        assertThat(wasFaster).as("the next one was faster than the order").isTrue();
    }

    private boolean isNextFaster() throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, first);
                LockKeeper next = LockKeeper.startNext(path)) {
            LockRequest order = new LockRequest("the next", SessionOwner.NONE, true);
            try (ReplicaLock lock = ReplicaLock.acquire(path, order, Duration.ofSeconds(10))) {
                assertThat(ReplicaLock.holder(path)).startsWith("the next (agent process ");
                assertThat(lock.ended()).isPresent();
                await().until(() -> !keeper.process().isAlive());
                // One that had the lock was killed; one that was too slow waits for it.
                return next.process()
                        .onExit()
                        .thenApply(gone -> true)
                        .completeOnTimeout(false, 1, TimeUnit.SECONDS)
                        .get();
            }
        }
    }

    @Test
    void nobodyElseDoes() throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, first)) {
            assertBusy(SessionOwner.NONE);
            assertBusy(SessionOwner.fresh().next().next().next());
            assertBusy(first);
            assertBusy(new SessionOwner(first.opening(), first.attempt() - 1)); // it comes late
            assertThat(keeper.process().isAlive()).isTrue();
        }
    }

    /** {@code farheap sync} takes over no pool that has a record. */
    @Test
    void aWriterUnderAutomaticFailOverIsNotToldToSync() throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, first)) {
            assertThat(adviceTo(true))
                    .isEqualTo("End that program; this one tries again by itself.");
            assertThat(adviceTo(false)).contains("farheap sync --take-over");
            assertThat(keeper.process().isAlive()).isTrue();
        }
    }

    private String adviceTo(boolean isRecorded) {
        LockRequest request =
                new LockRequest("b", SessionOwner.NONE, false, isRecorded, Neighbours.NONE);
        return catchThrowableOfType(
                        Refusal.class, () -> ReplicaLock.acquire(path, request, BOUND).close())
                .toReply()
                .advice();
    }

    @Test
    void whatHasNoOpeningIsLeftBehindByNobody() throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, SessionOwner.NONE)) {
            assertBusy(new SessionOwner("", 7));
            assertThat(keeper.process().isAlive()).isTrue();
        }
    }

    /** Its number may have been given to another process since. */
    @Test
    void aProcessThatBeganAtAnotherTimeIsNotEnded() throws Exception {
        try (LockKeeper keeper = LockKeeper.start(path, first)) {
            String[] words = Files.readString(path).split(" ", 3);
            write(words[0] + " " + (Long.parseLong(words[1]) - 1) + " " + words[2]);
            assertBusy(first.next());
            assertThat(keeper.process().isAlive()).isTrue();
        }
    }

    @Test
    void aProcessThatDoesNotHaveTheLockIsNotEnded() throws Exception {
        Path other = directory.resolve("another.journal.lock");
        try (LockKeeper keeper = LockKeeper.start(path, first);
                LockKeeper bystander = LockKeeper.start(other, first)) {
            assumeThat(NativeFile.lockedBy(path)).as("the system tells who").isPresent();
            write(Files.readString(other));
            assertBusy(first.next());
            assertThat(keeper.process().isAlive()).isTrue();
            assertThat(bystander.process().isAlive()).isTrue();
        }
    }

    /**
     * The system takes a process apart for a while, the longer the more memory it has. One is
     * enough that is seen meanwhile.
     */
    @Test
    void aKilledProcessIsThereUntilAllItHadIsTakenBack() {
        await().pollDelay(Duration.ZERO)
                .atMost(BOUND)
                .until(
                        () -> {
                            try (LockKeeper keeper =
                                    LockKeeper.start(path, first, "-Xms512m", TOUCHED)) {
                                ReplicaHolder holder = ReplicaHolder.read(path).orElseThrow();
                                assertThat(holder.isBeingTakenApart()).isFalse();
                                keeper.close();
                                boolean seen = false;
                                while (keeper.process().isAlive()) {
                                    seen |= holder.isBeingTakenApart();
                                }
                                assertThat(holder.isBeingTakenApart()).isFalse();
                                return seen;
                            }
                        });
    }

    private void write(String text) throws IOException {
        Files.writeString(path, text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLinkIsNotFollowed(boolean leadsSomewhere) throws Exception {
        Path other = directory.resolve("somebody's file");
        if (leadsSomewhere) {
            Files.writeString(other, "precious");
        }
        Files.createSymbolicLink(path, other);
        assertThatThrownBy(() -> acquire(first, true))
                .isInstanceOfSatisfying(
                        Refusal.class, why -> assertThat(why.code()).isEqualTo(Code.ACCESS))
                .hasMessageContaining("move the link away if nobody needs");
        assertThat(ReplicaHolder.read(path)).isEmpty();
        if (leadsSomewhere) {
            assertThat(other).hasContent("precious");
        } else {
            assertThat(other).doesNotExist();
        }
    }

    @Test
    void aDirectoryInItsPlaceIsNamed() throws Exception {
        Files.createDirectory(path);
        assertThatThrownBy(() -> acquire(first, true))
                .isInstanceOfSatisfying(
                        Refusal.class, why -> assertThat(why.code()).isEqualTo(Code.ACCESS))
                .hasMessageContaining("lock file")
                .hasMessageContaining(path.toString());
    }

    @Test
    void theFileIsItsOwnersAlone() throws Exception {
        try (ReplicaLock lock = acquire(first, false)) {
            assertThat(lock.ended()).isEmpty();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void theFileOfAReplicaThatRootTakesIsItsOwners() throws Exception {
        assumeTrue(Ownership.ofThisProcess().user() == 0, "only root can give files away");
        Path part = Files.createFile(directory.resolve("part0"));
        Files.setAttribute(part, "unix:uid", 12_345);
        Files.setAttribute(part, "unix:gid", 54_321);
        try (ReplicaLock lock = acquire(first, false)) {
            assertThat(lock.ended()).isEmpty();
            assertThat(Ownership.of(path)).isEqualTo(new Ownership(12_345, 54_321, 0600));
        }
    }

    /** It never tells the opening, also where an older agent let others read it. */
    @Test
    void theFileDoesNotTellTheOpening() throws Exception {
        try (ReplicaLock lock = acquire(first, false)) {
            assertThat(lock.ended()).isEmpty();
            assertThat(Files.readString(path)).doesNotContain(first.opening());
            assertThat(ReplicaLock.isFor(path, first.next())).isTrue();
            assertThat(ReplicaLock.isFor(path, SessionOwner.fresh())).isFalse();
            assertThat(ReplicaLock.isFor(path, SessionOwner.NONE)).isFalse();
        }
    }
}
