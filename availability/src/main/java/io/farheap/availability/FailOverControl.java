package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a person sees and orders of a pool under automatic fail-over: {@link
 * HighAvailability#control}. From any machine that reaches the store; it changes no copy.
 *
 * <p>Orders say when nodes stand, never who may: no order loses a commit. For one thread.
 */
public final class FailOverControl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FailOverControl.class);
    private static final int ATTEMPTS = 10;
    private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

    private final Coordinator store;
    private final PoolKeys keys;

    /**
     * @param store is closed with it
     */
    FailOverControl(Coordinator store, PoolKeys keys) {
        this.store = store;
        this.keys = keys;
    }

    /**
     * What the store says now.
     *
     * @throws FarheapException WRONG_USE where there is no record of the pool, ENVIRONMENT when the
     *     store does not answer, BAD_DATA when it has what can't be understood
     */
    public FailOverState look() {
        return look(false);
    }

    /**
     * The same, and under {@link FailOverState#attention} whether a program waits by a name that
     * neither the record nor the writer has: a node may have two; and what the store says is wrong
     * with it. It lists what is announced, which costs some stores more than {@link #look} does.
     *
     * @throws FarheapException as {@link #look}
     */
    public FailOverState lookForNames() {
        return look(true);
    }

    private FailOverState look(boolean forNames) {
        ClusterRecord record = record();
        Optional<Lead> lead = lead();
        Orders orders = Orders.read(store, keys);
        Map<String, Optional<Lead>> waiting = waiting(record);
        Map<String, String> reasons = new TreeMap<>();
        waiting.forEach(
                (name, one) ->
                        one.map(Lead::why)
                                .filter(why -> !why.isEmpty())
                                .ifPresent(why -> reasons.put(name, why)));
        List<String> attention = attention(record, lead, waiting, orders);
        if (forNames) {
            StrangeNames.said(store, keys, record, lead).ifPresent(attention::add);
            attention.addAll(store.troubles());
        }
        return new FailOverState(
                record.term(),
                record.writer(),
                List.copyOf(record.set()),
                record.number(),
                lead.map(Lead::node).orElse(""),
                lead.map(Lead::term).orElse(0L),
                lead.map(Lead::pid).orElse(0L),
                lead.map(Lead::machine).orElse(""),
                lead.map(Lead::endpoint).orElse(""),
                List.copyOf(waiting.keySet()),
                orders.paused(),
                orders.to().orElse(""),
                reasons,
                attention);
    }

    /** Those that wait; empty: what one has announced can't be understood. */
    private Map<String, Optional<Lead>> waiting(ClusterRecord record) {
        Map<String, Optional<Lead>> found = new TreeMap<>();
        for (String node : record.set()) {
            String key = keys.waiting(node);
            store.present(key).ifPresent(value -> found.put(node, Lead.decoded(key, value)));
        }
        return found;
    }

    /** As the catalogue has it, and what only the announcements themselves tell. */
    private List<String> attention(
            ClusterRecord record,
            Optional<Lead> lead,
            Map<String, Optional<Lead>> waiting,
            Orders orders) {
        CataloguedPool row =
                CatalogueReader.row(keys, record, lead, orders, List.copyOf(waiting.keySet()));
        List<String> found = new ArrayList<>(row.attention());
        if (orders.paused()) {
            underWay(record, lead).ifPresent(found::add);
        }
        lead.ifPresent(
                one ->
                        waiting.getOrDefault(one.node(), Optional.empty())
                                .filter(other -> MachineBoot.differ(one.machine(), other.machine()))
                                .ifPresent(
                                        other ->
                                                found.add(
                                                        String.format(
                                                                "two machines are announced as the"
                                                                        + " node %s: %s writes, and"
                                                                        + " %s waits",
                                                                one.node(), one, other))));
        return found;
    }

    /** Who may come to write although take-overs are paused. */
    private static Optional<String> underWay(ClusterRecord record, Optional<Lead> lead) {
        if (lead.isEmpty()) {
            return Optional.of(
                    String.format(
                            "the record names %s (term %d), and nobody is announced: unless its"
                                    + " program was closed, it may only be stopped, and write yet",
                            record.writer(), record.term()));
        }
        return lead.filter(one -> one.term() == 0)
                .map(
                        one ->
                                String.format(
                                        "%s stood before take-overs were paused, and may come to"
                                                + " write yet: look again until it writes, or is"
                                                + " announced no more",
                                        one.node()));
    }

    private ClusterRecord record() {
        return record(store.read(keys.record()));
    }

    private ClusterRecord record(Versioned found) {
        return found.value()
                .map(value -> ClusterRecordCodec.decode(keys.record(), value))
                .orElseThrow(
                        () ->
                                FarheapException.wrongUse(
                                        "There is no record %s: no program has created the pool"
                                                + " under automatic fail-over, or its name or"
                                                + " cluster is another one; farheap pools lists"
                                                + " those that are there.",
                                        keys.record()));
    }

    private Optional<Lead> lead() {
        return store.present(keys.lead()).map(value -> Lead.decode(keys.lead(), value));
    }

    /**
     * A program has ended on this machine: nobody waits for it any more, if it was announced as the
     * writer. Where the store does not answer it is waited for as long as its ttl is.
     *
     * @param node this machine's name
     */
    public void programEnded(String node) {
        try {
            Optional<byte[]> announced = store.present(keys.lead());
            if (announced.isPresent() && Lead.decode(keys.lead(), announced.get()).hasEnded(node)) {
                store.remove(keys.lead(), announced.get());
            }
        } catch (FarheapException e) {
            LOG.info("{} ends by itself: {}", keys.lead(), e.getMessage());
        }
    }

    private boolean isWaiting(String node) {
        return store.present(keys.waiting(node)).isPresent();
    }

    /**
     * From now on nobody takes over; who writes goes on, and copies still come and go. A node that
     * the record names by now may come to write yet: {@link #look} says so as long as that may be.
     */
    public void pause() {
        change(orders -> orders.withPaused(true));
    }

    /** Ends {@link #pause}. */
    public void resume() {
        change(orders -> orders.withPaused(false));
    }

    /**
     * Has a node write instead of the one that does: that one's program is told to close the pool
     * ({@link Leadership#onLost}), and nobody else stands for 10 seconds after it has. Returns when
     * the node writes.
     *
     * @param to a node of the set whose program waits
     * @param bound how long to wait; afterwards the order is withdrawn
     * @throws FarheapException WRONG_USE when the node may not or does not wait, ENVIRONMENT when
     *     it did not come to write within the bound
     */
    public void switchOver(String to, Duration bound) throws InterruptedException {
        FailOverState before = look();
        if (before.leader().equals(to) && before.writer().equals(to)) {
            return;
        }
        requirePossible(to, before);
        change(orders -> unlessPaused(to, orders).withTo(Optional.of(to)));
        long end = System.nanoTime() + bound.toNanos();
        while (!writes(to)) {
            if (isPaused()) {
                change(orders -> orders.withTo(Optional.empty()));
                throw FarheapException.environment(
                        "Take-overs were paused while %s was about to write, and the order is"
                                + " withdrawn. The program on %s may have closed the pool for it:"
                                + " then nobody writes until farheap ha resume.",
                        to, before.writer());
            }
            if (System.nanoTime() - end > 0) {
                change(orders -> orders.withTo(Optional.empty()));
                throw FarheapException.environment(
                        "%s does not write after %d s, and the order is withdrawn: see whether the"
                                + " program on %s closes the pool when it is told to, and what the"
                                + " one on %s says",
                        to, bound.toSeconds(), before.writer(), to);
            }
            Thread.sleep(LOOK_AGAIN);
        }
    }

    private void requirePossible(String to, FailOverState before) {
        if (!before.set().contains(to)) {
            throw FarheapException.wrongUse(
                    "%s can't be the next writer: its copy is not of the set, which is %s.",
                    to, String.join(", ", before.set()));
        }
        if (!isWaiting(to)) {
            throw FarheapException.wrongUse(
                    "%s can't be the next writer: no program waits there for its turn.", to);
        }
    }

    /** Of the orders that are replaced, not of earlier ones: a pause may come in between. */
    private static Orders unlessPaused(String to, Orders orders) {
        if (orders.paused()) {
            throw FarheapException.wrongUse(
                    "Take-overs are paused, the one by %s too: farheap ha resume first.", to);
        }
        return orders;
    }

    private boolean isPaused() {
        try {
            return Orders.read(store, keys).paused();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    /** A store that does not answer for a while changes nothing. */
    private boolean writes(String to) {
        try {
            return record().writer().equals(to)
                    && lead().filter(one -> one.node().equals(to) && one.term() > 0).isPresent();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    /**
     * Asked before the files of a node's copy are moved aside, to have the copy made anew, by who
     * keeps agents away from it until they are. It changes nothing.
     *
     * @param node whose copy it is
     * @param copy the poolset file of that copy, on this machine
     * @param isOfThisPool whether somebody says so, for a copy that does not prove it itself
     * @throws FarheapException WRONG_USE where the copy may count: when another node does not
     *     write, the record names this one, its program waits, or the copy may be another pool's;
     *     besides what {@link #look} throws
     */
    public void requireLeftOut(String node, Path copy, boolean isOfThisPool) {
        Versioned found = store.read(keys.record());
        new LeftOutCopy(store, keys, node, copy)
                .require(found, record(found), lead().orElse(null), isOfThisPool);
    }

    private void change(UnaryOperator<Orders> wanted) {
        for (int i = 0; i < ATTEMPTS; i++) {
            Orders now = Orders.read(store, keys);
            Orders then = wanted.apply(now);
            if (then.equals(now) || then.write(store, keys) == Swap.Outcome.APPLIED) {
                return;
            }
        }
        throw FarheapException.environment(
                "The order is not certain to be in %s, which changes all the time or is not"
                        + " answered for: look at it, and give it again.",
                keys.order());
    }

    @Override
    public void close() {
        store.close();
    }
}
