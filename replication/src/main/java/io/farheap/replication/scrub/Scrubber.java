package io.farheap.replication.scrub;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.base.ScrubResult;
import io.farheap.replication.config.ScrubPace;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.epoch.Comparing;
import io.farheap.replication.epoch.Differences;
import io.farheap.replication.epoch.RemoteReplicas;
import io.farheap.replication.epoch.ReplicaTracker;
import io.farheap.replication.session.SharedBytes;
import io.farheap.spi.ReplicatedPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the attached replicas with the pool, piece by piece and again and again, on a thread of
 * its own: slowly in the background, and as fast as it goes when somebody asks. It repairs nothing:
 * which side is right it can't know.
 */
public final class Scrubber implements Comparing {
    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    /** Lines of log for one replica. */
    private static final int MOST_LINES = 20;

    private static final int ATTEMPTS = 5;
    private static final long RETRY_NANOS = 500_000_000;

    private final ReplicatedPool pool;
    private final List<ReplicaTracker> copies;
    private final ScrubPace pace;
    private final PieceComparison comparison;
    private final Queue<CompletableFuture<ScrubResult>> asked = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean stopping;

    /** What ended the thread; null: nothing did, or the pool was closed. */
    private volatile Throwable fault;

    private long position;

    /** Whether every piece of this round was compared with every replica. */
    private boolean wholeRound = true;

    private volatile long comparedMillis;

    /**
     * @param pace of what nobody asked for
     */
    public Scrubber(RemoteReplicas replicas, ReplicatedPool pool, ScrubPace pace) {
        this.pool = pool;
        this.copies = replicas.copies();
        this.pace = pace;
        this.comparison = new PieceComparison(replicas, pool);
        this.thread = Thread.ofPlatform().daemon().name("farheap-scrub").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    @Override
    public ScrubResult scrub() {
        CompletableFuture<ScrubResult> result = new CompletableFuture<>();
        asked.add(result);
        if (stopping) {
            result.completeExceptionally(ended());
        }
        LockSupport.unpark(thread);
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.environment(
                    e, "%s: interrupted while its replicas were compared", pool.poolsetFile());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FarheapException why) {
                throw why;
            }
            throw new IllegalStateException("a comparison failed by a fault", e.getCause());
        }
    }

    /** Why nothing is compared any more. */
    private Throwable ended() {
        Throwable failed = fault;
        if (failed != null) {
            return failed;
        }
        return FarheapException.wrongUse(
                "%s was closed while its replicas were compared", pool.poolsetFile());
    }

    @Override
    public long comparedMillis() {
        return comparedMillis;
    }

    @Override
    public void stop() {
        stopping = true;
        LockSupport.unpark(thread);
    }

    @Override
    public boolean awaitStopped() {
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

    private void run() {
        try {
            while (!stopping) {
                CompletableFuture<ScrubResult> request = asked.poll();
                if (request != null) {
                    answer(request);
                } else if (pace.isOff()) {
                    LockSupport.park(this);
                } else {
                    slowly();
                }
            }
        } catch (RuntimeException | Error e) {
            fault = e;
            LOG.error("{}: the comparison with its replicas ended", pool.poolsetFile(), e);
        } finally {
            stopping = true;
            for (CompletableFuture<ScrubResult> left = asked.poll();
                    left != null;
                    left = asked.poll()) {
                left.completeExceptionally(ended());
            }
        }
    }

    /** Who asks is told of a fault, too, and does not wait for ever. */
    private void answer(CompletableFuture<ScrubResult> request) {
        try {
            boolean unused = request.complete(all());
        } catch (RuntimeException | Error e) {
            boolean unused = request.completeExceptionally(e);
            throw e;
        }
    }

    // ---- in the background ----

    /** One piece, and the pause after it. */
    private void slowly() {
        long begin = System.nanoTime();
        ByteRange piece = piece(position);
        boolean lost = false;
        wholeRound &= !copies.isEmpty();
        for (ReplicaTracker copy : copies) {
            if (copy.state() != State.ATTACHED || stopping) {
                wholeRound = false;
            } else {
                try {
                    wholeRound &= compare(copy, piece).busy() == 0;
                } catch (FarheapException e) {
                    lost = true;
                    wholeRound = false;
                    LOG.debug("{}: not compared: {}", pool.poolsetFile(), e.getMessage());
                }
            }
        }
        position = piece.offset() + piece.length();
        if (isEndOfRound()) {
            comparedMillis = wholeRound ? System.currentTimeMillis() : comparedMillis;
            wholeRound = true;
        }
        long nanos = Math.max(pace.nanos(piece.length()), lost ? RETRY_NANOS : 0);
        while (!stopping && asked.isEmpty() && System.nanoTime() - begin < nanos) {
            LockSupport.parkNanos(this, nanos - (System.nanoTime() - begin));
        }
    }

    /** The piece that begins at or behind an offset; the first one again behind the end. */
    private ByteRange piece(long from) {
        List<ByteRange> shared = SharedBytes.of(pool.image().byteSize());
        for (ByteRange range : shared) {
            long end = range.offset() + range.length();
            if (from < end) {
                long offset = Math.max(from, range.offset());
                return new ByteRange(offset, Math.min(PieceComparison.PIECE, end - offset));
            }
        }
        return piece(0);
    }

    private boolean isEndOfRound() {
        return piece(position).offset() < position;
    }

    private PieceComparison.Outcome compare(ReplicaTracker copy, ByteRange piece) {
        PieceComparison.Outcome outcome =
                comparison.compare(copy, piece.offset(), (int) piece.length());
        for (ByteRange settled : outcome.settled()) {
            List<ByteRange> found = within(settled, outcome.differences());
            copy.compared(settled, found).forEach(news -> report(copy, news));
        }
        return outcome;
    }

    /** Each with the page that it begins in. */
    private static List<ByteRange> within(ByteRange settled, List<ByteRange> differences) {
        long end = settled.offset() + settled.length();
        return differences.stream()
                .filter(range -> range.offset() >= settled.offset() && range.offset() < end)
                .toList();
    }

    private void report(ReplicaTracker copy, ByteRange range) {
        String poolset = pool.poolsetFile().toString();
        DifferenceEvent.report(poolset, copy.remote().toString(), range.offset(), range.length());
        int line = copy.countReported();
        if (line <= MOST_LINES) {
            LOG.warn(
                    "{}: replica {} differs from the pool at image offset {}, {} bytes{}",
                    poolset,
                    copy.remote(),
                    range.offset(),
                    range.length(),
                    line == MOST_LINES ? "; no more is logged, see farheap status" : "");
        }
    }

    // ---- when asked ----

    private ScrubResult all() {
        long compared = 0;
        long busy = 0;
        List<ReplicaDifference> differences = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        List<ReplicaTracker> all = List.copyOf(copies);
        for (ReplicaTracker copy : all) {
            int found = 0;
            boolean whole = true;
            long imageBytes = pool.image().byteSize();
            for (long at = 0; whole && at < imageBytes; ) {
                ByteRange piece = piece(at);
                at = piece.offset() + piece.length();
                PieceComparison.Outcome outcome = patiently(copy, piece);
                whole = outcome != null;
                if (whole) {
                    compared += piece.length() - outcome.busy();
                    busy += outcome.busy();
                    for (ByteRange range : outcome.differences()) {
                        if (found++ < Differences.MOST) {
                            differences.add(
                                    new ReplicaDifference(
                                            copy.remote().toString(),
                                            range.offset(),
                                            range.length()));
                        }
                    }
                }
            }
            if (!whole && copies.contains(copy)) { // else it has left meanwhile
                missing.add(copy.remote().toString());
            }
        }
        boolean wasAll = !copies.isEmpty() && all.containsAll(copies);
        if (missing.isEmpty() && busy == 0 && wasAll) {
            comparedMillis = System.currentTimeMillis();
        }
        return new ScrubResult(compared, busy, differences, missing);
    }

    /** A switch under way may be the reason why it can't be compared; null: it was not. */
    private PieceComparison.Outcome patiently(ReplicaTracker copy, ByteRange piece) {
        for (int attempt = 1; !stopping; attempt++) {
            try {
                return compare(copy, piece);
            } catch (FarheapException e) {
                LOG.debug("{}: not compared: {}", pool.poolsetFile(), e.getMessage());
                if (attempt == ATTEMPTS || !copies.contains(copy)) {
                    return null;
                }
                LockSupport.parkNanos(this, RETRY_NANOS);
            }
        }
        return null;
    }
}
