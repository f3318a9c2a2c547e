package io.farheap.replication.config;

import io.farheap.base.ReplicaPolicy;
import java.util.Map;

/**
 * What files and environment say of replicas lost.
 *
 * @param usual where nothing is said of one
 * @param byReplica by the replica as written in the poolset file
 */
public record ReplicaPolicies(ReplicaPolicy usual, Map<String, ReplicaPolicy> byReplica) {
    /** Nothing is said: commits fail. */
    public static final ReplicaPolicies FAIL = new ReplicaPolicies(ReplicaPolicy.FAIL, Map.of());

    public ReplicaPolicies {
        byReplica = Map.copyOf(byReplica);
    }

    /**
     * The policy of one.
     *
     * @param said what the program says of it, which counts more; null: nothing
     */
    public ReplicaPolicy of(String replica, ReplicaPolicy said) {
        return said != null ? said : byReplica.getOrDefault(replica, usual);
    }
}
