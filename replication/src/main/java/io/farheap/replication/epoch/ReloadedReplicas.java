package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    /**
     * Those that stay and were no members yet when that was taken up: nobody leaves before them.
     */
    private final List<ReplicaTracker> coming = new ArrayList<>();

    /** Whether they may leave where no other has every commit. */
    private boolean alone;

    /** When it is looked at them again that could not leave. */
    private long dueNanos = System.nanoTime();

    /** What was taken up last. */
    private List<RemoteReplica> named = List.of();

    private ReplicationSettings settingsNow;

    /** A word is said to them, for a while. */
    private final Set<ReplicaSession> parting = ConcurrentHashMap.newKeySet();

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
        switching.takeLeft().stream()
                .map(Departures.Left::member)
                .filter(Objects::nonNull)
                .forEach(ReplicaSession::abandon);
        parting.forEach(ReplicaSession::abandon);
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

    /**
     * Admission is shut and stays so for a while. The next attempt to open it may be without these.
     */
    Departures.Order whileShut() {
        boolean unused = takeUp(true);
        List<ReplicaTracker> going = mayLeave();
        // Nothing is committed before they are back or have left.
        return order(going.isEmpty() ? leaving.stream().filter(this::isMissed).toList() : going);
    }

    private boolean isMissed(ReplicaTracker copy) {
        return !copy.isOptional() && copy.state() != State.ATTACHED;
    }

    /**
     * A switch without some, in which another one that commits wait for is reached; where one of
     * them has every commit, all others that have.
     */
    private Departures.Order order(List<ReplicaTracker> going) {
        if (going.isEmpty()) {
            return Departures.Order.NONE;
        }
        if (alone) {
            return new Departures.Order(going, 0);
        }
        boolean isAnyWhole = going.stream().anyMatch(ReloadRules::isWhole);
        return new Departures.Order(going, isAnyWhole ? Math.max(1, wholeThatStay()) : 1);
    }

    private List<ReplicaTracker> staying() {
        return switching.copies().stream().filter(copy -> !leaving.contains(copy)).toList();
    }

    private int wholeThatStay() {
        return (int) staying().stream().filter(ReloadRules::isWhole).count();
    }

    /**
     * Commits go on, in an epoch that those have no part in that left with the switch to it:
     * whatever fails here changes nothing of that.
     */
    void switched() {
        List<Departures.Left> left = switching.takeLeft();
        for (Departures.Left one : left) {
            ReplicaTracker copy = one.copy();
            leaving.remove(copy);
            attempt("what was begun with " + copy.remote(), () -> catchUp.remove(copy));
            attempt("its map, " + copy.remote(), () -> switching.maps().departed(copy));
            attempt("the end of " + copy.remote(), () -> tell(one));
        }
        if (!left.isEmpty()) {
            attempt("the others", () -> switching.requireRecordable(remotes()));
            left.stream()
                    .map(one -> one.copy().remote())
                    .filter(named::contains)
                    .forEach(remote -> attempt(remote.toString(), () -> addAgain(remote)));
        }
    }

    private void attempt(String what, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("{}: one has left, and {} is not looked after", pool.poolsetFile(), what, e);
        }
    }

    private void tell(Departures.Left one) {
        LOG.info(
                one.copy().isNewcomer()
                        ? "{}: {} is not added; what is there stays as it is, and may be another's"
                        : "{}: {} is no replica any more; its files there stay as they are",
                pool.poolsetFile(),
                one.copy().remote());
        report(one.copy(), "left");
        if (one.member() != null) {
            parting.add(one.member());
            Thread.ofPlatform()
                    .daemon()
                    .name("farheap-parting-" + one.copy().index())
                    .start(() -> sayBye(one.member()));
        }
    }

    private void sayBye(ReplicaSession member) {
        try {
            member.within(Deadline.in(BYE));
            member.close();
        } catch (FarheapException e) {
            LOG.info("{}: it was gone before: {}", pool.poolsetFile(), e.getMessage());
        } finally {
            parting.remove(member);
        }
    }

    /** Its line was back before it was known that it has left. */
    private void addAgain(RemoteReplica remote) {
        List<RemoteReplica> all = new ArrayList<>(remotes());
        all.add(remote);
        switching.requireRecordable(all);
        add(remote, settingsNow);
        switching.arrange(named);
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
                    // Whoever asked is told; lost replicas are looked for as before.
                    LOG.warn("{}: a reload failed by a fault", pool.poolsetFile(), e);
                    reload.refused(e);
                }
            }
        }
        return any;
    }

    private void takeUp(Reload reload, boolean shut) {
        List<RemoteReplica> wanted = reload.remotes();
        List<RemoteReplica> all = new ArrayList<>(remotes());
        List<RemoteReplica> added =
                wanted.stream().filter(remote -> !all.contains(remote)).toList();
        all.addAll(added);
        rules.require(reload, added, shut);
        switching.requireRecordable(all);
        named = wanted;
        settingsNow = reload.settings();
        alone = reload.alone();
        leaving.clear();
        for (ReplicaTracker copy : switching.copies()) {
            boolean stays = named.contains(copy.remote());
            copy.setLeaving(stays ? "" : LEAVES);
            if (!stays) {
                leaving.add(copy);
            }
        }
        added.forEach(remote -> add(remote, reload.settings()));
        coming.clear();
        staying().stream().filter(ReplicaTracker::isNewcomer).forEach(coming::add);
        switching.arrange(named);
        dueNanos = System.nanoTime();
        LOG.info(
                "{}: read again: {} replicas to be added, {} to leave",
                pool.poolsetFile(),
                added.size(),
                leaving.size());
    }

    private void add(RemoteReplica remote, ReplicationSettings now) {
        replicas.expectNewcomer();
        ReplicaTracker copy = switching.add(remote, named.indexOf(remote), now);
        catchUp.add(copy);
        report(copy, "added");
    }

    private void report(ReplicaTracker copy, String what) {
        ReplicaEvent.report(
                pool.poolsetFile().toString(),
                copy.remote() + " " + what,
                pool.runId(),
                "the poolset file was read again");
    }

    /**
     * Those that are not missed. One that has every commit is missed until those that came with the
     * same edit are members, and another one has every commit (docs/protocol.md#leave-after-join).
     */
    private List<ReplicaTracker> mayLeave() {
        if (leaving.isEmpty()) {
            return List.of();
        }
        int whole = wholeThatStay();
        if (!switching.isEnough(whole) || whole == 0 && !alone) {
            return List.of();
        }
        boolean waits = !alone && staying().stream().anyMatch(this::isAwaited);
        return leaving.stream().filter(copy -> !waits || !ReloadRules.isWhole(copy)).toList();
    }

    private boolean isAwaited(ReplicaTracker copy) {
        return copy.isNewcomer() || coming.contains(copy) && copy.state() != State.ATTACHED;
    }

    /** As a switch with one that joins, but without these. */
    private void leave(List<ReplicaTracker> going) throws InterruptedException {
        try {
            switching.requireRecording();
        } catch (FarheapException e) {
            LOG.info("{}: {} leave later: {}", pool.poolsetFile(), going.size(), e.getMessage());
            going.forEach(
                    copy ->
                            copy.setLeaving(
                                    LEAVES + ", and a switch is recorded: " + e.getMessage()));
            putOff();
            return;
        }
        going.forEach(copy -> copy.setLeaving(LEAVES));
        Epoch ended = replicas.epoch();
        ended.closeAdmission();
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
            switching.closeConnectionsBut(going);
            monitor.attachAgain(committed, false, null, order(going));
            putOff(); // those that stayed
        } finally {
            if (!isOver) {
                replicas.turn().reopen();
            }
        }
    }
}
