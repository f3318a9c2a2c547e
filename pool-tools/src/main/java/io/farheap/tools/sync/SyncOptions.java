package io.farheap.tools.sync;

import io.farheap.poolset.RemoteReplica;
import java.util.Set;

/**
 * What the user of sync has ordered.
 *
 * @param takeOver end the right of whoever holds a remote replica
 * @param overwrite replicas whose content does not matter any more
 * @param from the remote replica that the local pool is to be replaced with, whatever that holds;
 *     null: none
 */
record SyncOptions(boolean takeOver, Set<RemoteReplica> overwrite, RemoteReplica from) {
    static final SyncOptions NONE = new SyncOptions(false, Set.of(), null);
}
