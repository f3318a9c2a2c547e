package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas that an open pool gets and gives up when its poolset file is read again
 * (docs/protocol.md#replicas-added-and-removed). One that is added is brought up to date as any
 * that was left out, and joins. One that is removed leaves by a switch without it, and not before
 * those that are added have every commit: what there is of copies is never fewer in between.
 *
 * <p>For the monitor's thread; {@link #ask} is for any.
 */
final class ReloadedReplicas {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedReplicas.class);
    private static final Duration BYE = Duration.ofSeconds(5);
    private static final String LEAVES =
            "; the poolset file does not name it any more: it leaves when those that the file names"
                    + " have every commit";

    private final RemoteReplicas replicas;
    private final ReplicaMonitor monitor;
    private final CatchUp catchUp;
    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;
    private final ReloadRules rules;
    private final Queue<Reload> asked = new ConcurrentLinkedQueue<>();

    /** Why nothing is taken up any more; null: it is. */
    private volatile FarheapException over;

    /** Those that the file does not name any more. */
    private final List<ReplicaTracker> leaving = new ArrayList<>();

    /** Whether they may leave where no other has every commit. */
    private boolean alone;

    /** When it is looked at them again that could not leave. */
    private long dueNanos = System.nanoTime();

    /** They have left, and the switch without them is still to come. */
    private final List<ReplicaTracker> left = new ArrayList<>();

    private final List<ReplicaSession> parting = new ArrayList<>();

    ReloadedReplicas(
            RemoteReplicas replicas,
            ReplicaMonitor monitor,
            CatchUp catchUp,
            ReplicatedPool pool,
            ReplicationSettings settings,
            EpochSwitch switching) {
        this.replicas = replicas;
        this.monitor = monitor;
        this.catchUp = catchUp;
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
        this.rules = new ReloadRules(pool, settings, switching);
    }

    /**
     * Waits until the monitor has taken it up, which is soon unless a switch is under way.
     *
     * @throws FarheapException when it is refused; nothing has changed then
     */
    void ask(Reload reload) {
        asked.add(reload);
        monitor.wake();
        if (over != null) {
            refuse(over);
        }
        reload.await(pool.poolsetFile(), switching.bound().plus(settings.attachTimeout()));
    }

    /** Refuses all that are asked now. */
    void refuse(FarheapException why) {
        for (Reload reload = asked.poll(); reload != null; reload = asked.poll()) {
            if (reload.take()) {
                reload.refused(why);
            }
        }
    }

    /** The monitor ends. */
    void end(FarheapException why) {
        over = why;
        refuse(why);
        parting.forEach(ReplicaSession::abandon);
        parting.clear();
    }

    /** How long there is nothing to do, unless somebody wakes the monitor. */
    long nanosToWait() {
        return leaving.isEmpty() ? Long.MAX_VALUE : Math.max(0, dueNanos - System.nanoTime());
    }

    /**
     * Takes up what is asked, and lets those go that may leave.
     *
     * @return whether there was anything
     */
    boolean advance() throws InterruptedException {
        boolean worked = takeUp(false);
        List<ReplicaTracker> going = mayLeave();
        if (going.isEmpty() || nanosToWait() > 0) {
            putOff();
            return worked;
        }
        leave(going);
        return true;
    }

    /** The next look is after a while, but for what wakes the monitor. */
    private void putOff() {
        if (nanosToWait() == 0) {
            dueNanos = System.nanoTime() + settings.longestPause().toNanos();
        }
    }

    /** The gate is shut and stays so for a while: the next attempt to open it is without these. */
    void whileShut() {
        boolean unused = takeUp(true);
        mayLeave().forEach(this::letGo);
    }

    /** The pool has a number that those that left don't know. */
    void switched() {
        for (ReplicaTracker copy : left) {
            switching.maps().departed(copy);
            LOG.info(
                    "{}: {} is no replica any more; its files there stay as they are",
                    pool.poolsetFile(),
                    copy.remote());
        }
        if (!left.isEmpty()) {
            left.clear();
            switching.requireRecordable(remotes());
        }
        parting.forEach(this::sayBye);
        parting.clear();
    }

    private void sayBye(ReplicaSession member) {
        try {
            member.within(Deadline.in(BYE));
            member.close();
        } catch (FarheapException e) {
            LOG.info("{}: it was gone before: {}", pool.poolsetFile(), e.getMessage());
        }
    }

    private List<RemoteReplica> remotes() {
        return switching.copies().stream().map(ReplicaTracker::remote).toList();
    }

    private boolean takeUp(boolean shut) {
        boolean any = false;
        for (Reload reload = asked.poll(); reload != null; reload = asked.poll()) {
            if (reload.take()) {
                any = true;
                try {
                    takeUp(reload, shut);
                    reload.done();
                } catch (FarheapException e) {
                    reload.refused(e);
                } catch (RuntimeException | Error e) {
                    reload.refused(e);
                    throw e;
                }
            }
        }
        return any;
    }

    private void takeUp(Reload reload, boolean shut) {
        List<RemoteReplica> named = reload.remotes();
        List<RemoteReplica> all = new ArrayList<>(remotes());
        List<RemoteReplica> coming =
                named.stream().filter(remote -> !all.contains(remote)).toList();
        all.addAll(coming);
        rules.require(reload, coming, shut);
        switching.requireRecordable(all);
        alone = reload.alone();
        leaving.clear();
        for (ReplicaTracker copy : switching.copies()) {
            boolean stays = named.contains(copy.remote());
            copy.setLeaving(stays ? "" : LEAVES);
            if (!stays) {
                leaving.add(copy);
            }
        }
        for (RemoteReplica remote : coming) {
            replicas.expectNewcomer();
            ReplicaTracker copy = switching.add(remote, named.indexOf(remote), reload.settings());
            catchUp.add(copy);
            report(copy, "added");
        }
        switching.arrange(named);
        dueNanos = System.nanoTime();
        LOG.info(
                "{}: read again: {} replicas to be added, {} to leave",
                pool.poolsetFile(),
                coming.size(),
                leaving.size());
    }

    private void report(ReplicaTracker copy, String what) {
        ReplicaEvent.report(
                pool.poolsetFile().toString(),
                copy.remote() + " " + what,
                pool.runId(),
                "the poolset file was read again");
    }

    /** Those that are not missed. */
    private List<ReplicaTracker> mayLeave() {
        if (leaving.isEmpty()) {
            return List.of();
        }
        List<ReplicaTracker> staying =
                switching.copies().stream().filter(copy -> !leaving.contains(copy)).toList();
        long whole = staying.stream().filter(ReloadRules::isWhole).count();
        if (!switching.isEnough(whole) || whole == 0 && !alone) {
            return List.of();
        }
        boolean waits = !alone && staying.stream().anyMatch(ReplicaTracker::isNewcomer);
        return leaving.stream().filter(copy -> !waits || !ReloadRules.isWhole(copy)).toList();
    }

    /** As a switch with one that joins, but without these. */
    private void leave(List<ReplicaTracker> going) throws InterruptedException {
        Epoch ended = replicas.epoch();
        ended.closeGate();
        boolean isOver = false;
        try {
            if (!ended.awaitQuiet(settings.commitTimeout())
                    || replicas.turn().isOver()
                    || ended.isFrozen()) {
                LOG.info("{}: {} leave later", pool.poolsetFile(), going.size());
                putOff();
                return;
            }
            Map<Long, Long> committed = monitor.close(ended);
            isOver = true;
            going.forEach(this::letGo);
            switching.closeConnections();
            monitor.attachAgain(committed, false, null);
        } finally {
            if (!isOver) {
                replicas.turn().reopen();
            }
        }
    }

    private void letGo(ReplicaTracker copy) {
        leaving.remove(copy);
        catchUp.remove(copy);
        ReplicaSession member = switching.leave(copy);
        if (member != null) {
            parting.add(member);
        }
        left.add(copy);
        report(copy, "left");
    }
}
