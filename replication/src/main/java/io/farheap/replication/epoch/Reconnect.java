package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.stream.CommitStream;
import io.farheap.replication.stream.StreamListener;
import io.farheap.replication.stream.StreamMember;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaches members of one epoch again whose connection was lost, as long as nobody waits in vain
 * (docs/protocol.md#reconnect): the new agent process destroys the old connection, flushes and
 * scans the journal, and gets what that lacks. Commits only pause. Where anything but the epoch's
 * own replica is found, or the time is over, the stream freezes and a switch follows.
 *
 * <p>Each attempt is on a thread of its own: whoever notices the loss has commits to see to, and
 * the pool's monitor may be waiting for just those. Thread-safe.
 */
final class Reconnect implements StreamListener {
    private static final Logger LOG = LoggerFactory.getLogger(Reconnect.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;
    private final List<ReplicaTracker> members;
    private final Runnable onFrozen;

    // Guarded by this.
    private final Set<Thread> reaching = new LinkedHashSet<>();
    private boolean over;

    /**
     * @param members of the epoch
     * @param onFrozen the epoch has ended; must not block
     */
    Reconnect(
            ReplicatedPool pool,
            ReplicationSettings settings,
            EpochSwitch switching,
            List<ReplicaTracker> members,
            Runnable onFrozen) {
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
        this.members = members;
        this.onFrozen = onFrozen;
    }

    @Override
    public synchronized boolean lost(
            CommitStream stream, StreamMember link, FarheapException why, long sinceNanos) {
        if (over || nanosLeft(sinceNanos) <= 0) {
            return false;
        }
        ReplicaTracker copy =
                members.stream()
                        .filter(member -> member.remote().toString().equals(link.name()))
                        .findFirst()
                        .orElseThrow();
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("farheap-reconnect-" + copy.index())
                        .unstarted(() -> reach(stream, copy, why, sinceNanos));
        reaching.add(thread);
        thread.start();
        return true;
    }

    @Override
    public void frozen() {
        ended();
        onFrozen.run();
    }

    /** When this returns no member is replaced any more. */
    @Override
    public synchronized void ended() {
        over = true;
        reaching.forEach(Thread::interrupt);
    }

    private void reach(CommitStream stream, ReplicaTracker copy, FarheapException why, long since) {
        LOG.info(
                "{}: replica {} is reached again: {}",
                pool.poolsetFile(),
                copy.remote(),
                why.getMessage());
        try {
            if (closeUnlessOver(copy)) {
                tryUntilOver(stream, copy, why, since);
            }
        } catch (InterruptedException e) {
            LOG.debug("{}: no need to reach {} again", pool.poolsetFile(), copy.remote());
        } catch (RuntimeException | Error e) {
            stream.freeze(copy.remote().toString(), copy.fault("failed by a fault: " + e));
            LOG.error("{}: replica {} was not reached", pool.poolsetFile(), copy.remote(), e);
        } finally {
            forget(Thread.currentThread());
        }
    }

    private synchronized void forget(Thread thread) {
        reaching.remove(thread);
    }

    /** The agent's session ends with both its connections. */
    private synchronized boolean closeUnlessOver(ReplicaTracker copy) {
        if (!over) {
            switching.closeConnections(copy);
        }
        return !over;
    }

    private void tryUntilOver(
            CommitStream stream, ReplicaTracker copy, FarheapException why, long since)
            throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        while (true) {
            FarheapException failure = attempt(stream, copy, why);
            if (failure == null) {
                return;
            }
            long left = nanosLeft(since);
            // Who may be left out is not waited for: it is brought back while commits go on.
            boolean refused =
                    failure instanceof RefusedException || failure instanceof PoolDeposedException;
            if (refused || copy.isOptional() || left <= 0) {
                stream.freeze(copy.remote().toString(), notReached(why, failure));
                return;
            }
            LOG.debug("{}: {} not reached", pool.poolsetFile(), copy.remote(), failure);
            Thread.sleep(Math.min(pause.toNanos(), left) / 1_000_000 + 1);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(settings.longestPause()) > 0 ? settings.longestPause() : pause;
        }
    }

    private long nanosLeft(long since) {
        return settings.commitTimeout().toNanos() - (System.nanoTime() - since);
    }

    private static FarheapException notReached(FarheapException why, FarheapException failure) {
        return FarheapException.replica(
                failure,
                "%s; it was not reached again: %s",
                why.getMessage(),
                failure.getMessage());
    }

    /**
     * @return why it did not work; null: it did
     */
    private FarheapException attempt(CommitStream stream, ReplicaTracker copy, FarheapException why)
            throws InterruptedException {
        ReplicaSession member = null;
        boolean resumed = false;
        try {
            member = switching.greetings().reachAgain(copy);
            long last = lastRecord(member);
            ReplicaSession reached = member;
            StreamMember link = member.link(copy.policy());
            member.onLost(reason -> stream.lost(link, reason));
            String refusal = stream.resume(link, last, () -> adopt(copy, reached));
            if (refusal != null) {
                throw new RefusedException(
                        copy.remote().toString(),
                        new Reply.Refused(Reply.Code.WRONG_STATE, refusal, ""));
            }
            resumed = true;
            LOG.info(
                    "{}: replica {} goes on after record {}",
                    pool.poolsetFile(),
                    copy.remote(),
                    last);
            ReplicaEvent.report(
                    pool.poolsetFile().toString(),
                    copy.remote() + " reached again",
                    pool.runId(),
                    why.getMessage());
            return null;
        } catch (FarheapException e) {
            return e;
        } finally {
            if (member != null && !resumed) {
                member.abandon();
            }
        }
    }

    /** What it answered at hello: the last record that its journal has durably. */
    private long lastRecord(ReplicaSession member) {
        SlotReport slot = member.verdict().slot();
        if (member.verdict().kind() != AttachDecision.CURRENT
                || slot.state() != ReplicaState.INSYNC
                || slot.cur() != pool.runId()
                || slot.next() != 0
                || slot.journalEpoch() != pool.runId()) {
            throw new RefusedException(
                    member.replica().toString(),
                    new Reply.Refused(
                            Reply.Code.WRONG_NUMBER,
                            "somebody else was here in between (number "
                                    + slot.cur()
                                    + ", next "
                                    + slot.next()
                                    + ")",
                            ""));
        }
        return slot.lastSequence();
    }

    private synchronized boolean adopt(ReplicaTracker copy, ReplicaSession member) {
        if (!over) {
            copy.setMember(member);
        }
        return !over;
    }
}
