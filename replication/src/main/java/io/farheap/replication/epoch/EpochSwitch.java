package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.DirtyBits;
import io.farheap.replication.dirty.DirtyMap;
import io.farheap.replication.dirty.DirtyMaps;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.dirty.UnmarkableException;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.NotReachedException;
import io.farheap.replication.session.PoolIdentity;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.RunNumbers;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The switch to a new epoch, one procedure for open, re-attach, shrink and join
 * (docs/protocol.md#the-switch): every member is prepared before the pool's number changes, and
 * confirmed after it, before the first commit. A crash of either side after any step leaves what
 * the next switch recognises.
 *
 * <p>Precondition: no record is on its way, and nobody is between the claim of one and its local
 * fate. When a member fails, all are let go and the whole is done again with a new number, without
 * it where the pool can do without it. Those left out can't pass for current from then on, and
 * their dirty maps go with the new number before the pool has it. For one thread at a time.
 */
public final class EpochSwitch {
    private static final Logger LOG = LoggerFactory.getLogger(EpochSwitch.class);
    private static final int ATTEMPTS = 3;
    private static final Duration NO_LIMIT = Duration.ofDays(1);

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final AgentConnector connector;
    private final Fabrics fabrics;
    private final RandomGenerator random;
    private final DirtyMaps maps;
    private final List<ReplicaTracker> copies = new ArrayList<>();
    private final StagingMemory staging = new StagingMemory();

    /** By this agents know who left them behind. */
    private final AtomicReference<SessionOwner> owner = new AtomicReference<>(SessionOwner.fresh());

    /** What went to members that were let go. */
    private final AtomicLong earlierBytes = new AtomicLong();

    public EpochSwitch(
            ReplicatedPool pool,
            ReplicationSettings settings,
            AgentConnector connector,
            Fabrics fabrics,
            RandomGenerator random,
            DirtyMaps maps) {
        this.pool = pool;
        this.settings = settings;
        this.connector = connector;
        this.fabrics = fabrics;
        this.random = random;
        this.maps = maps;
        String name = pool.poolsetFile().toString();
        for (RemoteReplica remote : pool.remotes()) {
            copies.add(
                    new ReplicaTracker(
                            remote,
                            copies.size(),
                            settings.policies().of(remote.toString(), pool.policy(remote)),
                            name));
        }
    }

    /**
     * Some failed that the pool can do without, or a map did: the number is not to be used, and the
     * next attempt is without them.
     */
    private static final class LeftOutException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private interface Step {
        /**
         * @param limit of its waits; a member has it already
         */
        void apply(ReplicaTracker copy, Deadline limit) throws InterruptedException;
    }

    /** Calls this, on any thread, when a replica comes into another state. */
    public void onChange(Runnable listener) {
        copies.forEach(copy -> copy.onChange(listener));
    }

    /**
     * How long a switch that commits wait for takes at most where the pool can do without every
     * replica: each of them may be slow until it is left out, one after the other.
     */
    Duration bound() {
        long optional = copies.stream().filter(ReplicaTracker::isOptional).count();
        return settings.attachTimeout().multipliedBy(1 + optional);
    }

    /** The memory that records are posted from; its size is known once a member was attached. */
    StagingMemory staging() {
        return staging;
    }

    /** All remote replicas, in the order of the poolset file. */
    List<ReplicaTracker> copies() {
        return copies;
    }

    /** The members of the epoch under way. */
    List<ReplicaTracker> members() {
        return copies.stream().filter(copy -> copy.state() == State.ATTACHED).toList();
    }

    /** The maps of those left out, for every commit to mark. */
    DirtyBits[] absentMaps() {
        return copies.stream()
                .filter(copy -> copy.state() != State.ATTACHED)
                .map(ReplicaTracker::map)
                .filter(Objects::nonNull)
                .map(DirtyMap::bits)
                .toArray(DirtyBits[]::new);
    }

    /** The maps of members that may lag. */
    LagDirtyMaps lagDirtyMaps() {
        return new LagDirtyMaps(
                copies.stream()
                        .filter(copy -> copy.state() == State.ATTACHED && copy.isAsync())
                        .map(ReplicaTracker::map)
                        .filter(Objects::nonNull)
                        .toList(),
                settings.lag().time());
    }

    /**
     * At open: whatever the tails hold, the replicas get the local content; new ones get all of it,
     * older ones what changed since. The epoch that is now {@code pool.runId()} has the {@link
     * #members} that could be attached.
     *
     * @return their connections
     */
    public List<ReplicaSession> atOpen(AttachOptions options) throws InterruptedException {
        for (ReplicaTracker copy : copies) {
            copy.setMap(find(copy));
            copy.equalIn(pool.runId());
        }
        return run(copies, options, new SwitchAtOpen(pool, options, this::consumed));
    }

    /** A map that can't be read is none. */
    private DirtyMap find(ReplicaTracker copy) {
        try {
            return maps.find(copy.remote(), pool.runId());
        } catch (FarheapException | InternalError e) {
            LOG.warn("{}: {}", pool.poolsetFile(), e.getMessage());
            return null;
        }
    }

    /**
     * In the same run: each replica applies the records that were committed and drops the others.
     *
     * @param committed by the number of an epoch, its last committed sequence number
     */
    List<ReplicaSession> inProcess(Map<Long, Long> committed) throws InterruptedException {
        return inProcess(committed, null);
    }

    /**
     * The same with one more member, if it is still there.
     *
     * @param joining has a complete copy; null: nobody joins
     */
    List<ReplicaSession> inProcess(Map<Long, Long> committed, ReplicaTracker joining)
            throws InterruptedException {
        List<ReplicaTracker> wanted =
                copies.stream()
                        .filter(
                                copy ->
                                        !copy.isOptional()
                                                || copy.state() == State.ATTACHED
                                                || copy == joining && copy.member() != null)
                        .toList();
        return run(wanted, AttachOptions.NONE, new SwitchInRun(pool, committed, joining));
    }

    /** What a replica is asked that was left out, to bring it back. */
    Request.Hello helloTo(ReplicaTracker copy) {
        return hello(
                copy,
                RunNumbers.fresh(pool.runId(), random),
                SlotReport.NOT_KNOWN,
                AttachOptions.NONE);
    }

    /**
     * Reaches a replica that was left out, to copy the pool to it; on whatever thread.
     *
     * @throws FarheapException when it can't be reached, or must not be overwritten
     */
    ReplicaSession reachToCopy(ReplicaTracker copy, Request.Hello hello)
            throws InterruptedException {
        ReplicaSession member = greet(copy, hello, Deadline.NONE);
        boolean connected = false;
        try {
            AttachDecisions.check(pool, member, AttachOptions.NONE);
            requireNearNumber(member);
            if (member.verdict().kind() == AttachDecision.CURRENT) {
                throw member.fault(
                        "it has this pool's number though it was left out; look at its log");
            }
            connectData(member);
            connected = true;
            return member;
        } finally {
            if (!connected) {
                member.abandon();
            }
        }
    }

    private ReplicaSession greet(ReplicaTracker copy, Request.Hello hello, Deadline limit)
            throws InterruptedException {
        try {
            return ReplicaSession.greet(
                    connector, copy.remote(), copy.index(), hello, settings, limit);
        } catch (RefusedException e) {
            throw hello.overwrite()
                    ? e
                    : AttachDecisions.advised(pool.poolsetFile(), copy.remote(), e);
        }
    }

    /**
     * Reaches a member of the epoch under way that was lost, whose earlier connection its agent
     * destroys.
     *
     * @throws FarheapException when it was not reached, or is not this epoch's any more
     */
    ReplicaSession reachAgain(ReplicaTracker copy) throws InterruptedException {
        Request.Hello hello =
                PoolIdentity.of(pool)
                        .hello(
                                Purpose.RESUME,
                                copy.remote().descriptor(),
                                pool.runId(),
                                0,
                                List.of(),
                                SlotReport.NOT_KNOWN,
                                false,
                                false,
                                owner.updateAndGet(SessionOwner::next),
                                fabrics.offeredTo(copy.remote()),
                                settings);
        ReplicaSession member = greet(copy, hello, Deadline.in(settings.patienceWithResumption()));
        boolean connected = false;
        try {
            if (member.verdict().kind() == AttachDecision.CURRENT) {
                connectData(member);
            }
            member.within(Deadline.NONE);
            connected = true;
            return member;
        } finally {
            if (!connected) {
                member.abandon();
            }
        }
    }

    private void connectData(ReplicaSession member) throws InterruptedException {
        staging.fit(member);
        member.connectData(connector, fabrics, staging.memory());
    }

    /** A sync begins: the map proves nothing any more. */
    void consumed(ReplicaTracker copy) {
        copy.forgetContent();
        removeMap(copy);
    }

    /** A commit could not mark a map: it is given up in the next switch. On any thread. */
    void unmarked(UnmarkableException why) {
        for (ReplicaTracker copy : copies) {
            DirtyMap map = copy.map();
            if (map != null && map.has(why.bits())) {
                map.fail(why.getMessage());
            }
        }
    }

    /** Ends all connections without a word, but those to replicas that are being copied. */
    void closeConnections() {
        copies.stream()
                .filter(copy -> copy.state() != State.SYNCING)
                .forEach(this::closeConnections);
    }

    /** Ends the connections to one, if there are any. */
    void closeConnections(ReplicaTracker copy) {
        ReplicaSession member = copy.member();
        if (member != null) {
            earlierBytes.getAndAdd(member.bytesSent());
            member.abandon();
            copy.setMember(null);
        }
    }

    /** Bytes that went over data connections, framing included, since this was made. */
    long bytesSent() {
        long bytes = earlierBytes.get();
        for (ReplicaTracker copy : copies) {
            ReplicaSession member = copy.member();
            bytes += member == null ? 0 : member.bytesSent();
        }
        return bytes;
    }

    private List<ReplicaSession> run(
            List<ReplicaTracker> wanted, AttachOptions options, SwitchMode mode)
            throws InterruptedException {
        List<ReplicaTracker> taking = new ArrayList<>(wanted);
        long above = pool.runId();
        int attempts = 0;
        boolean waitsForNone = taking.stream().allMatch(ReplicaTracker::isOptional);
        Deadline end = mode.poolIsOpen() && waitsForNone ? Deadline.in(bound()) : Deadline.NONE;
        while (attempts < ATTEMPTS) {
            long next = RunNumbers.fresh(above, random);
            boolean switched = false;
            try {
                StepTimes times = times(mode, end);
                reach(taking, next, options, mode, times);
                above = Math.max(above, largestNumber(taking));
                if (above < next) {
                    switchTo(next, taking, mode, times);
                    switched = true;
                    return taking.stream().map(ReplicaTracker::member).toList();
                }
                attempts++;
            } catch (LeftOutException e) {
                above = Math.max(above, next);
                LOG.debug("{}: the switch to {} starts again", pool.poolsetFile(), next);
            } finally {
                if (!switched) {
                    closeConnections();
                }
            }
        }
        throw FarheapException.replica(
                "%s: the replicas' numbers changed in every attempt to attach them;"
                        + " end the other program that attaches them",
                pool.poolsetFile());
    }

    private StepTimes times(SwitchMode mode, Deadline end) {
        Duration each = mode.poolIsOpen() ? settings.attachTimeout() : NO_LIMIT;
        return new StepTimes(copies.size(), each, end);
    }

    /**
     * Steps 1 and 2 with all of them, and a look at their verdicts. Each is connected at once: its
     * agent does not wait for as long as another one may take.
     */
    private void reach(
            List<ReplicaTracker> taking,
            long next,
            AttachOptions options,
            SwitchMode mode,
            StepTimes times)
            throws InterruptedException, LeftOutException {
        together(
                taking,
                mode,
                times,
                (copy, limit) -> {
                    if (copy.member() == null) {
                        long committed = mode.committedIn(pool.runId());
                        ReplicaSession reached =
                                greet(copy, hello(copy, next, committed, options), limit);
                        boolean kept = false;
                        try {
                            copy.setMember(reached);
                            kept = true;
                        } finally {
                            if (!kept) { // an error of the virtual machine: nobody else knows of it
                                reached.abandon();
                            }
                        }
                        mode.admit(copy, copy.member());
                        requireNearNumber(copy.member());
                        connectData(copy.member());
                    }
                });
    }

    private Request.Hello hello(
            ReplicaTracker copy, long next, long committed, AttachOptions options) {
        RemoteReplica remote = copy.remote();
        return PoolIdentity.of(pool)
                .hello(
                        Purpose.ATTACH,
                        remote.descriptor(),
                        pool.runId(),
                        next,
                        copy.bases(),
                        committed,
                        options.overwrite().contains(remote),
                        options.takeOver(),
                        owner.updateAndGet(SessionOwner::next),
                        fabrics.offeredTo(remote),
                        settings);
    }

    /**
     * Does a step with all at once. Those whose failure is no reason to stop are left out.
     *
     * @throws LeftOutException when they may know of the new number: it must not be used then
     */
    private static void together(
            List<ReplicaTracker> taking, SwitchMode mode, StepTimes times, Step step)
            throws InterruptedException, LeftOutException {
        Throwable[] failures =
                Parallel.collect(taking.size(), index -> timed(taking.get(index), times, step));
        boolean numberIsKnown = false;
        for (int i = failures.length - 1; i >= 0; i--) {
            ReplicaTracker copy = taking.get(i);
            if (failures[i] instanceof FarheapException why) {
                boolean without = mode.goesOnWithout(copy, why);
                if (without || mode.poolIsOpen()) {
                    copy.become(AttachDecisions.stateAfter(why), why.getMessage());
                }
                if (without) {
                    numberIsKnown |= !(why instanceof NotReachedException);
                    failures[i] = null;
                    taking.remove(i);
                }
            }
        }
        Parallel.throwFirst(failures);
        if (numberIsKnown) {
            throw new LeftOutException();
        }
    }

    private static void timed(ReplicaTracker copy, StepTimes times, Step step)
            throws InterruptedException {
        long begin = System.nanoTime();
        Deadline limit = times.limit(copy);
        if (copy.member() != null) {
            copy.member().within(limit);
        }
        try {
            step.apply(copy, limit);
        } finally {
            times.took(copy, System.nanoTime() - begin);
        }
    }

    /** The pool's number goes beyond all others: a lie must not push it to the end of numbers. */
    void requireNearNumber(ReplicaSession member) {
        long number = largestNumber(member.verdict().slot());
        if (!RunNumbers.isNear(number, pool.runId())) {
            throw member.fault(
                    "it claims the number "
                            + number
                            + ", which is too far from the pool's "
                            + pool.runId()
                            + "; "
                            + AttachDecisions.overwriting(pool.poolsetFile(), member.replica()));
        }
    }

    private static long largestNumber(SlotReport slot) {
        return Math.max(slot.cur(), slot.next());
    }

    private static long largestNumber(List<ReplicaTracker> taking) {
        long largest = 0;
        for (ReplicaTracker copy : taking) {
            largest = Math.max(largest, largestNumber(copy.member().verdict().slot()));
        }
        return largest;
    }

    private void switchTo(long next, List<ReplicaTracker> taking, SwitchMode mode, StepTimes times)
            throws InterruptedException, LeftOutException {
        together(taking, mode, times, (copy, limit) -> mode.bringUp(copy, copy.member(), next));
        note(taking, next);
        pool.switchRunId(next);
        mode.switched(next);
        taking.forEach(copy -> copy.equalIn(next));
        together(taking, mode, times, (copy, limit) -> copy.member().confirm(next, copy.isAsync()));
        for (ReplicaTracker copy : taking) {
            copy.member().within(Deadline.NONE);
            copy.attached(next);
            if (copy.map() != null && !copy.isAsync()) {
                copy.setMap(null);
                removeMap(copy);
            }
        }
    }

    /**
     * Step 5: whoever is not among them, or may lag, has a map that goes with the new number, or
     * none. A map that fails may have the new number all the same, on the medium, and is not marked
     * any more: the pool must never have that number then.
     */
    private void note(List<ReplicaTracker> taking, long next) throws LeftOutException {
        boolean told = false;
        for (ReplicaTracker copy : copies) {
            boolean member = taking.contains(copy);
            if (member && !copy.isAsync()) {
                continue;
            }
            try {
                requireMarkable(copy);
                if (member) {
                    noteLag(copy, next);
                } else {
                    noteAbsence(copy, next);
                }
            } catch (FarheapException | InternalError e) {
                told |= copy.map() != null;
                giveUpMap(copy, e.getMessage());
            }
        }
        if (told) {
            throw new LeftOutException();
        }
    }

    private static void requireMarkable(ReplicaTracker copy) {
        if (copy.map() != null && copy.map().failure() != null) {
            throw new FarheapException(FarheapException.Category.ENVIRONMENT, copy.map().failure());
        }
    }

    /**
     * A member that may lag has everything now: what is committed from here on is noted, until it
     * is known to have it.
     */
    private void noteLag(ReplicaTracker copy, long next) {
        List<Long> bases = List.of(pool.runId(), next);
        boolean covered = copy.map() != null && copy.map().coversLag();
        if (!covered && !copy.hasGap()) {
            copy.setMap(maps.create(copy.remote(), bases, pool.runId(), true));
        }
        if (copy.map() != null) {
            copy.map().switching(pool.runId(), next, bases);
        }
    }

    private void noteAbsence(ReplicaTracker copy, long next) {
        if (copy.map() == null && !copy.hasGap() && !copy.bases().isEmpty()) {
            copy.setMap(maps.create(copy.remote(), copy.bases(), pool.runId(), false));
        }
        if (copy.map() != null) {
            copy.map().switching(pool.runId(), next);
        }
    }

    private void giveUpMap(ReplicaTracker copy, String why) {
        LOG.warn(
                "{}: what changes is not noted for the replica {}, which is compared as a whole"
                        + " when it is back: {}",
                pool.poolsetFile(),
                copy.remote(),
                why);
        copy.giveUpMap(why);
        removeMap(copy);
    }

    /** One that stays does no harm: the pool's next number is not in it. */
    private void removeMap(ReplicaTracker copy) {
        try {
            maps.remove(copy.remote());
        } catch (FarheapException e) {
            LOG.warn(
                    "{}: {}; it means nothing any more and may be removed",
                    pool.poolsetFile(),
                    e.getMessage());
        }
    }

    /** All connections are ended, and nobody marks maps any more. */
    void close() {
        copies.forEach(this::closeConnections);
        staging.close();
        maps.close();
    }
}
