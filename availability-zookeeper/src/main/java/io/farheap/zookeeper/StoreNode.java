package io.farheap.zookeeper;

import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import io.farheap.zookeeper.ZooKeeperTry.Node;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * Which ZooKeeper it is, and how far: a node with a random name, made once, whose version counts
 * the changes of values. ZooKeeper's own numbers do not do for that: it has no identity, and what
 * it numbers changes by jumps with each leader, and is soon higher than ever when its files were
 * copied back.
 *
 * <pre>
 * ~store/IDENTITY          its version: one more with each change
 * ~store/IDENTITY/births   its version: one more with each value and each announcement that is new
 * </pre>
 *
 * <p>Every change of a value names the first, so that none is applied in another store. What
 * changes or takes away a node that is there names the second as it was read before, so that it is
 * the same node, and not one that was taken away and made again: ZooKeeper's version of a node
 * begins anew with each.
 */
final class StoreNode {
    private final String base;
    private final List<ACL> access;
    private final OwnNodes own;
    private final StoreIdentity identity;

    StoreNode(ZooKeeperSettings settings) {
        this.base = settings.base();
        this.access = settings.access();
        this.own = new OwnNodes(settings);
        this.identity = new StoreIdentity(settings, own);
    }

    /**
     * A node, and what the store was when it had been read.
     *
     * @param births as it was before
     * @param stamp {@link StoreStamp#NONE}: there is no store yet
     */
    record Found(Optional<Node> node, int births, StoreStamp stamp) {
        /** The transaction that set the value; 0: there is none. */
        long version() {
            return node.map(found -> found.stat().getMzxid()).orElse(0L);
        }
    }

    /**
     * A node for an announcement.
     *
     * @param births as it was before
     * @param store the node that is the store's
     */
    record Sight(Optional<Node> node, int births, String store) {
        /** Whether a session keeps it, whichever. */
        boolean isAnnounced() {
            return node.isPresent() && node.get().stat().getEphemeralOwner() != 0;
        }
    }

    /**
     * Reads what most servers have agreed on, and makes nothing. The store's own state comes last:
     * a value of before a restoration does not go with a state of before.
     */
    Found find(ZooKeeperTry one, String path) throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            Optional<String> store = identity.known(one);
            Optional<Found> found =
                    store.isPresent()
                            ? found(one, store.get(), List.of(path)).map(all -> all.get(0))
                            : foundAlone(one, path);
            if (found.isPresent()) {
                return found.get();
            }
            identity.forget();
        }
    }

    /**
     * The same, in a store that is made where there is none.
     *
     * @throws FarheapException BAD_DATA: keys are there and no store
     */
    Found findToChange(ZooKeeperTry one, String path) throws KeeperException, InterruptedException {
        return findToChange(one, List.of(path)).get(0);
    }

    /**
     * The same of some that one transaction names, in one look: what is born between two looks
     * would be in its way.
     *
     * @param paths the first is the one to change
     */
    List<Found> findToChange(ZooKeeperTry one, List<String> paths)
            throws KeeperException, InterruptedException {
        String path = paths.get(0);
        while (true) {
            one.requireTime();
            String store =
                    identity.made(one, path)
                            .orElseThrow(() -> FarheapException.badData("%s", identity.lost(path)));
            Optional<List<Found>> found = found(one, store, paths);
            if (found.isPresent()) {
                return found.get();
            }
            identity.forget();
        }
    }

    /** Empty: this store is gone. */
    private Optional<List<Found>> found(ZooKeeperTry one, String store, List<String> paths)
            throws KeeperException, InterruptedException {
        Reply<List<OpResult>> agreed = one.agree(store);
        Reply<Optional<Stat>> births = one.stat(StoreIdentity.births(store));
        List<Reply<Optional<Node>>> nodes = paths.stream().map(one::node).toList();
        Reply<Optional<Stat>> state = one.stat(store);
        for (String path : paths) {
            own.requireWithDirectory(one, path);
        }
        try {
            var unused = agreed.get();
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        }
        Optional<Stat> before = births.get();
        List<Optional<Node>> there = new ArrayList<>();
        for (Reply<Optional<Node>> node : nodes) {
            there.add(node.get());
        }
        Optional<Stat> after = state.get();
        if (after.isEmpty()) {
            return Optional.empty();
        }
        int born = number(store, before);
        StoreStamp stamp = stamp(store, after.get().getVersion());
        return Optional.of(there.stream().map(node -> new Found(node, born, stamp)).toList());
    }

    private int number(String store, Optional<Stat> births) {
        return births.orElseThrow(
                        () ->
                                FarheapException.badData(
                                        "ZooKeeper has no %s, without which nobody knows which"
                                                + " values are the newest: somebody has taken it"
                                                + " away, and not all of %s.",
                                        StoreIdentity.births(store), identity.directory()))
                .getVersion();
    }

    /** Where there is no store; empty: there is one. */
    private Optional<Found> foundAlone(ZooKeeperTry one, String path)
            throws KeeperException, InterruptedException {
        try {
            return foundAlone(one, base.isEmpty() ? "/" : base, path);
        } catch (KeeperException.NoNodeException e) {
            return foundAlone(one, "/", path); // not even the base
        }
    }

    private Optional<Found> foundAlone(ZooKeeperTry one, String there, String path)
            throws KeeperException, InterruptedException {
        Reply<List<OpResult>> agreed = one.agree(there);
        Reply<Optional<Node>> node = one.node(path);
        Reply<List<String>> stores = one.children(identity.directory());
        var unused = agreed.get();
        Optional<Node> found = node.get();
        return stores.get().isEmpty()
                ? Optional.of(new Found(found, 0, StoreStamp.NONE))
                : Optional.empty();
    }

    /**
     * Reads behind a sync; makes the store where there is none.
     *
     * @throws StoreUnavailableException keys are there and no store: it waits for a person
     */
    Sight look(ZooKeeperTry one, String path) throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            String store =
                    identity.made(one, path)
                            .orElseThrow(() -> new StoreUnavailableException(identity.lost(path)));
            Reply<Boolean> synced = one.sync(store);
            Reply<Optional<Stat>> births = one.stat(StoreIdentity.births(store));
            Reply<Optional<Node>> node = one.node(path);
            Reply<Optional<Stat>> state = one.stat(store);
            var unused = synced.get();
            Optional<Stat> before = births.get();
            Optional<Node> there = node.get();
            if (state.get().isPresent()) {
                return new Sight(there, number(store, before), store);
            }
            identity.forget();
        }
    }

    /** What makes an announcement, of the session that sends it. */
    List<Op> announcement(Sight seen, String path, byte[] value) {
        return List.of(Op.create(path, value, access, CreateMode.EPHEMERAL), born(seen.store()));
    }

    /** What gives the announcement that was seen another value. */
    List<Op> replacement(Sight seen, String path, byte[] value) {
        return List.of(unborn(seen), Op.setData(path, value, versionOf(seen)));
    }

    /** What takes away the announcement that was seen. */
    List<Op> removal(Sight seen, String path) {
        return List.of(unborn(seen), Op.delete(path, versionOf(seen)));
    }

    private static Op born(String store) {
        return Op.setData(StoreIdentity.births(store), new byte[0], -1);
    }

    private static Op unborn(Sight seen) {
        return Op.check(StoreIdentity.births(seen.store()), seen.births());
    }

    private static int versionOf(Sight seen) {
        return seen.node().orElseThrow().stat().getVersion();
    }

    /**
     * What makes or replaces the value that was found, and counts it.
     *
     * @param found in a store
     */
    List<Op> change(Found found, String path, byte[] value) {
        String store = storeOf(found);
        Op counted = Op.setData(store, StoreIdentity.SAYS, -1);
        return found.node()
                .map(
                        node ->
                                List.of(
                                        Op.check(StoreIdentity.births(store), found.births()),
                                        Op.setData(path, value, node.stat().getVersion()),
                                        counted))
                .orElseGet(
                        () ->
                                List.of(
                                        Op.create(path, value, access, CreateMode.PERSISTENT),
                                        born(store),
                                        counted));
    }

    /**
     * The same change, if the other node, too, is as it was found. One that was not there, or that
     * was taken away and made again, shows by what was born since.
     */
    List<Op> onlyIf(List<Op> change, Found other, String path) {
        List<Op> all = new ArrayList<>();
        all.add(Op.check(StoreIdentity.births(storeOf(other)), other.births()));
        other.node().ifPresent(node -> all.add(Op.check(path, node.stat().getVersion())));
        all.addAll(change);
        return all;
    }

    /** The state of the store after such a change. */
    StoreStamp stamp(Found found, Stat counted) {
        return stamp(storeOf(found), counted.getVersion());
    }

    private static StoreStamp stamp(String store, int version) {
        return new StoreStamp(store.substring(store.lastIndexOf('/') + 1), version);
    }

    private String storeOf(Found found) {
        return identity.directory() + "/" + found.stamp().identity();
    }
}
