package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.Bases;
import io.farheap.replication.dirty.DirtyMaps;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.OverwriteRefusedException;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.RunNumbers;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
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

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final RandomGenerator random;

    /** Changed by the thread that switches, and read by any. */
    private final List<ReplicaTracker> copies = new CopyOnWriteArrayList<>();

    private final SwitchMaps maps;
    private final RecordedStep recorded;
    private final Greetings greetings;

    /**
     * By number, the last record that is known to be committed; at open, that any copy had: one
     * that commits waited for and that lacks it may have been put back to an earlier moment.
     */
    private final Map<Long, Long> lastHeard = new ConcurrentHashMap<>();

    /** Those that were taken out of the poolset file. */
    private final Departures departures = new Departures();

    private volatile Runnable listener = () -> {};

    /** What went to members that were let go. */
    private final AtomicLong earlierBytes = new AtomicLong();

    /** Of a pool without automatic fail-over. */
    public EpochSwitch(
            ReplicatedPool pool,
            ReplicationSettings settings,
            AgentConnector connector,
            Fabrics fabrics,
            RandomGenerator random,
            DirtyMaps maps) {
        this(pool, settings, connector, fabrics, random, maps, SwitchRecorder.NONE);
    }

    /**
     * @param recorder is told of every switch, before the pool has its number
     */
    public EpochSwitch(
            ReplicatedPool pool,
            ReplicationSettings settings,
            AgentConnector connector,
            Fabrics fabrics,
            RandomGenerator random,
            DirtyMaps maps,
            SwitchRecorder recorder) {
        this.pool = pool;
        this.settings = settings;
        this.random = random;
        this.maps = new SwitchMaps(pool, maps, copies);
        this.recorded = new RecordedStep(recorder, pool, settings);
        this.greetings =
                new Greetings(pool, settings, connector, fabrics, recorded, this::smallestImage);
        String name = pool.poolsetFile().toString();
        for (RemoteReplica remote : pool.remotes()) {
            ReplicaPolicy policy = policy(remote, settings);
            copies.add(new ReplicaTracker(remote, copies.size(), policy, name));
        }
    }

    /** Where switches are recorded, how few copies are enough decides instead of a policy. */
    private ReplicaPolicy policy(RemoteReplica remote, ReplicationSettings now) {
        ReplicaPolicy said = now.policies().of(remote.toString(), pool.policy(remote));
        return recorded.isNeeded() && said != ReplicaPolicy.ASYNC ? ReplicaPolicy.DEGRADE : said;
    }

    /** Calls this, on any thread, when a replica comes into another state. */
    public void onChange(Runnable called) {
        listener = called;
        copies.forEach(copy -> copy.onChange(called));
    }

    /**
     * One more replica, which is no member yet, and which no switch waits for until it was one.
     *
     * @param index its place among the remote ones of the poolset file
     * @param now as the settings are now
     */
    ReplicaTracker add(RemoteReplica remote, int index, ReplicationSettings now) {
        Bases known = departures.known(remote);
        ReplicaTracker copy =
                ReplicaTracker.added(
                        remote, index, policy(remote, now), pool.poolsetFile().toString(), known);
        copy.onChange(listener);
        copies.add(copy);
        return copy;
    }

    /** The replicas are shown in this order from now on. */
    void arrange(List<RemoteReplica> order) {
        copies.sort(
                Comparator.comparingInt(
                        copy -> {
                            int place = order.indexOf(copy.remote());
                            return place < 0 ? order.size() : place;
                        }));
        listener.run();
    }

    /**
     * The pool has a number that those don't have that the switch to it was without: they have
     * left. Their files stay as they are: they have a number that the pool never has again. Their
     * maps are to be {@linkplain SwitchMaps#departed removed}: the pool's number is not in them.
     */
    private void leaveBehind() {
        if (!departures.havePassed(pool.runId())) {
            return;
        }
        List<ReplicaTracker> going = departures.going();
        departures.passed(going.stream().map(this::left).toList());
        boolean unused = copies.removeAll(going);
        listener.run();
    }

    private Departures.Left left(ReplicaTracker copy) {
        ReplicaSession member = copy.state() == State.ATTACHED ? copy.member() : null;
        if (member == null) {
            closeConnections(copy);
        } else {
            earlierBytes.getAndAdd(member.bytesSent());
            copy.setMember(null);
        }
        return new Departures.Left(copy, member);
    }

    /** Those that have left since this was asked last. */
    List<Departures.Left> takeLeft() {
        return departures.takeLeft();
    }

    /**
     * @param remotes all that there are, or will be
     * @throws FarheapException WRONG_USE where one of them can't be recorded
     */
    void requireRecordable(List<RemoteReplica> remotes) {
        recorded.requireRecordable(remotes);
    }

    /**
     * Asked before a switch that can wait: commits would be held up until it is recorded.
     *
     * @throws FarheapException it would not be now
     */
    void requireRecording() {
        recorded.requireRecording();
    }

    /** Whether the pool may go on with so many other copies that commits wait for. */
    boolean isEnough(long members) {
        return recorded.hasEnough(members);
    }

    /** How few copies commits want, the pool's own among them. */
    int minCopies() {
        return recorded.minCopies();
    }

    /** Whether commits would not wait for one that is added. */
    boolean mayLag(RemoteReplica remote, ReplicationSettings now) {
        return policy(remote, now) == ReplicaPolicy.ASYNC;
    }

    /**
     * That of the pool as it is where there is no member: whether it can grow is not known here.
     */
    private long smallestImage() {
        return members().stream()
                .map(ReplicaTracker::member)
                .filter(Objects::nonNull)
                .mapToLong(member -> member.verdict().imageSize())
                .min()
                .orElseGet(() -> pool.image().byteSize());
    }

    /** Whether switches are recorded. */
    boolean isRecorded() {
        return recorded.isNeeded();
    }

    /**
     * How long a switch that commits wait for takes at most where the pool can do without every
     * replica: each of them may be slow until it is left out, one after the other.
     */
    Duration bound() {
        long optional = copies.stream().filter(ReplicaTracker::isOptional).count();
        return settings.attachTimeout().multipliedBy(1 + optional).plus(recorded.bound());
    }

    /** Says hello to them. */
    Greetings greetings() {
        return greetings;
    }

    /** The dirty maps of those that are left out or lag. */
    SwitchMaps maps() {
        return maps;
    }

    /**
     * @throws FarheapException when its content must not be given up yet
     */
    void requireUnnamed(ReplicaSession member) {
        recorded.requireUnnamed(member);
    }

    /** Why nothing may be committed any more; null: it may. */
    PoolDeposedException deposed() {
        return recorded.deposed();
    }

    /** All remote replicas, in the order of the poolset file. */
    List<ReplicaTracker> copies() {
        return copies;
    }

    /** The members of the epoch under way. */
    List<ReplicaTracker> members() {
        return copies.stream().filter(copy -> copy.state() == State.ATTACHED).toList();
    }

    /**
     * At open: whatever the tails hold, the replicas get the local content; new ones get all of it,
     * older ones what changed since. The epoch that is now {@code pool.runId()} has the {@link
     * #members} that could be attached.
     *
     * @return their connections
     */
    public List<ReplicaSession> atOpen(AttachOptions options) throws InterruptedException {
        recorded.adopt();
        maps.findAll();
        copies.forEach(copy -> copy.equalIn(pool.runId()));
        if (!recorded.tail().isEmpty()) {
            // Who is away now may lack any of it, and no map has it.
            copies.forEach(copy -> copy.giveUpMap("it may lack records of the copy taken over"));
        }
        hear(recorded.tail().epoch(), recorded.tail().applied());
        AttachOptions ordered = recorded.isNeeded() ? endingOthers(options) : options;
        if (!recorded.isNeeded()) {
            return atOpen(ordered, SwitchAtOpen.Patience.USUAL);
        }
        boolean all = recorded.needsFormerWriter(copies);
        SwitchAtOpen.Patience little =
                all ? SwitchAtOpen.Patience.FORMER_WRITER_TOO : SwitchAtOpen.Patience.LITTLE;
        Set<ReplicaTracker> inVain = new HashSet<>();
        try {
            return recorded.isNew()
                    ? atOpen(ordered, little)
                    : atOpenWithWhole(ordered, little, all ? named() : Set.of(), inVain);
        } catch (TooFewCopiesException e) {
            // Other copies take their time, and are brought back later where the pool can be opened
            // without them.
            LOG.info(
                    "{} So the others are waited for longer, and copies that lack something are"
                            + " brought up to date first.",
                    e.getMessage());
            return atOpen(
                    recorded.toBringBack(copies, ordered),
                    inVain.isEmpty()
                            ? SwitchAtOpen.Patience.ALL_IT_TAKES
                            : SwitchAtOpen.Patience.ALL_BUT_FORMER_WRITERS);
        }
    }

    /**
     * Whoever lacks something is brought up to date while the pool is open: that may take hours,
     * and nobody commits meanwhile. If there are too few without them they are brought up first;
     * but before that a former writer's copy, which has everything, is asked for.
     *
     * @param awaited those that the pool can't be opened without
     * @param inVain gets the former writers' copies that were waited for and did not come back
     */
    private List<ReplicaSession> atOpenWithWhole(
            AttachOptions options,
            SwitchAtOpen.Patience patience,
            Set<ReplicaTracker> awaited,
            Set<ReplicaTracker> inVain)
            throws InterruptedException {
        SwitchAtOpen mode = SwitchAtOpen.ofWhole(pool, options, recorded, patience, awaited);
        try {
            return run(copies, options, mode);
        } catch (TooFewCopiesException e) {
            if (!mode.takesFormerWriters() && !mode.leftFormerWriters().isEmpty()) {
                LOG.info("{} So a former writer's copy is asked for.", e.getMessage());
                return atOpenWithFormerWriters(options, mode.leftFormerWriters(), inVain);
            }
            inVain.addAll(mode.leftFormerWriters());
            if (!mode.hasLeftLacking()) {
                throw e;
            }
            LOG.info("{} So copies that lack something are brought up to date.", e.getMessage());
            return atOpen(options, inVain.isEmpty() ? patience : SwitchAtOpen.Patience.LITTLE);
        }
    }

    /**
     * One whose agent hangs has the attach timeout, too: another copy may be back meanwhile, or one
     * that lacks something make enough. One that did come back has a heap to be compared, which may
     * take longer, and still less than a copy of all of it.
     */
    private List<ReplicaSession> atOpenWithFormerWriters(
            AttachOptions options, Set<ReplicaTracker> asked, Set<ReplicaTracker> inVain)
            throws InterruptedException {
        SwitchAtOpen.Patience too = SwitchAtOpen.Patience.FORMER_WRITER_TOO;
        SwitchAtOpen mode = SwitchAtOpen.ofWhole(pool, options, recorded, too, Set.of());
        try {
            return run(copies, options, mode);
        } catch (TooFewCopiesException e) {
            if (mode.hasLeftLacking() && mode.leftFormerWriters().containsAll(asked)) {
                LOG.info(
                        "{} So copies that lack something are brought up to date.", e.getMessage());
                return atOpen(options, SwitchAtOpen.Patience.LITTLE);
            }
            LOG.info("{} So a former writer's copy is waited for longer.", e.getMessage());
            return atOpenWithWhole(options, too, asked, inVain);
        }
    }

    private Set<ReplicaTracker> named() {
        return copies.stream()
                .filter(copy -> recorded.names(copy.remote()))
                .collect(Collectors.toSet());
    }

    private List<ReplicaSession> atOpen(AttachOptions options, SwitchAtOpen.Patience patience)
            throws InterruptedException {
        SwitchMode mode = new SwitchAtOpen(pool, options, recorded, patience, maps::consumed);
        return run(copies, options, mode);
    }

    /** The record says that whoever has a replica now has no right to it any more. */
    private AttachOptions endingOthers(AttachOptions options) {
        if (!options.overwrite().isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s: no replica of a pool under automatic fail-over is overwritten by order:"
                            + " its record says which copies count",
                    pool.poolsetFile());
        }
        return new AttachOptions(
                options.overwrite(), true, options.verify(), options.progress(), options.pacer());
    }

    /**
     * In the same run: each replica applies the records that were committed and drops the others.
     * So do those that were not lost: they may have records that were rolled back
     * (docs/protocol.md#all-into-new-epoch).
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
        return inProcess(committed, joining, Departures.Order.NONE);
    }

    /**
     * The same without some.
     *
     * @param order those leave with it; when it can't be without them, they are what they were
     */
    List<ReplicaSession> inProcess(
            Map<Long, Long> committed, ReplicaTracker joining, Departures.Order order)
            throws InterruptedException {
        committed.forEach(this::hear);
        SwitchMode mode = new SwitchInRun(pool, committed, joining);
        settleEarlier(mode);
        departures.going().stream()
                .filter(copy -> !order.going().contains(copy))
                .forEach(this::closeConnections); // they were members of an epoch that has ended
        departures.begin(order, pool.runId());
        long attached = attached(joining);
        boolean all = !recorded.hasEnough(attached) || attached < departures.least();
        List<ReplicaTracker> wanted =
                copies.stream()
                        .filter(copy -> !departures.isGoing(copy))
                        .filter(
                                copy ->
                                        !copy.isOptional()
                                                || copy.state() == State.ATTACHED
                                                || joins(copy, joining)
                                                || all && mayBeAttached(copy))
                        .toList();
        return run(wanted, AttachOptions.NONE, mode);
    }

    /** Whether those have left that the switch before was to be without is known then, too. */
    private void settleEarlier(SwitchMode mode) throws InterruptedException {
        recorded.settleEarlier(mode);
        leaveBehind();
    }

    private long attached(ReplicaTracker joining) {
        return copies.stream()
                .filter(copy -> copy.state() == State.ATTACHED || joins(copy, joining))
                .filter(copy -> !copy.isAsync() && !departures.isGoing(copy))
                .count();
    }

    private static boolean joins(ReplicaTracker copy, ReplicaTracker joining) {
        return copy == joining && copy.member() != null;
    }

    /** It may be that it has everything: nothing was committed since it was lost. */
    private boolean mayBeAttached(ReplicaTracker copy) {
        boolean copied = copy.state() == State.SYNCING && copy.member() != null;
        boolean wasMember = !copy.isNewcomer() || recorded.names(copy.remote());
        return copy.state() != State.ATTACHED && !copied && !copy.isAsync() && wasMember;
    }

    /** What a replica is asked that was left out, to bring it back. */
    Request.Hello helloTo(ReplicaTracker copy) {
        return greetings.toAttach(
                copy,
                RunNumbers.fresh(pool.runId(), random),
                SlotReport.NOT_KNOWN,
                recorded.toBringBack(copy));
    }

    /** Ends all connections without a word, but those to replicas that are being copied. */
    void closeConnections() {
        closeConnectionsBut(List.of());
    }

    /**
     * The same but those to some others.
     *
     * @param going a word is to be said to them
     */
    void closeConnectionsBut(List<ReplicaTracker> going) {
        copies.stream()
                .filter(copy -> !isBeingCopied(copy) && !going.contains(copy))
                .forEach(this::closeConnections);
    }

    /** Who is whole and was greeted for one number can't be prepared for another one. */
    private static boolean isBeingCopied(ReplicaTracker copy) {
        ReplicaSession member = copy.member();
        return copy.state() == State.SYNCING
                && (member == null || member.verdict().kind() != AttachDecision.CURRENT);
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
            settleEarlier(mode);
            long next = RunNumbers.fresh(Math.max(above, pool.runId()), random);
            boolean switched = false;
            try {
                StepTimes times = times(mode, end);
                reach(taking, next, options, mode, times);
                long whole = taking.stream().filter(copy -> !copy.isAsync()).count();
                recorded.requireEnough(
                        whole, copies.stream().filter(copy -> !taking.contains(copy)).toList());
                departures.requireOthers(pool.poolsetFile(), whole);
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
                    // Also one that was about to join: it may have to take the pool over.
                    recorded.named().forEach(this::closeConnections);
                }
            }
        }
        throw FarheapException.replica(
                "%s: the replicas' numbers changed in every attempt to attach them;"
                        + " end the other program that attaches them",
                pool.poolsetFile());
    }

    private StepTimes times(SwitchMode mode, Deadline end) {
        return new StepTimes(copies, copy -> mode.allSteps(copy, settings.attachTimeout()), end);
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
        new JointSteps(mode, times)
                .withAll(
                        taking,
                        (copy, limit) -> {
                            if (copy.member() == null) {
                                long committed = mode.committedIn(pool.runId());
                                Request.Hello hello =
                                        greetings.toAttach(copy, next, committed, options);
                                ReplicaSession reached =
                                        mode.poolIsOpen()
                                                ? greetings.greet(copy, hello, limit)
                                                : greetings.lookAndGreet(copy, hello, limit, mode);
                                boolean kept = false;
                                try {
                                    copy.setMember(reached);
                                    kept = true;
                                } finally {
                                    if (!kept) { // an error of the virtual machine: nobody else
                                        // knows of it
                                        reached.abandon();
                                    }
                                }
                                if (!mode.poolIsOpen()) {
                                    heard(copy);
                                }
                                admit(copy, mode);
                                greetings.requireNearNumber(copy.member());
                                greetings.connectData(copy.member());
                            }
                        });
    }

    private void heard(ReplicaTracker copy) {
        SlotReport slot = copy.member().verdict().slot();
        copy.reached(slot.journalEpoch(), slot.lastSequence());
        hear(slot.journalEpoch(), slot.lastSequence());
    }

    private void hear(long number, long sequence) {
        lastHeard.merge(number, sequence, Math::max);
    }

    private void admit(ReplicaTracker copy, SwitchMode mode) {
        try {
            mode.admit(copy, copy.member());
        } catch (OverwriteRefusedException e) {
            throw recorded.refusal(e, copy.member());
        }
    }

    private static long largestNumber(List<ReplicaTracker> taking) {
        long largest = 0;
        for (ReplicaTracker copy : taking) {
            largest = Math.max(largest, Greetings.largestNumber(copy.member()));
        }
        return largest;
    }

    /**
     * Steps 3 to 7. All are prepared for the number before the pool has it, so that a crash leaves
     * none that looks older than it is (docs/protocol.md#prepare-before-switch), and it is recorded
     * before that, so that nothing is acknowledged without a copy that the record names
     * (docs/high-availability.md#record-before-ack). When this returns all have confirmed, and not
     * before that the caller opens admission (docs/protocol.md#confirm-before-commit).
     */
    private void switchTo(long next, List<ReplicaTracker> taking, SwitchMode mode, StepTimes times)
            throws InterruptedException, LeftOutException {
        JointSteps steps = new JointSteps(mode, times);
        steps.withAll(taking, (copy, limit) -> mode.bringUp(copy, copy.member(), next));
        for (ReplicaTracker copy : copies) {
            if (taking.contains(copy)) {
                copy.reached(pool.runId(), mode.committedIn(pool.runId()));
            } else if (!copy.mayHaveLagged()) {
                lastHeard.forEach(copy::reached);
            }
        }
        maps.note(taking, departures.going(), next);
        recorded.record(next, taking);
        pool.switchRunId(next);
        leaveBehind();
        mode.switched(next);
        taking.forEach(copy -> copy.equalIn(next));
        steps.withAll(taking, (copy, limit) -> copy.member().confirm(next, copy.isAsync()));
        for (ReplicaTracker copy : taking) {
            copy.member().within(Deadline.NONE);
            copy.attached(next);
            maps.attached(copy);
            if (recorded.isNeeded() && !copy.isAsync()) {
                copy.closeGap();
            }
        }
        recorded.done();
        lastHeard.keySet().removeIf(number -> number < next);
    }

    /** All connections are ended, and nobody marks maps any more. */
    void close() {
        copies.forEach(this::closeConnections);
        greetings.close();
        maps.close();
    }
}
