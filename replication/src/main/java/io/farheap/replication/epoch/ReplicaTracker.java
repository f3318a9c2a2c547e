package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.Bases;
import io.farheap.replication.dirty.DirtyMap;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.stream.AsyncFeed;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an open pool knows of one remote replica: whether it takes part, since when and why not, and
 * what proves that its copy is an ancestor. Changed by whoever attaches and by the pool's monitor,
 * one thread at a time; read by any.
 */
public final class ReplicaTracker {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaTracker.class);

    private final RemoteReplica remote;
    private final int index;
    private final ReplicaPolicy policy;
    private final String pool;

    /** Where its content was the pool's. */
    private volatile Bases equalIn = Bases.NONE;

    private volatile ReplicaSession member;
    private volatile DirtyMap map;

    /** Why what changes is not noted for it, as it would have to be; null: it is. */
    private volatile String gap;

    /** Whether it is to be a member for the first time, while the pool is open. */
    private volatile boolean newcomer;

    /** Whether an agent was asked for it, by which it may be held. */
    private volatile boolean asked;

    /** When it leaves; empty: it stays. */
    private volatile String leaving = "";

    private volatile RegionSet left;
    private final Differences differences = new Differences();
    private final AtomicInteger reported = new AtomicInteger();
    private volatile Runnable listener = () -> {};

    // Guarded by this.
    private State state = State.LOST;

    // What is shown, guarded by this.
    private State shown = state;
    private String reason = "not attached yet";
    private long sinceMillis = System.currentTimeMillis();
    private long behindSinceMillis = sinceMillis;
    private long epoch;
    private boolean untilReopened;

    /**
     * @param index its place among the remote ones of its poolset
     * @param pool the poolset file, for messages
     */
    ReplicaTracker(RemoteReplica remote, int index, ReplicaPolicy policy, String pool) {
        this.remote = remote;
        this.index = index;
        this.policy = policy;
        this.pool = pool;
    }

    /**
     * One that is added while the pool is open: no switch waits for it until it has been a member.
     *
     * @param known where its content was the pool's, in which it had no part since
     */
    static ReplicaTracker added(
            RemoteReplica remote, int index, ReplicaPolicy policy, String pool, Bases known) {
        ReplicaTracker copy = new ReplicaTracker(remote, index, policy, pool);
        copy.newcomer = true;
        copy.equalIn = known;
        copy.reason = "the poolset file names it now; it is reached";
        if (!known.isEmpty()) {
            copy.gap = "the poolset file did not name it for a while";
        }
        return copy;
    }

    public RemoteReplica remote() {
        return remote;
    }

    /** Whether it was added, and has been no member yet. */
    boolean isNewcomer() {
        return newcomer;
    }

    /** A hello is said to its agent. */
    void ask() {
        asked = true;
    }

    /** Whether an agent may have it for this run. */
    boolean wasAsked() {
        return asked || !newcomer;
    }

    /** The poolset file does not name it any more; empty: it does. */
    void setLeaving(String when) {
        leaving = when;
    }

    int index() {
        return index;
    }

    /** Whether the pool goes on without it. */
    boolean isOptional() {
        return policy != ReplicaPolicy.FAIL || newcomer;
    }

    ReplicaPolicy policy() {
        return policy;
    }

    /** Whether commits don't wait for it. */
    boolean isAsync() {
        return policy == ReplicaPolicy.ASYNC;
    }

    /** Whether it may rightly lack commits that all others have. */
    boolean mayHaveLagged() {
        DirtyMap known = map;
        return isAsync() || known != null && known.coversLag();
    }

    /** Whether its map says all that may differ, given what it says of itself. */
    boolean isNoted(SlotReport slot) {
        DirtyMap known = map;
        return known != null
                && known.failure() == null
                && known.bases().isOneOf(slot)
                && (!slot.mayLag() || known.coversLag());
    }

    /** Calls this when it comes into another state. */
    void onChange(Runnable called) {
        listener = called;
    }

    /** Its connections as a member, or on the way there; null where there are none. */
    public ReplicaSession member() {
        return member;
    }

    void setMember(ReplicaSession reached) {
        member = reached;
    }

    /** Its dirty map, while it is left out or may lag; null where there is none. */
    DirtyMap map() {
        return map;
    }

    void setMap(DirtyMap found) {
        map = found;
    }

    /**
     * Its map can't be kept: what changes from now on is not noted until all of it was copied. The
     * numbers still prove that it is an ancestor of the pool.
     */
    void giveUpMap(String why) {
        DirtyMap given = map;
        if (given != null) {
            equalIn = given.bases();
        }
        map = null;
        gap = why;
    }

    /** Whether a map of it could not be kept since all of it was copied. */
    boolean hasGap() {
        return gap != null;
    }

    /** It has everything, whatever was not noted for it. */
    void closeGap() {
        gap = null;
    }

    /** What is left to be copied to it, while it is SYNCING. */
    void setLeft(RegionSet regions) {
        left = regions;
    }

    /**
     * What its slot may have if it is an ancestor of the pool as it is now: of its map if there is
     * one, else those in which it was equal.
     */
    Bases bases() {
        DirtyMap known = map;
        return known != null ? known.bases() : equalIn;
    }

    /** Its content is the pool's in that number, too. */
    void equalIn(long number) {
        equalIn = equalIn.with(number);
    }

    /** It is known to have had a record of a number. */
    void reached(long number, long sequence) {
        equalIn = equalIn.reached(number, sequence);
        DirtyMap known = map;
        if (known != null) {
            known.reached(number, sequence);
        }
    }

    /** It gets all that it lacks: nothing is known of its content any more. */
    void forgetContent() {
        equalIn = Bases.NONE;
        map = null;
        gap = null;
    }

    /** It takes part in the epoch from its first record on, which is still to come. */
    void attached(long number) {
        equalIn = Bases.of(number);
        newcomer = false;
        synchronized (this) {
            epoch = number;
            state = State.ATTACHED;
        }
    }

    /** Commits are let in: shows that it is attached. */
    void showAttached() {
        left = null;
        become(
                State.ATTACHED,
                (isAsync() ? "it gets every commit of epoch " : "it has every commit of epoch ")
                        + epochNumber()
                        + (overVerbs() ? ", over RDMA" : ""));
    }

    private boolean overVerbs() {
        ReplicaSession reached = member;
        return reached != null && reached.fabric() == FabricKind.VERBS;
    }

    private synchronized long epochNumber() {
        return epoch;
    }

    /** Shows another state, with the reason; says so once. */
    void become(State next, String why) {
        boolean news;
        synchronized (this) {
            news = next != shown;
            if (news) {
                sinceMillis = System.currentTimeMillis();
                if (shown == State.ATTACHED) {
                    behindSinceMillis = sinceMillis;
                }
            }
            state = next;
            shown = next;
            reason = why;
        }
        if (!news) {
            LOG.debug("{}: replica {} is still {}: {}", pool, remote, next, why);
            return;
        }
        if (next == State.ATTACHED || next == State.SYNCING) {
            LOG.info("{}: replica {} is {}: {}", pool, remote, next, why);
        } else {
            LOG.warn("{}: replica {} is {}: {}", pool, remote, next, why);
        }
        ReplicaEvent.report(pool, remote + " " + next, epoch, why);
        listener.run();
    }

    /** Nobody looks for it any more: it is lost until the pool is opened again. */
    void becomeLostUntilReopened(String why) {
        synchronized (this) {
            untilReopened = true;
        }
        become(State.LOST, why);
    }

    /**
     * A range was compared with the pool.
     *
     * @param found what differs in it
     * @return what of it was not known
     */
    public List<ByteRange> compared(ByteRange range, List<ByteRange> found) {
        if (found.isEmpty() && differences.isEmpty()) {
            return List.of();
        }
        List<ByteRange> news = differences.compared(range.offset(), range.length(), found);
        if (!news.isEmpty()) {
            listener.run();
        }
        return news;
    }

    /** Counts one more difference that is reported. */
    public int countReported() {
        return reported.incrementAndGet();
    }

    private List<ReplicaDifference> differences() {
        return differences.all().stream()
                .map(
                        range ->
                                new ReplicaDifference(
                                        remote.toString(), range.offset(), range.length()))
                .toList();
    }

    /** As it is, though it may not be shown yet. */
    public synchronized State state() {
        return state;
    }

    /**
     * How it is now.
     *
     * @param sequence the last record that all have that commits wait for, of the epoch under way
     * @param feed how far it is that commits don't wait for; null: they do
     */
    synchronized ReplicaStatus status(long sequence, AsyncFeed feed) {
        Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
        boolean attached = shown == State.ATTACHED;
        return new ReplicaStatus(
                remote.toString(),
                policy,
                shown,
                epoch,
                !attached ? 0 : feed == null ? sequence : feed.replica().durableSequence(),
                !attached ? bytesBehind() : feed == null ? 0 : feed.lagBytes(),
                attached
                        ? Duration.ofNanos(feed == null ? 0 : feed.lagNanos())
                        : Duration.between(Instant.ofEpochMilli(behindSinceMillis), now),
                Instant.ofEpochMilli(sinceMillis),
                reason + gapText(attached) + leaving,
                nextStep(),
                differences());
    }

    /** That it takes no part, and why. */
    synchronized String absence() {
        String which = "replica " + remote + ": ";
        return shown + ": " + (reason.startsWith(which) ? "" : which) + reason;
    }

    private String gapText(boolean attached) {
        String why = gap;
        if (why == null) {
            return "";
        }
        return attached
                ? "; where it lags is not noted: a full comparison follows if this program dies ("
                        + why
                        + ")"
                : "; what it lacks is not noted: a full comparison follows when it is back ("
                        + why
                        + ")";
    }

    private long bytesBehind() {
        RegionSet copying = left;
        DirtyMap known = map;
        if (shown == State.SYNCING) {
            return copying == null ? -1 : copying.bytes();
        }
        return known == null ? -1 : known.bytes();
    }

    private String nextStep() {
        return switch (shown) {
            case ATTACHED ->
                    differences.isEmpty()
                            ? ""
                            : "close the program, then: "
                                    + AttachDecisions.directions(Path.of(pool), remote);
            case SYNCING -> "";
            case LOST -> untilReopened ? "close the pool and open it again" : lostNextStep();
            case REFUSED -> "decide which copy is to be kept, as the reason says";
        };
    }

    private String lostNextStep() {
        return isOptional()
                ? "see that the target and its agent can be reached, or do what the reason"
                        + " says; the replica catches up by itself then"
                : "see that the target and its agent can be reached, or take the replica"
                        + " out of the poolset file; commits are refused until then";
    }

    public FarheapException fault(String what) {
        return FarheapException.replica("replica %s: %s", remote, what);
    }
}
