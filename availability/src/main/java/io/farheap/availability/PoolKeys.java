package io.farheap.availability;

import java.util.Optional;

/**
 * The keys of a pool in the store.
 *
 * <pre>
 *   farheap/CLUSTER/pools/POOL/record    who may write; changed by compare-and-set only
 *   farheap/CLUSTER/pools/POOL/lead      the process that writes, while it is alive
 *   farheap/CLUSTER/pools/POOL/waiting/N the process of node N that waits for its turn
 *   farheap/CLUSTER/pools/POOL/order     what a person has ordered
 *   farheap/CLUSTER/pools/POOL/discard/N that node N's copy, which was set apart, may go
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

    String discard(String node) {
        return below("discard/" + node);
    }

    String order() {
        return below("order");
    }

    /** What all of them begin with. */
    String all() {
        return below("");
    }

    /**
     * Where a key stands in the store.
     *
     * @param name {@code record}, {@code lead}, {@code order} or {@code waiting/N}
     */
    record Place(PoolKeys keys, String name) {}

    /** Whose key it is; empty: no pool's that a program could name. */
    static Optional<Place> placeOf(String key) {
        String[] words = key.split("/", 5);
        boolean of =
                words.length == 5
                        && words[0].equals("farheap")
                        && words[2].equals("pools")
                        && NodeNames.isName(words[1])
                        && NodeNames.isName(words[3]);
        return of
                ? Optional.of(new Place(new PoolKeys(words[1], words[3]), words[4]))
                : Optional.empty();
    }

    /** What all keys of all clusters begin with. */
    static String ofAll() {
        return "farheap/";
    }

    /** What all keys of a cluster begin with. */
    static String ofCluster(String cluster) {
        return "farheap/" + NodeNames.require("cluster", cluster) + "/pools/";
    }

    private String below(String name) {
        return ofCluster(cluster) + pool + "/" + name;
    }
}
