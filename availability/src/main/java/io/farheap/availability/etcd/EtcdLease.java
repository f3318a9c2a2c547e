package io.farheap.availability.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Trouble;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease, and what is announced under it. One request at a time keeps it alive, each with its own
 * bound: no stream that could end without a word.
 */
final class EtcdLease implements Presence {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdLease.class);

    private final EtcdClient client;
    private final long id;
    private final long ttlNanos;
    private final Consumer<AutoCloseable> ended;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread keeper;
    private final Trouble keptLater =
            new Trouble(why -> LOG.info("a lease is kept alive later: {}", why));
    private final Trouble notKept =
            new Trouble(why -> LOG.warn("a lease is not kept alive: {}", why));

    /** When the last request was sent that was answered: the lease lives for a ttl from then. */
    private volatile long keptNanos;

    private volatile boolean gone;

    /** What was announced under it; null: nothing yet. */
    private volatile String key;

    private EtcdLease(
            EtcdClient client,
            long id,
            Duration ttl,
            long sentNanos,
            Consumer<AutoCloseable> ended) {
        this.client = client;
        this.id = id;
        this.ttlNanos = ttl.toNanos();
        this.keptNanos = sentNanos;
        this.ended = ended;
        this.keeper = Thread.ofPlatform().daemon().name("farheap-lease").unstarted(this::keep);
    }

    /**
     * Asks for a lease and keeps it alive.
     *
     * @param ended is told when it is closed
     */
    static EtcdLease grant(EtcdClient client, Duration ttl, Consumer<AutoCloseable> ended) {
        long sent = System.nanoTime();
        long id =
                client.ask(
                        "/v3/lease/grant",
                        EtcdMessages.grant(ttl.toSeconds()),
                        (answer, mayBeDone) -> EtcdMessages.number(answer, "ID"));
        EtcdLease lease = new EtcdLease(client, id, ttl, sent, ended);
        lease.keeper.start();
        return lease;
    }

    long id() {
        return id;
    }

    void announced(String announcedKey) {
        key = announcedKey;
    }

    private void keep() {
        try {
            while (!gone && !closing.await(ttlNanos * 3 / 10, TimeUnit.NANOSECONDS)) {
                keepOnce();
            }
        } catch (InterruptedException e) {
            gone = true;
        }
    }

    private void keepOnce() {
        long sent = System.nanoTime();
        try {
            long ttl =
                    client.ask(
                            "/v3/lease/keepalive",
                            EtcdMessages.lease(id),
                            (answer, mayBeDone) -> ttlOf(answer));
            if (ttl > 0) {
                keptNanos = sent;
                keptLater.isOver();
                notKept.isOver();
            } else {
                gone = true;
            }
        } catch (StoreUnavailableException e) {
            keptLater.is(e.getMessage());
        } catch (FarheapException e) {
            notKept.is(e.getMessage());
        }
    }

    /** A lease that has ended has none. */
    private static long ttlOf(JsonNode answer) throws EtcdFailure {
        return EtcdMessages.number(answer.path("result"), "TTL");
    }

    @Override
    public boolean isLost() {
        return gone || System.nanoTime() - keptNanos >= ttlNanos;
    }

    /** Made twice, it is as if made once: nobody else has this lease. */
    @Override
    public boolean replace(byte[] value) {
        return client.ask(
                EtcdCoordinator.TRANSACTION,
                EtcdMessages.putAgain(key, value, id),
                (answer, mayBeDone) -> EtcdMessages.succeeded(answer));
    }

    @Override
    public void close() {
        if (closing.getCount() == 0) {
            return;
        }
        closing.countDown();
        boolean wasGone = gone;
        gone = true;
        if (!wasGone) {
            revoke();
        }
        ended.accept(this);
    }

    private void revoke() {
        try {
            client.ask(
                    "/v3/lease/revoke",
                    EtcdMessages.lease(id),
                    (answer, mayBeDone) -> EtcdMessages.stamp(answer));
        } catch (FarheapException e) {
            LOG.info("a lease ends by itself: {}", e.getMessage());
        }
    }
}
