package io.farheap.zookeeper;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.farheap.base.FarheapException;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * The store's node, as {@link StoreNode} has it: found, made where something changes, and looked
 * at.
 */
final class StoreIdentity {
    static final char MARK = '~';

    /** Of the directory below the base. */
    static final String NAME = MARK + "store";

    static final byte[] SAYS =
            "Farheap: the version of this node is what its programs know a restored store by"
                    .getBytes(US_ASCII);

    private final String base;
    private final String directory;
    private final List<ACL> access;
    private final OwnNodes own;

    /** Null: not known. */
    private volatile String identity;

    StoreIdentity(ZooKeeperSettings settings, OwnNodes own) {
        this.base = settings.base();
        this.directory = base + "/" + NAME;
        this.access = settings.access();
        this.own = own;
    }

    /** The node that has the identity's, and nothing else. */
    String directory() {
        return directory;
    }

    static String births(String store) {
        return store + "/births";
    }

    /** It is not there any more. */
    void forget() {
        identity = null;
    }

    /** Empty: there is none. */
    Optional<String> known(ZooKeeperTry one) throws KeeperException, InterruptedException {
        if (identity == null) {
            Reply<Boolean> synced = one.sync(directory);
            Reply<List<String>> children = one.children(directory);
            var unused = synced.get();
            learn(one, children.get());
        }
        return Optional.ofNullable(identity).map(name -> directory + "/" + name);
    }

    /**
     * Makes it where there is none. It is there before any key: where there are keys, somebody has
     * taken it away, and nobody knows how old they are.
     *
     * @param path of a key
     * @return empty: there is none, and keys are there
     */
    Optional<String> made(ZooKeeperTry one, String path)
            throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            Optional<String> store = known(one);
            if (store.isPresent()) {
                return store;
            }
            Reply<Optional<Stat>> keys = one.stat(uppermost(path));
            Reply<Optional<Stat>> parent = one.stat(directory);
            Reply<List<String>> children = one.children(directory);
            boolean lost = keys.get().isPresent();
            Optional<Stat> before = parent.get();
            if (children.get().isEmpty()) {
                if (lost) {
                    return Optional.empty();
                }
                make(one, before);
            }
        }
    }

    /** What says so. */
    String lost(String path) {
        return String.format(
                "ZooKeeper has %s, and no identity in %s, which is there before any key: somebody"
                        + " has taken it away, as after a backup was put back, and nobody knows how"
                        + " old the keys are. Look at them, then take them away (zkCli.sh: deleteall"
                        + " %s), and put the pools under fail-over again"
                        + " (docs/high-availability.md#restoring-zookeeper).",
                uppermost(path), directory, uppermost(path));
    }

    /** The first node below the base, which is made first. */
    private String uppermost(String path) {
        int slash = path.indexOf('/', base.length() + 1);
        return slash < 0 ? path : path.substring(0, slash);
    }

    /**
     * @param names of the directory's nodes
     */
    private void learn(ZooKeeperTry one, List<String> names)
            throws KeeperException, InterruptedException {
        if (names.size() > 1) {
            throw FarheapException.badData(
                    "ZooKeeper has more than one identity below %s (%s): nobody knows which"
                            + " values are the newest. Take all of them away but the one that"
                            + " the nodes know.",
                    directory, String.join(", ", names));
        }
        if (!names.isEmpty()) {
            String store = directory + "/" + names.get(0);
            own.require(one, List.of(base, directory, store, births(store)));
            identity = names.get(0);
        }
    }

    /**
     * Unless somebody else is about to.
     *
     * @param parent as it was when it had no child: then only one makes the first
     */
    private void make(ZooKeeperTry one, Optional<Stat> parent)
            throws KeeperException, InterruptedException {
        own.require(one, List.of(base, directory));
        String store = directory + "/" + UUID.randomUUID();
        Op alone =
                parent.map(stat -> Op.setData(directory, new byte[0], stat.getVersion()))
                        .orElseGet(() -> directory(directory));
        try {
            var unused =
                    one.transact(
                                    directory,
                                    List.of(
                                            alone,
                                            Op.create(store, SAYS, access, CreateMode.PERSISTENT),
                                            directory(births(store))))
                            .get();
        } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
            return; // who did is seen by the next look
        } catch (KeeperException.NoNodeException e) {
            one.makeDirectoriesAbove(directory);
        }
    }

    private Op directory(String path) {
        return Op.create(path, new byte[0], access, CreateMode.PERSISTENT);
    }
}
