package io.farheap.replication.epoch;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.PoolPosition;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ScrubResult;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.dirty.RecordMarker;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.replication.dirty.UnmarkableException;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.status.StatusWriter;
import io.farheap.replication.stream.AsyncFeed;
import io.farheap.replication.stream.CommitStream;
import io.farheap.replication.stream.StagingRing;
import io.farheap.replication.stream.StreamMember;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import io.farheap.spi.SinkCounters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the commits of an open pool leave: into the epoch under way, and into the next one where
 * that ends while they wait. What ends epochs and begins them is the {@link ReplicaMonitor}.
 *
 * <p>An epoch is frozen as soon as one of its members can't be waited for. Under {@code fail} its
 * undecided commits roll back, and others are refused until all members are attached again. Under
 * {@code degrade} they wait for the next epoch, which is without the lost one, and claim their
 * records again there: whatever is committed without it has a number that it does not know
 * (docs/protocol.md#switch-before-degraded-commit).
 */
public final class RemoteReplicas implements ReplicaSink {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteReplicas.class);

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;
    private final ReplicaMonitor monitor;
    private final ThreadLocal<RecordMarker> markers = ThreadLocal.withInitial(RecordMarker::new);

    private final EndedPlaces ended = new EndedPlaces(markers);
    private final MemberBounds bounds = new MemberBounds();
    private final CurrentEpoch turn;
    private final long mostRecords;

    /**
     * By the ticket that the caller knows, the one of a later epoch, while that is waited for and
     * after it failed; 0: none was claimed yet.
     */
    private final ConcurrentMap<Long, AtomicLong> claimedAgain = new ConcurrentHashMap<>();

    private final AtomicLong undoing = new AtomicLong();

    private volatile StatusWriter status;
    private volatile Supplier<ReplicationSettings> settingsNow;
    private volatile Comparing comparing;

    // Guarded by this.
    private SinkCounters ofEarlierStreams = SinkCounters.NONE;

    /**
     * Attaches the replicas of a pool.
     *
     * @param switching is closed when this throws
     * @throws FarheapException category REPLICA naming the replica that can't be attached, and why
     */
    public static RemoteReplicas attach(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            EpochSwitch switching) {
        return attach(pool, options, settings, switching, Epoch.MOST_RECORDS);
    }

    /**
     * As above.
     *
     * @param mostRecords of one epoch: after so many another one begins
     */
    static RemoteReplicas attach(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            EpochSwitch switching,
            long mostRecords) {
        boolean attached = false;
        try {
            List<ReplicaSession> unused = switching.atOpen(options);
            RemoteReplicas sink = new RemoteReplicas(pool, settings, switching, mostRecords);
            sink.start();
            attached = true;
            return sink;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.replica(
                    e, "%s: interrupted while its replicas were attached", pool.poolsetFile());
        } finally {
            if (!attached) {
                switching.close();
            }
        }
    }

    /**
     * @param switching has attached those that the first epoch has
     * @param mostRecords of one epoch: after so many another one begins
     */
    private RemoteReplicas(
            ReplicatedPool pool,
            ReplicationSettings settings,
            EpochSwitch switching,
            long mostRecords) {
        this.pool = pool;
        this.mostRecords = mostRecords;
        this.settings = settings;
        this.settingsNow = () -> settings;
        this.switching = switching;
        Duration commits = settings.commitTimeout();
        // One that comes back is let go, what was begun is decided, those that lag get what there
        // is.
        this.turn = new CurrentEpoch(() -> switching.bound().plus(commits.multipliedBy(3)));
        this.monitor = new ReplicaMonitor(this, pool, settings, switching);
    }

    /** Where the settings of replicas that are added come from; else those of the opening count. */
    public void readSettingsBy(Supplier<ReplicationSettings> reading) {
        settingsNow = reading;
    }

    private void start() {
        boolean started = false;
        try {
            begin();
            monitor.start();
            started = true;
        } finally {
            if (!started && turn.now() != null) {
                abandon(turn.now().stream());
            }
        }
    }

    /** What a stream has begun ends with it: else it would reach its members again, for nobody. */
    private static void abandon(CommitStream stream) {
        if (stream != null) {
            stream.abandon();
        }
    }

    /** What ends with this. */
    public void closeAlso(StatusWriter writer) {
        status = writer;
    }

    /** The replicas of the poolset file, attached or not. */
    public List<ReplicaTracker> copies() {
        return switching.copies();
    }

    /** Who compares them from now on, until this is closed. */
    public void compareBy(Comparing comparison) {
        comparing = comparison;
    }

    @Override
    public long comparedMillis() {
        Comparing comparison = comparing;
        return comparison == null ? 0 : comparison.comparedMillis();
    }

    @Override
    public ScrubResult scrub() {
        return comparing == null ? ScrubResult.NOTHING : comparing.scrub();
    }

    /** Opens admission of a new epoch, for those that are attached now. */
    void begin() {
        List<ReplicaTracker> members = switching.members();
        List<StreamMember> links =
                members.stream().map(copy -> copy.member().link(copy.policy())).toList();
        List<ReplicaSession> attached = members.stream().map(ReplicaTracker::member).toList();
        LagDirtyMaps lagMaps = switching.maps().lagging(settings.lag().time());
        bounds.takeImages(members);
        CommitStream stream = members.isEmpty() ? null : stream(members, links, lagMaps);
        boolean begun = false;
        try {
            begin(members, stream, lagMaps);
            begun = true;
        } finally {
            if (!begun) {
                abandon(stream);
                switching.closeConnections(); // what has lost its data connection is not gone on
                // with
            }
        }
        members.forEach(ReplicaTracker::showAttached);
        for (int i = 0; i < links.size(); i++) {
            CommitStream opened = stream;
            StreamMember link = links.get(i);
            attached.get(i).onLost(reason -> opened.lost(link, reason));
        }
        ReplicaEvent.report(
                pool.poolsetFile().toString(),
                "epoch begins",
                pool.runId(),
                members.size() + " members");
    }

    private CommitStream stream(
            List<ReplicaTracker> members, List<StreamMember> links, LagDirtyMaps lagMaps) {
        return new CommitStream(
                pool.poolsetFile().toString(),
                pool.runId(),
                switching.greetings().staging().memory(),
                links,
                settings.stream(),
                new Reconnect(pool, settings, switching, members, monitor::frozen),
                lagMaps);
    }

    private void begin(List<ReplicaTracker> members, CommitStream stream, LagDirtyMaps lagMaps) {
        bounds.take(members, stream, switching.copies());
        Epoch before = turn.now();
        begin(
                new Epoch(
                        before == null ? 1 : 1 + before.index(),
                        pool.runId(),
                        members,
                        stream,
                        switching.maps().absent(),
                        lagMaps,
                        markers,
                        mostRecords,
                        new Ending()));
    }

    /** At once for who asks for {@link #counters}. */
    private synchronized void begin(Epoch next) {
        if (turn.now() != null) {
            ofEarlierStreams = counters();
        }
        turn.begin(next);
    }

    private final class Ending implements Epoch.Listener {
        @Override
        public void unmarked(UnmarkableException why) {
            switching.maps().unmarked(why);
        }

        @Override
        public void ending() {
            monitor.frozen();
        }
    }

    /** Somebody may become a member who was none yet, with a smaller journal than all others. */
    void expectNewcomer() {
        bounds.expectNewcomer();
    }

    @Override
    public void reload(List<RemoteReplica> remotes, boolean alone) {
        monitor.reload(new Reload(remotes, alone, settingsNow.get()));
    }

    public Epoch epoch() {
        return turn.now();
    }

    CurrentEpoch turn() {
        return turn;
    }

    /** Behind all of this thread's: what it claimed in an earlier epoch is in every later one. */
    @Override
    public PoolPosition position() {
        Epoch now = turn.now();
        CommitStream stream = now.stream();
        return new PoolPosition(now.number(), stream == null ? 0 : stream.lastSequence());
    }

    @Override
    public long maxEntryBytes() {
        return bounds.maxEntryBytes();
    }

    @Override
    public long pieceEntryBytes() {
        return bounds.pieceEntryBytes();
    }

    /** The images keep their sizes: those of lost members count on, they will be back. */
    @Override
    public long imageBytes() {
        return bounds.imageBytes();
    }

    @Override
    public long append(long entryBytes, RecordSource source) {
        return append(turn.now(), entryBytes, source);
    }

    private long append(Epoch first, long entryBytes, RecordSource source) {
        Epoch now = first;
        while (true) {
            long sequence = now.append(entryBytes, source);
            if (sequence != StagingRing.CLOSED) {
                return now.ticket(sequence);
            }
            now = turn.after(now);
        }
    }

    @Override
    public long awaitDurable(long ticket, long entryBytes, RecordSource source) {
        long known = ticket;
        Epoch now = turn.now();
        while (!now.awaitDurable(Epoch.sequence(known))) {
            if (!now.goesOn()) {
                throw now.stream().unknown();
            }
            known = claimAgain(now, ticket, entryBytes, source);
            now = turn.now();
        }
        if (known != ticket) {
            AtomicLong unused = claimedAgain.remove(ticket);
        }
        return known;
    }

    /**
     * The members of the next epoch have dropped what was not decided in this one
     * (docs/protocol.md#claim-again).
     */
    private long claimAgain(Epoch ended, long ticket, long entryBytes, RecordSource source) {
        try {
            // Before the claim: what fails behind it finds the ticket.
            AtomicLong again = claimedAgain.computeIfAbsent(ticket, first -> new AtomicLong());
            long claimed = append(following(ended), entryBytes, source);
            again.set(claimed);
            return claimed;
        } catch (FarheapException e) {
            throw unknown(ended, e);
        }
    }

    private Epoch following(Epoch ended) {
        boolean found = false;
        ended.beginWaiting();
        try {
            Epoch following = turn.after(ended);
            found = true;
            return following;
        } finally {
            if (!found) {
                ended.endWaiting();
            }
        }
    }

    /** The lost replica may have the record, which was not made durable without it. */
    private static FarheapException unknown(Epoch ended, FarheapException why) {
        if (why instanceof PoolDeposedException over) {
            return over.ofWaiting();
        }
        CommitUnknownException lost = ended.stream().unknown();
        lost.addSuppressed(why);
        return lost;
    }

    @Override
    public void committed(long ticket, RecordSource source) {
        ended.mark(source);
        turn.now().committed(Epoch.sequence(ticket));
    }

    @Override
    public void undoing() {
        undoing.getAndIncrement();
    }

    @Override
    public void undone(RecordSource source) {
        ended.mark(source);
        undoing.getAndDecrement();
    }

    @Override
    public void undoFailed() {
        try {
            turn.setOver(failedHere());
            monitor.wake();
        } finally {
            undoing.getAndDecrement();
        }
    }

    /** From now on whatever ends marks its places in these. */
    void setCopying(RegionSet[] sets) {
        ended.setCopying(sets);
    }

    /** From now on whatever ends marks its places in this one, too; null: in no further one. */
    public void setWatching(RegionSet set) {
        ended.setWatching(set);
    }

    /** Whether a transaction is putting back what it stored in place. */
    public boolean isUndoing() {
        return undoing.get() > 0;
    }

    @Override
    public void rolledBack(long ticket) {
        long known = lastTicket(ticket);
        Epoch now = turn.now();
        // The members of an earlier epoch dropped the record when that ended.
        if (now.isOf(known)) {
            now.rolledBack(Epoch.sequence(known));
        }
        forget(ticket);
    }

    /** What a record that failed is known by in the epoch that it came to. */
    private long lastTicket(long ticket) {
        AtomicLong again = claimedAgain.isEmpty() ? null : claimedAgain.get(ticket);
        return again == null || again.get() == 0 ? ticket : again.get();
    }

    private void forget(long ticket) {
        if (!claimedAgain.isEmpty()) {
            AtomicLong unused = claimedAgain.remove(ticket);
        }
    }

    /** In this order: whoever sees that nobody is under way any more sees why nothing follows. */
    @Override
    public void broken(long ticket) {
        turn.setOver(failedHere());
        long known = lastTicket(ticket);
        forget(ticket);
        Epoch now = turn.now();
        if (now.isOf(known)) {
            now.broken(Epoch.sequence(known));
        }
        monitor.wake();
    }

    /** Another node has taken the pool over: nothing is committed any more. On any thread. */
    void depose(PoolDeposedException why) {
        turn.setOver(why);
        Epoch now = turn.now();
        now.closeAdmission();
        if (now.stream() != null) {
            String any = now.members().get(0).remote().toString();
            now.stream().freeze(any, why); // who waits for an answer waits in vain
        }
        monitor.wake();
    }

    private FarheapException failedHere() {
        return FarheapException.replica(
                "%s: the pool failed in the middle of a commit or roll-back, whose"
                        + " outcome is decided when it is opened again; close the pool and open"
                        + " it again",
                pool.poolsetFile());
    }

    @Override
    public List<ReplicaStatus> replicas() {
        Epoch now = turn.now();
        CommitStream stream = now.stream();
        long sequence = stream == null ? 0 : stream.durableSequence();
        return switching.copies().stream()
                .map(copy -> copy.status(sequence, feed(now, copy)))
                .toList();
    }

    private static AsyncFeed feed(Epoch now, ReplicaTracker copy) {
        boolean fed = copy.isAsync() && now.members().contains(copy);
        return fed ? now.stream().feed(copy.remote().toString()) : null;
    }

    @Override
    public synchronized SinkCounters counters() {
        long workRequests = ofEarlierStreams.workRequests();
        long doorbells = ofEarlierStreams.doorbells();
        CommitStream stream = turn.now().stream();
        if (stream != null) {
            for (FabricCounters posted : stream.counters()) {
                workRequests += posted.workRequests();
                doorbells += posted.doorbells();
            }
        }
        return new SinkCounters(workRequests, doorbells, switching.bytesSent());
    }

    /**
     * Has the replicas apply everything, within the commit's bound, and lets them go, within that
     * bound again. That one of them was not there is only reported: it has every commit that
     * returned, or a map of what it lacks, and the next open brings it to where this pool is.
     */
    @Override
    public void close() {
        if (!turn.close()) {
            return;
        }
        if (comparing != null) {
            comparing.stop();
        }
        boolean interrupted = monitor.stop();
        CommitStream stream = turn.now().stream();
        if (stream != null && turn.missing() == null && !stream.isFrozen()) {
            interrupted |= endInOrder(stream);
        }
        switching.closeConnections();
        if (comparing != null) {
            interrupted |= comparing.awaitStopped();
        }
        if (stream != null) {
            stream.abandon();
        }
        switching.close();
        if (status != null) {
            status.close();
        }
        ReplicaEvent.report(pool.poolsetFile().toString(), "closed", pool.runId(), "");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * @return whether the caller was interrupted meanwhile
     */
    private boolean endInOrder(CommitStream stream) {
        try {
            stream.drain(settings.commitTimeout());
            long last = stream.lastSequence();
            List<ReplicaTracker> attached = turn.now().members();
            Parallel.forEach(
                    attached.size(),
                    index -> {
                        ReplicaSession member = attached.get(index).member();
                        if (member != null) { // else a switch under way had let it go
                            // Whoever has its control connection for something else, too.
                            member.within(Deadline.in(settings.commitTimeout()));
                            if (attached.get(index).isAsync()) {
                                member.caughtUp(last);
                            }
                            member.close();
                        }
                    });
        } catch (FarheapException e) {
            LOG.warn(
                    "{}: a replica was not there at the end: {}",
                    pool.poolsetFile(),
                    e.getMessage());
        } catch (InterruptedException e) {
            return true;
        }
        return false;
    }
}
