package io.farheap.availability;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whose copy each replica of a poolset file is: of the node that was said when the pool was opened,
 * else of the one that is named as its host. Nothing here waits or reads a file.
 */
final class NodePlans {
    private final RecordedSwitches.Plan said;
    private volatile Set<RemoteReplica> opened = Set.of();

    /**
     * @param said the nodes that have other names than the hosts of their replicas
     */
    NodePlans(RecordedSwitches.Plan said) {
        this.said = said;
    }

    /**
     * Of a pool that is being opened.
     *
     * @throws FarheapException WRONG_USE where there can be none
     */
    RecordedSwitches.Plan atOpen(Object poolset, List<RemoteReplica> remotes) {
        RecordedSwitches.Plan plan = of(poolset, remotes);
        opened = Set.copyOf(remotes);
        return plan;
    }

    /**
     * Of one that is open, with other replicas.
     *
     * @throws FarheapException WRONG_USE where there can be none; nothing has changed then
     */
    RecordedSwitches.Plan later(Object poolset, List<RemoteReplica> remotes) {
        for (RemoteReplica replica : remotes) {
            boolean isKnown = opened.contains(replica) || said.nodes().containsKey(replica);
            if (!isKnown && !said.nodes().isEmpty()) {
                throw FarheapException.wrongUse(
                        "%s: whose copy %s is was not said (mate) when the pool was opened, as it was"
                                + " of others, and is said then: nothing has changed; name its node"
                                + " there, close the pool and open it again",
                        poolset, replica);
            }
        }
        return of(poolset, remotes);
    }

    private RecordedSwitches.Plan of(Object poolset, List<RemoteReplica> remotes) {
        if (1 + remotes.size() > ClusterRecord.MOST_NODES) {
            throw FarheapException.wrongUse(
                    "%s: %d copies, this node's among them, are more than a record has: %d.",
                    poolset, 1 + remotes.size(), ClusterRecord.MOST_NODES);
        }
        Map<RemoteReplica, String> nodes = new HashMap<>();
        for (RemoteReplica replica : remotes) {
            String node = said.nodes().getOrDefault(replica, replica.host());
            if (node.equals(said.node()) || nodes.containsValue(node)) {
                throw FarheapException.wrongUse(
                        "%s: two copies are said to be of the node %s; each has a node of its own.",
                        poolset, node);
            }
            nodes.put(replica, NodeNames.require("node", node));
        }
        return new RecordedSwitches.Plan(said.node(), nodes, said.minCopies());
    }
}
