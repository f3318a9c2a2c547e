package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Trouble;
import io.farheap.availability.coordinator.Watch;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's turn to write, with what was opened in it: {@link HighAvailability#open}. Until it is
 * closed the process is announced in the store, for clients and for the nodes that wait; losing
 * that, or the whole store, does not end the turn: commits ask no store.
 *
 * <p>Thread-safe.
 *
 * @param <P> what was opened: an {@code ObjectPool}, or what lies over one
 */
public final class Leadership<P extends AutoCloseable> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    private final P pool;
    private final long term;
    private final Coordinator store;
    private final PoolKeys keys;
    private final Supplier<Optional<ClusterRecord>> record;
    private final Duration ttl;
    private final WriterLoss loss;
    private final Orders before;
    private final Watch watch;

    /** What is announced; guarded by {@link #announcing}. */
    private Lead said;

    /** What else is to be told of this turn by now; null: nothing new. */
    private final AtomicReference<Lead.Turn> next = new AtomicReference<>();

    private Presence lead;
    private boolean unsaid = true;
    private boolean over;
    private final Object announcing = new Object();
    private final Object closing = new Object();
    private boolean released;
    private String ignored = "";
    private final Trouble ofRecord;
    private final Trouble ofAnnouncement;

    /**
     * @param store is closed with it
     * @param record looks at the record in the store, which must not be older than what was seen
     * @param said what is announced of this turn
     * @param lead this process, as it stood
     * @param warned gets a sentence about what a person has to look at
     * @param before what was ordered when the turn began: carried out, or of no use any more
     */
    Leadership(
            P pool,
            Lead said,
            Coordinator store,
            PoolKeys keys,
            Supplier<Optional<ClusterRecord>> record,
            Duration ttl,
            Presence lead,
            Orders before,
            WriterLoss loss,
            Consumer<String> warned) {
        this.pool = pool;
        this.said = said;
        this.term = said.term();
        this.store = store;
        this.keys = keys;
        this.record = record;
        this.ttl = ttl;
        this.lead = lead;
        this.before = before;
        this.loss = loss;
        this.ofRecord = new Trouble(warned);
        this.ofAnnouncement = new Trouble(warned);
        this.watch = store.watch(keys.all(), this::look);
    }

    /** What was opened; it is closed with this. */
    public P pool() {
        return pool;
    }

    /**
     * Grows with every writer: what other systems can tell an old writer's late words by, if they
     * are handed it with each.
     */
    public long term() {
        return term;
    }

    /**
     * Where clients find this writer, for all that read it in the store. Announced within seconds,
     * or when the store answers again.
     *
     * @param endpoint such as {@code https://host:8443}; at most 1024 characters
     */
    public void announce(String endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        if (endpoint.length() > Lead.MOST_ENDPOINT) {
            throw FarheapException.wrongUse(
                    "An endpoint of %d characters is too long to be announced: use at most %d.",
                    endpoint.length(), Lead.MOST_ENDPOINT);
        }
        synchronized (announcing) {
            said = said.with(term, endpoint);
            unsaid = true;
        }
        boolean unused = attempt(this::announceNow, ofAnnouncement);
    }

    private void announceNow() {
        synchronized (announcing) {
            announceWhatIsSaid();
        }
    }

    /**
     * Is called when this node is to stop writing: another one has taken over, and every commit
     * throws {@link io.farheap.base.PoolDeposedException}; or a person has ordered a switch-over,
     * and commits go on until this is closed. Once for each order, and once for a take-over: a
     * program that has declined an order, which is then withdrawn, hears the next one. At once, if
     * that was before and still holds. In a thread of its own, which may close this.
     *
     * @param action gets a sentence that says why
     */
    public void onLost(Consumer<String> action) {
        loss.onLost(Objects.requireNonNull(action, "action"));
    }

    /**
     * In the watch's thread. Orders come first: that a store takes no announcement is no reason.
     */
    private void look() {
        boolean answered = attempt(this::lookAtRecord, ofRecord);
        boolean unused = answered && attempt(this::stayAnnounced, ofAnnouncement);
    }

    /** False: the store does not answer, and need not be asked again at once. */
    private boolean attempt(Runnable step, Trouble trouble) {
        try {
            step.run();
            trouble.isOver();
        } catch (StoreUnavailableException e) {
            LOG.debug("{}: {}", keys.lead(), e.getMessage());
            return false;
        } catch (FarheapException e) {
            trouble.is(e.getMessage());
        }
        return true;
    }

    private void lookAtRecord() {
        ClusterRecord now =
                record.get()
                        .orElseThrow(
                                () ->
                                        FarheapException.badData(
                                                "%s is gone from the store: nobody can take over any"
                                                        + " more; commits go on",
                                                keys.record()));
        if (now.term() > term) {
            end(now);
        } else {
            follow(now);
        }
    }

    private void stayAnnounced() {
        synchronized (announcing) {
            // Who can't see this process, from another container, may have taken it for ended.
            unsaid |= !over && store.present(keys.lead()).isEmpty();
            announceWhatIsSaid();
        }
    }

    private void end(ClusterRecord now) {
        synchronized (announcing) {
            over = true;
            lead.close();
        }
        loss.lost(
                String.format(
                        "%s: term %d of this writer is over, and %s writes in term %d; close the"
                                + " pool",
                        keys.record(), term, now.writer(), now.term()));
    }

    /** Is announced with the next look at the store. */
    void tellLater(Lead.Turn turn) {
        next.set(turn);
    }

    private void announceWhatIsSaid() {
        Lead.Turn news = next.getAndSet(null);
        if (news != null) {
            said = said.with(news);
            unsaid = true;
        }
        if (over || !unsaid && !lead.isLost()) {
            return;
        }
        if (lead.isLost() || !lead.replace(said.encode())) {
            lead.close();
            Optional<Presence> again = store.announce(keys.lead(), said.encode(), ttl);
            if (again.isEmpty()) {
                return; // somebody stands: the record decides
            }
            lead = again.get();
        }
        unsaid = false;
    }

    /** A person's order to hand over; one from before the turn has had its time. */
    private void follow(ClusterRecord now) {
        Orders orders = Orders.read(store, keys);
        if (orders.to().isEmpty()) {
            loss.withdrawn();
            return;
        }
        String to = orders.to().get();
        if (orders.version() == before.version() || to.equals(now.writer())) {
            var unused = orders.withTo(Optional.empty()).write(store, keys);
        } else if (orders.paused()) {
            LOG.debug("{}: nobody could follow while take-overs are paused", keys.order());
        } else if (now.set().contains(to)) {
            loss.ordered(
                    orders.version(),
                    String.format(
                            "%s: %s is to be the next writer, by a person's order; close the pool",
                            keys.order(), to));
        } else if (!ignored.equals(to)) {
            ignored = to;
            LOG.warn(
                    "{}: {} is to be the next writer, and can't: {} says {}",
                    keys.order(),
                    to,
                    keys.record(),
                    now);
        }
    }

    /**
     * Closes what was opened, and then gives the turn back, so that another node may stand at once.
     * A second call closes what the first could not.
     *
     * @throws FarheapException as the pool's own close
     */
    @Override
    public void close() {
        synchronized (closing) {
            try {
                closePool();
            } finally {
                release();
            }
        }
    }

    private void closePool() {
        try {
            pool.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw FarheapException.environment(e, "what was opened could not be closed: %s", e);
        }
    }

    private void release() {
        if (released) {
            return;
        }
        released = true;
        watch.close();
        synchronized (announcing) {
            over = true;
            lead.close();
        }
        store.close();
    }
}
