package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.stream.CommitStream;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that ends epochs of an open pool and begins new ones: when a member is lost, with
 * it again or without it, as its policy says; when one that was left out has caught up, with it.
 */
final class ReplicaMonitor implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaMonitor.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private final RemoteReplicas replicas;
    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;
    private final CatchUp catchUp;
    private final ReloadedReplicas reloaded;
    private final Thread thread;
    private volatile boolean stopping;

    ReplicaMonitor(
            RemoteReplicas replicas,
            ReplicatedPool pool,
            ReplicationSettings settings,
            EpochSwitch switching) {
        this.replicas = replicas;
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
        this.catchUp = new CatchUp(replicas, this, pool, settings, switching);
        this.reloaded = new ReloadedReplicas(replicas, this, catchUp, pool, settings, switching);
        this.thread = Thread.ofPlatform().daemon().name("farheap-replicas").unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** There is something to do. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /**
     * The poolset file was read again.
     *
     * @throws FarheapException when that is not to be, or can't be now; nothing has changed then
     */
    void reload(Reload reload) {
        reloaded.ask(reload);
    }

    /**
     * An epoch has ended: that comes before what is under way with those that come back. On any
     * thread; does not block.
     */
    void frozen() {
        catchUp.hurry();
        wake();
    }

    /**
     * Ends the thread; waits for that.
     *
     * @return whether the caller was interrupted meanwhile
     */
    boolean stop() {
        stopping = true;
        thread.interrupt();
        catchUp.cut();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                if (replicas.epoch().isFrozen()) {
                    mend();
                } else if (replicas.turn().isOver()) {
                    showEnded(replicas.turn().missing());
                    awaitClose();
                } else if (replicas.epoch().isEnding()) {
                    renew();
                } else if (!reloaded.advance() && !catchUp.advance()) {
                    LockSupport.parkNanos(
                            this, Math.min(catchUp.nanosToWait(), reloaded.nanosToWait()));
                }
                throwIfInterrupted();
            }
        } catch (InterruptedException e) {
            LOG.debug("{}: closed while a lost replica was looked for", pool.poolsetFile());
        } catch (RuntimeException | Error e) {
            FarheapException why = fault(e, "; close the pool and open it again");
            replicas.turn().setOver(why);
            showEnded(why);
            LOG.error("{}: the search for a lost replica ended", pool.poolsetFile(), e);
        } finally {
            catchUp.cancel();
            reloaded.end(
                    replicas.turn().isOver()
                            ? replicas.turn().missing()
                            : FarheapException.wrongUse("%s is being closed", pool.poolsetFile()));
        }
    }

    /** Nobody looks for those any more that are away now. */
    private void showEnded(FarheapException why) {
        boolean frozen = replicas.epoch().isFrozen();
        for (ReplicaTracker copy : switching.copies()) {
            State state = copy.state();
            if (state != State.REFUSED && (frozen || state != State.ATTACHED)) {
                copy.becomeLostUntilReopened(why.getMessage());
            }
        }
    }

    private FarheapException fault(Throwable failure, String advice) {
        return FarheapException.replica(
                failure,
                "%s: the attempt to attach again failed by a fault: %s%s",
                pool.poolsetFile(),
                failure,
                advice);
    }

    /**
     * A member of the epoch can't be waited for any more (docs/protocol.md#when-a-replica-is-lost).
     */
    private void mend() throws InterruptedException {
        Epoch ended = replicas.epoch();
        List<ReplicaTracker> lost = lost(ended);
        String why = ended.stream().whyFrozen().getMessage();
        lost.forEach(copy -> copy.become(State.LOST, why));
        awaitQuiet(ended);
        Map<Long, Long> committed = close(ended);
        switching.closeConnections();
        attachAgain(committed, ended.stream().needsContent(), null);
    }

    /** Nobody is lost; what waits is claimed in the next epoch. */
    private void renew() throws InterruptedException {
        Epoch ended = replicas.epoch();
        ended.closeAdmission();
        awaitQuiet(ended);
        if (ended.isFrozen()) {
            return; // a member is lost, too
        }
        Throwable fault = ended.faultAtEnd();
        if (fault != null) {
            LOG.warn("{}: an epoch did not end at once", pool.poolsetFile(), fault);
        }
        LOG.info("{}: a new epoch begins", pool.poolsetFile());
        Map<Long, Long> committed = close(ended);
        switching.closeConnections();
        attachAgain(committed, false, null);
    }

    private void awaitQuiet(Epoch ended) throws InterruptedException {
        while (!ended.awaitQuiet(settings.commitTimeout())) {
            LOG.warn("{}: commits are still being decided", pool.poolsetFile());
            throwIfInterrupted();
        }
        throwIfInterrupted();
    }

    /**
     * Ends the stream of an epoch that is quiet.
     *
     * @return what was committed in it, for the next one's members
     */
    Map<Long, Long> close(Epoch ended) {
        Map<Long, Long> committed = new HashMap<>();
        CommitStream stream = ended.stream();
        if (stream != null) {
            committed.put(pool.runId(), stream.durableSequence());
            stream.awaitFed(settings.patienceWithLag());
            stream.abandon();
        }
        return committed;
    }

    /** Whose loss ended the epoch; nobody where a transaction failed here. */
    private static List<ReplicaTracker> lost(Epoch ended) {
        String name = ended.stream().lostReplica();
        return ended.members().stream()
                .filter(copy -> copy.remote().toString().equals(name))
                .toList();
    }

    private void throwIfInterrupted() throws InterruptedException {
        if (stopping || Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /**
     * Begins a new epoch, however long that takes; commits wait or are refused meanwhile.
     *
     * @param committed by the number of an epoch, its last committed sequence number
     * @param joining becomes a member, if it does not fail; null: nobody joins
     */
    void attachAgain(Map<Long, Long> committed, boolean needsContent, ReplicaTracker joining)
            throws InterruptedException {
        attachAgain(committed, needsContent, joining, Departures.Order.NONE);
    }

    /**
     * The same.
     *
     * @param leaving those leave, if the first attempt can do without them
     */
    void attachAgain(
            Map<Long, Long> committed,
            boolean needsContent,
            ReplicaTracker joining,
            Departures.Order leaving)
            throws InterruptedException {
        open(committed, needsContent, joining, leaving);
        reloaded.switched();
    }

    /**
     * Commits are let in on return, and not before. All members of the epoch have confirmed its
     * number by then (docs/protocol.md#confirm-before-commit).
     */
    private void open(
            Map<Long, Long> committed,
            boolean needsContent,
            ReplicaTracker joining,
            Departures.Order leaving)
            throws InterruptedException {
        Departures.Order order = leaving;
        Duration pause = FIRST_PAUSE;
        while (true) {
            if (switching.deposed() != null) {
                replicas.turn().setOver(switching.deposed());
                showEnded(switching.deposed());
                awaitClose();
            }
            if (needsContent || replicas.turn().isOver()) {
                replicas.turn().setOver(needsReopening());
                awaitClose();
            }
            try {
                List<ReplicaSession> unused = switching.inProcess(committed, joining, order);
                replicas.begin();
                return;
            } catch (PoolDeposedException e) {
                LOG.error("{}", e.getMessage());
                continue;
            } catch (FarheapException e) {
                LOG.debug("{}: not attached yet", pool.poolsetFile(), e);
                failed(order, e);
            } catch (RuntimeException | Error e) {
                LOG.warn("{}: the attempt to attach again failed", pool.poolsetFile(), e);
                failed(order, fault(e, ""));
            }
            // Cut behind the switch point, the pool has a number in which nothing was committed.
            committed.putIfAbsent(pool.runId(), 0L);
            if (!order.isNone()) {
                order = Departures.Order.NONE; // with them, and at once
                continue;
            }
            Thread.sleep(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(settings.longestPause()) > 0 ? settings.longestPause() : pause;
            order = reloaded.whileShut();
        }
    }

    /** Commits hear of it, but where that was not the last word. */
    private void failed(Departures.Order order, FarheapException why) {
        if (order.isNone()) {
            replicas.turn().setMissing(why);
        } else {
            LOG.info("{}: {}", pool.poolsetFile(), why.getMessage());
        }
    }

    /** Nobody can do anything here any more. */
    private void awaitClose() throws InterruptedException {
        while (true) {
            throwIfInterrupted();
            reloaded.refuse(replicas.turn().missing());
            LockSupport.park(this);
        }
    }

    private FarheapException needsReopening() {
        FarheapException why =
                FarheapException.replica(
                        "%s: a transaction failed here after all replicas had its record;"
                                + " close the pool and open it again",
                        pool.poolsetFile());
        switching.copies().stream()
                .filter(copy -> copy.state() != State.REFUSED)
                .forEach(copy -> copy.becomeLostUntilReopened(why.getMessage()));
        return why;
    }
}
