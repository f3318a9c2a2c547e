package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The remote replicas of a poolset file that was read again, and whoever waits for what the pool's
 * thread says to that. It is taken up once: by that thread, or back by who waits. Thread-safe.
 */
final class Reload {
    private final List<RemoteReplica> remotes;
    private final boolean alone;
    private final ReplicationSettings settings;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CompletableFuture<Void> answer = new CompletableFuture<>();

    /**
     * @param alone whether none may be left that has every commit
     * @param settings of those that are added
     */
    Reload(List<RemoteReplica> remotes, boolean alone, ReplicationSettings settings) {
        this.remotes = List.copyOf(remotes);
        this.alone = alone;
        this.settings = settings;
    }

    List<RemoteReplica> remotes() {
        return remotes;
    }

    boolean alone() {
        return alone;
    }

    ReplicationSettings settings() {
        return settings;
    }

    /** Whether it is the caller's to answer it. */
    boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** It is so from now on. */
    void done() {
        boolean unused = answer.complete(null);
    }

    /** It is not: nothing has changed. */
    void refused(Throwable why) {
        boolean unused = answer.completeExceptionally(why);
    }

    /**
     * Waits for the answer.
     *
     * @param poolset for messages
     * @throws FarheapException it was refused, or not taken up in time; nothing has changed then
     */
    void await(Object poolset, Duration bound) {
        Future<Void> asked = answer;
        try {
            try {
                Void unused = asked.get(bound.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                if (take()) {
                    throw FarheapException.replica(
                            "%s: the replicas are being looked after, for longer than %s ms; nothing"
                                    + " has changed, try again",
                            poolset, bound.toMillis());
                }
                Void unused = asked.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.replica(
                    e,
                    take()
                            ? "%s: interrupted; nothing has changed"
                            : "%s: interrupted; the replicas may be those of the file now",
                    poolset);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FarheapException why) {
                throw why;
            }
            throw FarheapException.replica(
                    e.getCause(),
                    "%s: the reload failed by a fault: %s; farheap status says which replicas there"
                            + " are now; reload again",
                    poolset,
                    e.getCause());
        }
    }
}
