package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.spi.ReplicatedPool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings replicas back that were left out, while commits go on (docs/protocol.md#catching-up):
 * found, then copied in rounds, then made a member of a new epoch. Everything here is done in small
 * pieces on the monitor's thread, so that the loss of a member never waits for a copy.
 */
final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

    private final RemoteReplicas replicas;
    private final ReplicaMonitor monitor;
    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;
    private final List<ReplicaCatchUp> catchUps = new CopyOnWriteArrayList<>();

    /** Of all of them together, but for the last rounds: for those commits wait. */
    private final Pacer pacer;

    CatchUp(
            RemoteReplicas replicas,
            ReplicaMonitor monitor,
            ReplicatedPool pool,
            ReplicationSettings settings,
            EpochSwitch switching) {
        this.replicas = replicas;
        this.monitor = monitor;
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
        this.pacer = Pacer.of(settings.catchUpLimit());
        for (ReplicaTracker copy : switching.copies()) {
            if (copy.isOptional()) {
                add(copy);
            }
        }
    }

    /** One that is brought up to date whenever it is not a member. */
    void add(ReplicaTracker copy) {
        catchUps.add(new ReplicaCatchUp(copy, switching, settings.longestPause(), monitor::wake));
    }

    /** One that is not to be a member any more: what was begun with it ends. */
    void remove(ReplicaTracker copy) {
        for (ReplicaCatchUp catchUp : catchUps) {
            if (catchUp.copy() == copy) {
                catchUp.cancel();
                catchUps.remove(catchUp);
            }
        }
        copy.setLeft(null);
        showCopies();
    }

    /** How long there is nothing to do, unless somebody wakes the monitor. */
    long nanosToWait() {
        long least = Long.MAX_VALUE;
        for (ReplicaCatchUp catchUp : catchUps) {
            if (catchUp.copy().state() != State.ATTACHED) {
                least = Math.min(least, catchUp.nanosToWait());
            }
        }
        return least;
    }

    /**
     * Does a piece of what is to be done.
     *
     * @return whether there was anything
     */
    boolean advance() throws InterruptedException {
        boolean worked = false;
        for (ReplicaCatchUp catchUp : catchUps) {
            boolean stays = catchUps.contains(catchUp); // one may leave while another joins
            if (stays && catchUp.copy().state() != State.ATTACHED && catchUp.nanosToWait() == 0) {
                worked = true;
                try {
                    advance(catchUp);
                } catch (PoolDeposedException e) {
                    giveUp(catchUp, e);
                    replicas.depose(e);
                } catch (FarheapException e) {
                    giveUp(catchUp, e);
                }
                if (replicas.epoch().isFrozen() || replicas.epoch().isEnding()) {
                    return true;
                }
            }
        }
        return worked;
    }

    private void advance(ReplicaCatchUp catchUp) throws InterruptedException {
        if (catchUp.copying() != null) {
            catchUp.copying().within(Deadline.NONE);
            // Whoever freezes it after this look sets a limit.
            if (!replicas.epoch().isFrozen()) {
                step(catchUp);
            }
        } else if (catchUp.isIdle()) {
            catchUp.startAttempt();
        } else {
            found(catchUp, catchUp.reached());
        }
    }

    /** The thread has others to serve: it does not wait here for the time of what is copied. */
    private void step(ReplicaCatchUp catchUp) throws InterruptedException {
        OnlineCopy copying = catchUp.copying();
        if (copying.step()) {
            long wait = pacer.claim(copying.takeCopied());
            if (wait > 0) {
                catchUp.rest(wait);
            }
        } else {
            join(catchUp);
        }
    }

    /** Any content it had is older, none or half a copy: or a person is to decide. */
    private void found(ReplicaCatchUp catchUp, ReplicaSession member) {
        ReplicaTracker copy = catchUp.copy();
        copy.setMember(member);
        if (replicas.epoch().isFrozen() || replicas.epoch().isEnding()) {
            hurry(member);
        }
        switching.requireUnnamed(member);
        AttachDecision kind = member.verdict().kind();
        RegionSet left = RegionSet.fine(pool.image().byteSize());
        boolean noted = kind == AttachDecision.STALE && copy.isNoted(member.verdict().slot());
        boolean comparing = noted ? !copy.map().isExact() : !member.verdict().created();
        // In this order: what ends from here on is marked, what ended before is in the map.
        catchUp.begin(new OnlineCopy(pool, member, left, comparing));
        showCopies();
        if (noted) {
            copy.map().addTo(left);
            member.image().addFootprint(left, pool.image().byteSize());
        } else {
            left.markAll();
        }
        copy.setLeft(left);
        member.startSync();
        copy.become(
                State.SYNCING,
                noted
                        ? "it gets what changed while it was away"
                        : comparing ? "it is compared with the pool as a whole" : "it gets all");
        switching.maps().consumed(copy);
        replicas.epoch().setAbsent(switching.maps().absent());
    }

    private void showCopies() {
        replicas.setCopying(
                catchUps.stream()
                        .filter(catchUp -> catchUp.copying() != null)
                        .map(catchUp -> catchUp.copying().left())
                        .toArray(RegionSet[]::new));
    }

    /**
     * The last round and the switch, while commits wait: it is prepared, and recorded, with the
     * whole content only (docs/high-availability.md#join-complete).
     */
    private void join(ReplicaCatchUp catchUp) throws InterruptedException {
        try {
            switching.requireRecording();
        } catch (FarheapException e) {
            String name = catchUp.copy().remote().toString();
            LOG.info("{}: {} joins later: {}", pool.poolsetFile(), name, e.getMessage());
            catchUp.copying().again();
            catchUp.putOff();
            return;
        }
        Epoch ended = replicas.epoch();
        ended.closeAdmission();
        Deadline limit = Deadline.in(settings.commitTimeout());
        boolean over = false;
        catchUp.copying().within(limit);
        try {
            if (!ended.awaitQuiet(limit.left(settings.commitTimeout()))
                    || !finish(catchUp, limit)
                    || replicas.turn().isOver()
                    || ended.isFrozen()) {
                LOG.info("{}: {} joins later", pool.poolsetFile(), catchUp.copy().remote());
                catchUp.putOff();
                long unused = catchUp.copying().takeCopied(); // without a limit, as a last round is
                return; // the next time, or when the lost member is dealt with
            }
            Map<Long, Long> committed = monitor.close(ended);
            over = true;
            switching.closeConnections();
            monitor.attachAgain(committed, false, catchUp.copy());
            if (catchUp.copy().state() == State.ATTACHED) {
                catchUp.joined();
            } else {
                catchUp.failed(false);
            }
            showCopies();
        } finally {
            if (!over) {
                replicas.turn().reopen();
            }
        }
    }

    /**
     * Nothing commits any more; roll-backs may go on, and what they put back is copied again.
     *
     * @return false when they never end
     */
    private boolean finish(ReplicaCatchUp catchUp, Deadline limit) {
        OnlineCopy copying = catchUp.copying();
        while (!limit.isOver()) {
            boolean more = copying.copyPiece();
            // Who puts something back marks it before it says that it is done: look in this order.
            if (!more && !replicas.isUndoing() && copying.isComplete()) {
                copying.awaitStored();
                return true;
            }
        }
        return false;
    }

    private void giveUp(ReplicaCatchUp catchUp, FarheapException why) {
        ReplicaTracker copy = catchUp.copy();
        State state = AttachDecisions.stateAfter(why);
        copy.become(state, why.getMessage());
        LOG.debug("{}: not back yet", pool.poolsetFile(), why);
        switching.closeConnections(copy);
        copy.setLeft(null);
        catchUp.failed(state == State.REFUSED);
        showCopies();
    }

    /** A member was lost: who comes back may not hold that up. On any thread. */
    void hurry() {
        for (ReplicaCatchUp catchUp : catchUps) {
            ReplicaSession member = catchUp.copy().member();
            if (member != null && catchUp.copy().state() != State.ATTACHED) {
                hurry(member);
            }
        }
    }

    private void hurry(ReplicaSession member) {
        member.within(Deadline.in(settings.commitTimeout()));
    }

    /** Whatever is being copied is of no use any more; on any thread. */
    void cut() {
        for (ReplicaCatchUp catchUp : catchUps) {
            OnlineCopy copying = catchUp.copying();
            if (copying != null) {
                copying.cut();
            }
        }
    }

    /** The monitor ends. */
    void cancel() {
        catchUps.forEach(ReplicaCatchUp::cancel);
        replicas.setCopying(new RegionSet[0]);
    }
}
