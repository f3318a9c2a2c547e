package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attached remote replicas of an open pool, under the policy {@code fail}: as soon as one of
 * them can't be waited for, the stream is frozen, what is undecided is rolled back by its
 * committers, and all members enter a new epoch before the next commit. Until they have, commits
 * are refused at once and a thread of this tries again and again; reads go on.
 */
final class RemoteReplicas implements ReplicaSink {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteReplicas.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final ReplicatedPool pool;
    private final ReplicationSettings settings;
    private final EpochSwitch switching;
    private final EpochStream.Factory streams;
    private final CommitGate gate = new CommitGate();
    private final long maxEntryBytes;

    private volatile EpochStream stream;
    private volatile FarheapException lost;

    // Guarded by this.
    private List<Member> members;
    private Thread reattaching;
    private boolean closing;

    /**
     * @param members of the epoch {@code pool.runId()}, confirmed
     */
    RemoteReplicas(
            ReplicatedPool pool,
            ReplicationSettings settings,
            EpochSwitch switching,
            EpochStream.Factory streams,
            List<Member> members) {
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
        this.streams = streams;
        begin(members);
        this.maxEntryBytes = stream.maxEntryBytes();
    }

    /** Opens the stream and the gate, unless a member is lost again by then. */
    private synchronized void begin(List<Member> confirmed) {
        lost = null;
        members = confirmed;
        EpochStream opened =
                streams.open(pool.runId(), confirmed, switching.staging(), this::memberLost);
        stream = opened;
        if (lost == null) {
            gate.open();
        }
        for (Member member : confirmed) {
            member.onLost(
                    reason -> {
                        opened.freeze(reason);
                        memberLost(reason);
                    });
        }
        report("attached", "");
    }

    @Override
    public long maxEntryBytes() {
        return maxEntryBytes;
    }

    @Override
    public long append(long entryBytes, RecordSource source) {
        if (!gate.enter()) {
            throw refused();
        }
        boolean claimed = false;
        try {
            long ticket = stream.append(entryBytes, source);
            claimed = true;
            return ticket;
        } finally {
            if (!claimed) {
                gate.leave();
            }
        }
    }

    @Override
    public void awaitDurable(long ticket) {
        stream.awaitDurable(ticket);
    }

    @Override
    public void committed(long ticket) {
        stream.committed(ticket);
        gate.leave();
    }

    @Override
    public void rolledBack(long ticket) {
        stream.rolledBack(ticket);
        gate.leave();
    }

    private FarheapException refused() {
        FarheapException reason = lost;
        return new FarheapException(
                FarheapException.Category.REPLICA,
                reason == null
                        ? "the pool is being closed: no commits any more"
                        : "no commits while a replica is missing, it is looked for: "
                                + reason.getMessage(),
                reason);
    }

    /** A member can't be waited for any more; its stream is frozen. */
    private synchronized void memberLost(FarheapException reason) {
        if (closing || reattaching != null) {
            return;
        }
        lost = reason;
        gate.close();
        reattaching = Thread.ofPlatform().daemon().name("farheap-reattach").start(this::reattach);
        LOG.warn(
                "{}: commits are refused from now on: {}", pool.poolsetFile(), reason.getMessage());
        report("lost", reason.getMessage());
    }

    private void reattach() {
        try {
            while (!gate.awaitEmpty(settings.commitTimeout().toNanos())) {
                LOG.warn("{}: commits are still being rolled back", pool.poolsetFile());
            }
            Map<Long, Long> committed = new HashMap<>();
            committed.put(pool.runId(), stream.frozenAt());
            stream.close();
            synchronized (this) {
                members.forEach(Member::abandon);
                members = List.of();
            }
            beginAgain(find(committed));
        } catch (InterruptedException e) {
            // close() wants this thread to end: the gate stays closed
            LOG.debug("{}: the search for a lost replica ends", pool.poolsetFile());
        }
    }

    private synchronized void beginAgain(List<Member> found) {
        if (closing) {
            found.forEach(Member::abandon);
            return;
        }
        reattaching = null;
        begin(found);
        LOG.info("{}: all replicas are attached again", pool.poolsetFile());
    }

    private List<Member> find(Map<Long, Long> committed) throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                return switching.inProcess(committed);
            } catch (FarheapException e) {
                lost = e;
                LOG.debug("{}: not attached yet", pool.poolsetFile(), e);
            }
            // Cut behind the switch point, the pool has a number in which nothing was committed.
            committed.putIfAbsent(pool.runId(), 0L);
            Thread.sleep(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }

    /**
     * Has the replicas apply everything, within the commit's bound, and lets them go. That one of
     * them did not answer is only reported: it has every commit that returned, and the next open
     * brings it to where this pool is.
     */
    @Override
    public void close() {
        Thread searching;
        synchronized (this) {
            if (closing) {
                return;
            }
            closing = true;
            searching = reattaching;
        }
        boolean attached = gate.close();
        boolean interrupted = searching != null && endSearch(searching);
        if (attached) {
            interrupted |= letGo();
        }
        synchronized (this) {
            members.forEach(Member::abandon);
        }
        stream.close();
        switching.staging().close();
        report("closed", "");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean endSearch(Thread searching) {
        searching.interrupt();
        boolean interrupted = false;
        while (searching.isAlive()) {
            try {
                searching.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    private boolean letGo() {
        try {
            if (!gate.awaitEmpty(settings.commitTimeout().toNanos())) {
                throw new FarheapException(
                        FarheapException.Category.WRONG_USE,
                        pool.poolsetFile() + ": commits are under way while the pool is closed");
            }
            stream.drain(settings.commitTimeout());
            List<Member> attached;
            synchronized (this) {
                attached = members;
            }
            Parallel.forEach(attached.size(), index -> attached.get(index).close());
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

    private void report(String change, String reason) {
        ReplicaEvent.report(pool.poolsetFile().toString(), change, pool.runId(), reason);
    }
}
