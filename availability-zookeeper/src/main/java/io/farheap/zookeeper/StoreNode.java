package io.farheap.zookeeper;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.base.FarheapException;
import io.farheap.zookeeper.ZooKeeperTry.Node;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
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
 * ~store/IDENTITY/births   its version: one more with each value that is new
 * </pre>
 *
 * <p>Every change names the first, so that none is applied in another store; a change of a value
 * that is there names the second as it was read, so that it is the same value, and not one that was
 * taken away and made again.
 */
final class StoreNode {
    static final char MARK = '~';
    private static final byte[] SAYS =
            "Farheap: the version of this node is what its programs know a restored store by"
                    .getBytes(US_ASCII);

    private final String directory;
    private final List<ACL> access;

    /** Null: not known. */
    private volatile String identity;

    StoreNode(ZooKeeperSettings settings) {
        this.directory = settings.base() + "/" + MARK + "store";
        this.access = settings.access();
    }

    /**
     * A node, and what the store was when it had been read.
     *
     * @param births as it was before
     */
    record Found(Optional<Node> node, int births, StoreStamp stamp) {
        /** The transaction that set the value; 0: there is none. */
        long version() {
            return node.map(found -> found.stat().getMzxid()).orElse(0L);
        }
    }

    /**
     * Reads what most servers have agreed on. The store's own state comes last: a value of before a
     * restoration does not go with a state of before.
     */
    Found find(ZooKeeperTry one, String path) throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            String store = path(one);
            Reply<List<OpResult>> agreed = one.agree(store);
            Reply<Optional<Stat>> births = one.stat(births(store));
            Reply<Optional<Node>> node = one.node(path);
            Reply<Optional<Stat>> state = one.stat(store);
            try {
                var unused = agreed.get();
            } catch (KeeperException.NoNodeException e) {
                identity = null;
                continue;
            }
            Optional<Stat> before = births.get();
            Optional<Node> found = node.get();
            Optional<Stat> after = state.get();
            if (after.isEmpty()) {
                identity = null;
                continue;
            }
            if (before.isEmpty()) {
                throw FarheapException.badData(
                        "ZooKeeper has no %s, without which nobody knows which values are the"
                                + " newest: somebody has taken it away, and not all of %s.",
                        births(store), directory);
            }
            return new Found(
                    found, before.get().getVersion(), stamp(store, after.get().getVersion()));
        }
    }

    /** What makes or replaces the value that was found, and counts it. */
    List<Op> change(Found found, String path, byte[] value) {
        String store = storeOf(found);
        Op counted = Op.setData(store, SAYS, -1);
        return found.node()
                .map(
                        node ->
                                List.of(
                                        Op.check(births(store), found.births()),
                                        Op.setData(path, value, node.stat().getVersion()),
                                        counted))
                .orElseGet(
                        () ->
                                List.of(
                                        Op.create(path, value, access, CreateMode.PERSISTENT),
                                        Op.setData(births(store), new byte[0], -1),
                                        counted));
    }

    /** The state of the store after such a change. */
    StoreStamp stamp(Found found, Stat counted) {
        return stamp(storeOf(found), counted.getVersion());
    }

    private static StoreStamp stamp(String store, int version) {
        return new StoreStamp(store.substring(store.lastIndexOf('/') + 1), version);
    }

    private String storeOf(Found found) {
        return directory + "/" + found.stamp().identity();
    }

    private static String births(String store) {
        return store + "/births";
    }

    private String path(ZooKeeperTry one) throws KeeperException, InterruptedException {
        String known = identity;
        while (known == null) {
            one.requireTime();
            Reply<Boolean> synced = one.sync(directory);
            Reply<Optional<Stat>> parent = one.stat(directory);
            Reply<List<String>> children = one.children(directory);
            var unused = synced.get();
            Optional<Stat> before = parent.get();
            List<String> names = children.get();
            if (names.size() > 1) {
                throw FarheapException.badData(
                        "ZooKeeper has more than one identity below %s (%s): nobody knows which"
                                + " values are the newest. Take all of them away but the one that"
                                + " the nodes know.",
                        directory, String.join(", ", names));
            }
            known = names.isEmpty() ? make(one, before) : names.get(0);
            identity = known;
        }
        return directory + "/" + known;
    }

    /**
     * @param parent as it was when it had no child: then only one makes the first
     * @return null: somebody else is about to
     */
    private String make(ZooKeeperTry one, Optional<Stat> parent)
            throws KeeperException, InterruptedException {
        String name = UUID.randomUUID().toString();
        String store = directory + "/" + name;
        try {
            var unused =
                    one.transact(
                                    directory,
                                    List.of(
                                            parent.map(
                                                            stat ->
                                                                    Op.setData(
                                                                            directory,
                                                                            new byte[0],
                                                                            stat.getVersion()))
                                                    .orElseGet(() -> directory(directory)),
                                            Op.create(store, SAYS, access, CreateMode.PERSISTENT),
                                            directory(births(store))))
                            .get();
            return name;
        } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
            return null;
        } catch (KeeperException.NoNodeException e) {
            one.makeDirectoriesAbove(directory);
            return null;
        }
    }

    private Op directory(String path) {
        return Op.create(path, new byte[0], access, CreateMode.PERSISTENT);
    }
}
