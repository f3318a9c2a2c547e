package io.farheap.zookeeper;

import io.farheap.base.FarheapException;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/**
 * Who has a user means that nobody else changes what is there. Without one, nothing is looked at.
 */
final class OwnNodes {
    private final String base;
    private final boolean hasUser;

    OwnNodes(ZooKeeperSettings settings) {
        this.base = settings.base();
        this.hasUser = settings.login().isPresent();
    }

    /**
     * A node and the directory it lies in: whoever may change that takes the node away and makes
     * another one.
     */
    void requireWithDirectory(ZooKeeperTry one, String path)
            throws KeeperException, InterruptedException {
        require(one, List.of(path.substring(0, path.lastIndexOf('/')), path));
    }

    /**
     * @param nodes that are not there count as one's own; so does the root, which is empty
     * @throws FarheapException ENVIRONMENT: others than users may change one of them
     */
    void require(ZooKeeperTry one, List<String> nodes)
            throws KeeperException, InterruptedException {
        if (!hasUser) {
            return;
        }
        List<String> own = nodes.stream().filter(node -> !node.isEmpty()).toList();
        List<Reply<List<ACL>>> replies = own.stream().map(one::access).toList();
        for (int i = 0; i < own.size(); i++) {
            for (ACL entry : replies.get(i).get()) {
                requireUsers(own.get(i), entry);
            }
        }
    }

    private void requireUsers(String node, ACL entry) {
        String scheme = entry.getId().getScheme();
        if (scheme.equals(ZooKeeperSettings.DIGEST)
                || (entry.getPerms() & ~ZooDefs.Perms.READ) == 0) {
            return;
        }
        String who = scheme.equals("world") ? "anyone" : scheme + ":" + entry.getId().getId();
        throw FarheapException.environment(
                "In ZooKeeper %s may change %s, which was made by a program or a person without"
                        + " a user, and this program has one. Give the nodes to that user, and"
                        + " nobody else: zkCli.sh without TLS, addauth digest USER:PASSWORD, %s.",
                who, node, mend());
    }

    private String mend() {
        return base.isEmpty()
                ? "setAcl -R /"
                        + StoreIdentity.NAME
                        + " auth::cdrwa, and so for each directory of keys"
                : "setAcl -R " + base + " auth::cdrwa";
    }
}
