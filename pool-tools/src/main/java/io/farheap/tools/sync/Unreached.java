package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;

/**
 * A remote replica that could not be looked at: whatever it holds, it may be newer than all others.
 *
 * @param number its place in the poolset file, all replicas counted
 * @param replica the replica
 * @param why how the attempt failed
 */
record Unreached(int number, RemoteReplica replica, FarheapException why) {

    /** How it is called in messages. */
    String name() {
        return "replica " + number + " (" + replica + ")";
    }
}
