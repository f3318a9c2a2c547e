package io.farheap.tools.sync;

import io.farheap.poolset.RemoteReplica;
import java.util.Set;

/**
 * What the user of sync has ordered.
 *
 * @param takeOver end the right of whoever holds a remote replica
 * @param overwrite replicas whose content does not matter any more
 */
record Orders(boolean takeOver, Set<RemoteReplica> overwrite) {
    static final Orders NONE = new Orders(false, Set.of());
}
