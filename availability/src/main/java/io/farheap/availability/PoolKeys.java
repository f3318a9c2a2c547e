package io.farheap.availability;

/**
 * The keys of a pool in the store.
 *
 * <pre>
 *   farheap/CLUSTER/pools/POOL/record    who may write; changed by compare-and-set only
 *   farheap/CLUSTER/pools/POOL/lead      the process that writes, while it is alive
 *   farheap/CLUSTER/pools/POOL/waiting/N the process of node N that waits for its turn
 *   farheap/CLUSTER/pools/POOL/order     what a person has ordered
 * </pre>
 *
 * @param cluster pools that are managed together
 * @param pool one of them
 */
record PoolKeys(String cluster, String pool) {
    PoolKeys {
        NodeNames.require("cluster", cluster);
        NodeNames.require("pool", pool);
    }

    String record() {
        return below("record");
    }

    String lead() {
        return below("lead");
    }

    String waiting(String node) {
        return below("waiting/" + node);
    }

    String order() {
        return below("order");
    }

    /** What all of them begin with. */
    String all() {
        return below("");
    }

    private String below(String name) {
        return "farheap/" + cluster + "/pools/" + pool + "/" + name;
    }
}
