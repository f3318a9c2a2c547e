package io.farheap.availability;

import io.farheap.agent.Promotion;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.Watch;
import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Automatic fail-over of one pool (docs/high-availability.md): the same program runs on several
 * nodes, each with a copy of the pool, and one of them writes at a time.
 *
 * <pre>
 * HighAvailability here =
 *         HighAvailability.of("etcd:https://e1:2379,https://e2:2379,https://e3:2379", "bank")
 *                 .node("a")
 *                 .copy(Path.of("copy.set"))
 *                 .minCopies(2);
 * try (Leadership&lt;ObjectPool&gt; turn = here.open(() -&gt; ObjectPool.open(Path.of("bank.set"), "bank"))) {
 *     turn.onLost(why -&gt; server.stop());
 *     serve(turn.pool());
 * }
 * </pre>
 *
 * <p>Said step by step, by one thread; may be used again.
 */
public final class HighAvailability {
    private static final Logger LOG = LoggerFactory.getLogger(HighAvailability.class);
    static final String USUAL_CLUSTER = "main";

    private final String pool;
    private final Map<RemoteReplica, String> mates = new HashMap<>();
    private StoreAddress address;
    private String cluster = USUAL_CLUSTER;
    private String node = "";
    private Path copy;
    private int minCopies = 1;
    private int priority;
    private Consumer<String> waiting = why -> {};

    HighAvailability(StoreAddress address, String pool) {
        this.address = address;
        this.pool = NodeNames.require("pool", pool);
    }

    /**
     * Begins to say it.
     *
     * @param store {@code etcd:} and its endpoints for clients, up to nine, separated by commas; or
     *     {@code zookeeper:z1:2181,z2:2181,z3:2181/farheap}, with the artifact {@code
     *     farheap-zookeeper}
     * @param pool its name in the store: up to 63 letters, digits, dots, hyphens and underscores
     */
    public static HighAvailability of(String store, String pool) {
        return new HighAvailability(StoreAddress.of(store), pool);
    }

    /** Which pools are managed together in one store; {@code main} where nobody says. */
    public HighAvailability cluster(String name) {
        cluster = NodeNames.require("cluster", name);
        return this;
    }

    /**
     * This machine's name: the host by which the poolset files of the other nodes name its copy, or
     * what they say with {@link #mate}. To be said.
     */
    public HighAvailability node(String name) {
        node = NodeNames.require("node", name);
        return this;
    }

    /**
     * The poolset file of this node's copy, by which the other nodes' programs reach it: it names
     * the parts here, and no replica. To be said.
     */
    public HighAvailability copy(Path poolset) {
        copy = Objects.requireNonNull(poolset, "poolset");
        return this;
    }

    /**
     * The name of a node whose replica has another host.
     *
     * @param address {@code [user@]host[:port]} as in the {@code REPLICA} line
     * @param poolset the file that stands there behind it
     */
    public HighAvailability mate(String name, String address, String poolset) {
        RemoteReplica replica =
                RemoteReplica.at(address, poolset)
                        .orElseThrow(
                                () ->
                                        FarheapException.wrongUse(
                                                "\"%s\" is no address of a replica: write it as in"
                                                        + " the REPLICA line, [user@]host[:port].",
                                                address));
        mates.put(replica, NodeNames.require("node", name));
        return this;
    }

    /**
     * The least number of copies that commits are durable in, this node's among them; 1 where
     * nobody says. With 2 of three nodes, no loss of one node loses a commit or stops the others.
     */
    public HighAvailability minCopies(int count) {
        if (count < 1 || count > ClusterRecord.MOST_NODES) {
            throw FarheapException.wrongUse(
                    "%d can't be the least number of copies: it is 1 to %d.",
                    count, ClusterRecord.MOST_NODES);
        }
        minCopies = count;
        return this;
    }

    /** How much later than others this node stands, in steps of half a second; 0 at first. */
    public HighAvailability priority(int steps) {
        if (steps < 0 || steps > ClusterRecord.MOST_NODES) {
            throw FarheapException.wrongUse(
                    "%d can't be a priority: it is 0 to %d.", steps, ClusterRecord.MOST_NODES);
        }
        priority = steps;
        return this;
    }

    /**
     * How long a writer that was lost is announced after its last word, and so the most that others
     * wait for it; 10 s where nobody says, whole seconds and at least 5.
     */
    public HighAvailability ttl(Duration duration) {
        address = address.withTtl(duration);
        return this;
    }

    /**
     * Certificates and keys for the store, as PEM files (docs/high-availability.md#etcd). With
     * ZooKeeper, certificate and key are one file.
     *
     * @param authorities who may have signed the store's certificates
     * @param certificate this client's
     * @param key this client's, unencrypted PKCS #8
     */
    public HighAvailability certificates(Path authorities, Path certificate, Path key) {
        address = address.withTls(new StoreSettings.Tls(authorities, certificate, key));
        return this;
    }

    /** A user of the store. */
    public HighAvailability login(String user, String password) {
        address = address.withLogin(new StoreSettings.Login(user, password));
        return this;
    }

    /**
     * Is told why {@link #open} waits, a sentence for each reason, in the thread that waits; the
     * log has the same.
     */
    public HighAvailability onWaiting(Consumer<String> action) {
        waiting = Objects.requireNonNull(action, "action");
        return this;
    }

    /**
     * Waits until it is this node's turn to write, however long that takes, and opens the pool: it
     * has every commit that returned on any node, no earlier writer commits any more, and commits
     * may begin.
     *
     * <p>A turn that comes to nothing because copies or the store are not reached is tried again,
     * after a pause that leaves others theirs. An interrupt ends the waiting.
     *
     * @param opening opens the pool, or what lies over it, with the other nodes' copies as its
     *     replicas; called in this thread, again for each turn that is tried
     * @throws FarheapException REPLICA when the thread is interrupted; whatever the opening throws
     *     otherwise; BAD_DATA when what this node keeps beside its copy can't be read
     */
    public <P extends AutoCloseable> Leadership<P> open(Supplier<P> opening) {
        requireComplete();
        WakeableClock clock = new WakeableClock();
        return connected(
                store -> {
                    SeenStamps seen = WaitingStamps.of(ownCopy().firstPart());
                    AwaitedTurn standing = standing(store, seen, clock);
                    try (Watch unused = store.watch(keys().all(), clock::wake)) {
                        return standing.await(lead -> turn(store, seen, lead, false, opening));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw FarheapException.replica(
                                e,
                                "interrupted while %s waited for its turn to write %s",
                                node,
                                pool);
                    }
                });
    }

    /**
     * Makes the record of a pool, of which this node is the first writer. Once in a pool's life:
     * afterwards, every node {@linkplain #open opens} it.
     *
     * @param opening creates the pool, or opens one that was never under automatic fail-over, with
     *     the other nodes' copies as its replicas
     * @throws FarheapException WRONG_USE where there is a record already; nothing was changed then.
     *     What the opening throws; a record may be left that names this node alone, and {@link
     *     #open} goes on from it, with the same opening: it creates the pool if what it had made is
     *     gone again
     */
    public <P extends AutoCloseable> Leadership<P> create(Supplier<P> opening) {
        requireComplete();
        return connected(
                store -> {
                    SeenStamps seen = WaitingStamps.ofALook(ownCopy().firstPart());
                    Optional<ClusterRecord> there = record(store, seen).look();
                    if (there.isPresent()) {
                        throw FarheapException.wrongUse(
                                "There is a record of %s already, so it is opened, not created: %s"
                                        + " says %s.",
                                pool, keys().record(), there.get());
                    }
                    Presence lead =
                            store.announce(keys().lead(), Lead.of(node).encode(), address.ttl())
                                    .orElseThrow(
                                            () ->
                                                    FarheapException.wrongUse(
                                                            "Another process is about to create %s:"
                                                                    + " %s exists.",
                                                            pool, keys().lead()));
                    try {
                        return turn(store, seen, lead, true, opening);
                    } catch (Throwable failure) {
                        lead.close();
                        throw failure;
                    }
                });
    }

    /** What the store says of the pool, and orders of a person; needs neither node nor copy. */
    public FailOverControl control() {
        return new FailOverControl(address.connect(), keys());
    }

    /**
     * Waits until this node would stand for the next writer, and takes no turn: for who starts a
     * program then, which {@linkplain #open opens} the pool itself.
     *
     * @throws FarheapException BAD_DATA when what this node keeps beside its copy can't be read
     */
    public void awaitChance() throws InterruptedException {
        requireComplete();
        WakeableClock clock = new WakeableClock();
        try (Coordinator store = address.connect();
                Watch unused = store.watch(keys().all(), clock::wake)) {
            SeenStamps seen = WaitingStamps.of(ownCopy().firstPart());
            standing(store, seen, clock).awaitChance();
        }
    }

    private interface Use<T> {
        T of(Coordinator store);
    }

    private <T> T connected(Use<T> use) {
        Coordinator store = address.connect();
        try {
            return use.of(store);
        } catch (Throwable failure) {
            store.close();
            throw failure;
        }
    }

    private <P extends AutoCloseable> Leadership<P> turn(
            Coordinator store,
            SeenStamps seen,
            Presence lead,
            boolean create,
            Supplier<P> opening) {
        Orders before = create ? Orders.read(store, keys()) : ordersOfTurn(store);
        WriterLoss loss = new WriterLoss();
        Promotion own = ownCopy();
        TermFile file = TermFile.beside(own.firstPart());
        seen.newest()
                .filter(stamp -> !file.newest().equals(Optional.of(stamp)))
                .ifPresent(file::keep);
        PoolRecord ofTurn = record(store, file);
        if (!create) {
            ofTurn.heed(before);
        }
        NodesTurn turn =
                new NodesTurn(
                        ofTurn,
                        new RecordedSwitches.Plan(node, mates, minCopies),
                        own,
                        file,
                        loss::lost);
        P opened = create ? turn.create(opening) : turn.open(opening);
        try {
            return begun(opened, turn, store, lead, before, loss);
        } catch (Throwable failure) {
            closeAfter(failure, opened);
            throw failure;
        }
    }

    /**
     * The look that this node stands by was before it was announced. Who pauses take-overs looks
     * afterwards for a node that is announced: one of the two sees the other. What is paused later
     * the record's own request finds out ({@link PoolRecord#heed}).
     */
    private Orders ordersOfTurn(Coordinator store) {
        Orders now;
        try {
            now = Orders.read(store, keys());
        } catch (FarheapException e) {
            // As in the look: what can't be understood may be a pause, and is waited for.
            throw e.category() == FarheapException.Category.BAD_DATA
                    ? FarheapException.replica(e, "%s", e.getMessage())
                    : e;
        }
        if (now.paused()) {
            throw FarheapException.replica(
                    "take-overs of %s were paused when %s was about to write: farheap ha resume lets"
                            + " them go on",
                    pool, node);
        }
        return now;
    }

    /** The program has no handle of it: it would wait for its own lock the next time. */
    private static void closeAfter(Throwable failure, AutoCloseable opened) {
        try {
            opened.close();
        } catch (Exception | Error e) {
            failure.addSuppressed(e);
        }
    }

    private <P extends AutoCloseable> Leadership<P> begun(
            P opened,
            NodesTurn turn,
            Coordinator store,
            Presence lead,
            Orders before,
            WriterLoss loss) {
        LOG.info("{}: {} writes in term {}", keys().record(), node, turn.term());
        Instant since = Instant.now();
        Lead said = Lead.of(node).with(turn.term(), "").with(turn.told(since));
        Leadership<P> leadership =
                new Leadership<>(
                        opened,
                        said,
                        store,
                        keys(),
                        record(store, WaitingStamps.ofALook(ownCopy().firstPart()))::look,
                        address.ttl(),
                        lead,
                        before,
                        loss,
                        why -> LOG.warn("{}: {} goes on writing: {}", pool, node, why));
        turn.onReplanned(() -> leadership.tellLater(turn.told(since)));
        return leadership;
    }

    private AwaitedTurn standing(Coordinator store, SeenStamps seen, LivenessClock clock) {
        Promotion own = ownCopy();
        PoolRecord looks = record(store, seen);
        return new AwaitedTurn(
                store,
                keys(),
                node,
                address.ttl(),
                looks::look,
                () -> Held.in(own.look()),
                new StandingRules(node, priority, new SecureRandom()),
                clock,
                this::say);
    }

    private void say(String why) {
        LOG.info("{} waits for its turn to write {}: {}", node, pool, why);
        waiting.accept(why);
    }

    private PoolRecord record(Coordinator store, SeenStamps seen) {
        return new PoolRecord(store, keys(), node, seen, new SecureRandom());
    }

    private Promotion ownCopy() {
        return Promotion.of(copy);
    }

    private PoolKeys keys() {
        return new PoolKeys(cluster, pool);
    }

    private void requireComplete() {
        if (node.isEmpty() || copy == null) {
            throw FarheapException.wrongUse(
                    "Say which node this is and where its copy is: node(NAME) and"
                            + " copy(POOLSET-FILE).");
        }
    }
}
