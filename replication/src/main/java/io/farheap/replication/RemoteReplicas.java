package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import io.farheap.spi.SinkCounters;
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
    private final long maxEntryBytes;
    private final long imageBytes;

    /** Replaced only when nobody is between a claim from it and that record's local fate. */
    private volatile CommitStream stream;

    /** Why the replicas could not be attached again the last time; null while that is not known. */
    private volatile FarheapException missing;

    // Guarded by this.
    private SinkCounters ofEarlierStreams = SinkCounters.NONE;
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
            List<Member> members) {
        this.pool = pool;
        this.settings = settings;
        this.switching = switching;
        begin(members);
        this.maxEntryBytes = stream.maxEntryBytes();
        this.imageBytes =
                members.stream()
                        .mapToLong(member -> member.verdict().imageSize())
                        .min()
                        .orElse(Long.MAX_VALUE);
    }

    /** Opens the gate of a new epoch. */
    private synchronized void begin(List<Member> confirmed) {
        members = confirmed;
        CommitStream opened =
                new CommitStream(
                        pool.runId(),
                        switching.staging().memory(),
                        confirmed.stream().map(Member::link).toList(),
                        settings.stream(),
                        this::frozen);
        if (stream != null) {
            ofEarlierStreams = counters();
        }
        stream = opened;
        missing = null;
        for (Member member : confirmed) {
            member.onLost(reason -> opened.freeze(member.link().name(), reason));
        }
        report("attached", "");
    }

    @Override
    public long maxEntryBytes() {
        return maxEntryBytes;
    }

    /** The images keep their sizes: those of lost members count on, they will be back. */
    @Override
    public long imageBytes() {
        return imageBytes;
    }

    @Override
    public long append(long entryBytes, RecordSource source) {
        FarheapException reason = missing;
        if (reason != null) {
            throw new FarheapException(
                    FarheapException.Category.REPLICA,
                    "no commits while a replica is missing, which is looked for all the time: "
                            + reason.getMessage(),
                    reason);
        }
        return stream.append(entryBytes, source);
    }

    @Override
    public long awaitDurable(long ticket, long entryBytes, RecordSource source) {
        stream.awaitDurable(ticket);
        return ticket;
    }

    @Override
    public void committed(long ticket) {
        stream.committed(ticket);
    }

    @Override
    public void rolledBack(long ticket) {
        stream.rolledBack(ticket);
    }

    @Override
    public synchronized SinkCounters counters() {
        long workRequests = ofEarlierStreams.workRequests();
        long doorbells = ofEarlierStreams.doorbells();
        for (FabricCounters posted : stream.counters()) {
            workRequests += posted.workRequests();
            doorbells += posted.doorbells();
        }
        return new SinkCounters(workRequests, doorbells, switching.bytesSent(members));
    }

    /** A member can't be waited for any more. */
    private synchronized void frozen() {
        if (!closing && reattaching == null) {
            reattaching =
                    Thread.ofPlatform().daemon().name("farheap-reattach").start(this::reattach);
        }
    }

    private void reattach() {
        LOG.warn("{}: a replica is lost, commits are refused until it is back", name());
        report("lost", "");
        try {
            CommitStream ended = stream;
            while (!ended.awaitQuiet(settings.commitTimeout())) {
                LOG.warn("{}: commits are still being decided", name());
                throwIfInterrupted();
            }
            Map<Long, Long> committed = new HashMap<>();
            committed.put(pool.runId(), ended.durableSequence());
            ended.abandon();
            letGo();
            beginAgain(find(committed, ended.needsContent()));
        } catch (InterruptedException e) {
            LOG.debug("{}: closed while a lost replica was looked for", name());
        } catch (RuntimeException | Error e) {
            missing = fault(e, "; close the pool and open it again");
            LOG.error("{}: the search for a lost replica ended", name(), e);
        }
    }

    private FarheapException fault(Throwable failure, String advice) {
        return new FarheapException(
                FarheapException.Category.REPLICA,
                name() + ": the attempt to attach again failed by a fault: " + failure + advice,
                failure);
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private synchronized void letGo() {
        switching.letGo(members);
        members = List.of();
    }

    private synchronized void beginAgain(List<Member> found) {
        if (closing) {
            switching.letGo(found);
            return;
        }
        reattaching = null;
        begin(found);
        LOG.info("{}: all replicas are attached again", name());
    }

    private List<Member> find(Map<Long, Long> committed, boolean needsContent)
            throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                if (needsContent) {
                    throw new FarheapException(
                            FarheapException.Category.REPLICA,
                            name()
                                    + ": a transaction failed here after all replicas had its"
                                    + " record; close the pool and open it again");
                }
                return switching.inProcess(committed);
            } catch (FarheapException e) {
                missing = e;
                LOG.debug("{}: not attached yet", name(), e);
            } catch (RuntimeException | Error e) {
                missing = fault(e, "");
                LOG.warn("{}: the attempt to attach again failed", name(), e);
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
     * them was not there is only reported: it has every commit that returned, and the next open
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
        boolean interrupted = searching == null ? endInOrder() : endSearch(searching);
        letGo();
        stream.abandon();
        switching.staging().close();
        report("closed", "");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * @return whether the caller was interrupted meanwhile
     */
    private boolean endInOrder() {
        try {
            stream.drain(settings.commitTimeout());
            List<Member> attached;
            synchronized (this) {
                attached = members;
            }
            Parallel.forEach(attached.size(), index -> attached.get(index).close());
        } catch (FarheapException e) {
            LOG.warn("{}: a replica was not there at the end: {}", name(), e.getMessage());
        } catch (InterruptedException e) {
            return true;
        }
        return false;
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

    private String name() {
        return pool.poolsetFile().toString();
    }

    private void report(String change, String reason) {
        ReplicaEvent.report(name(), change, pool.runId(), reason);
    }
}
