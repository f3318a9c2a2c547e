package io.farheap.availability;

import java.util.Optional;

/**
 * What a node that waits for its turn sees.
 *
 * @param record of the pool; empty: there is none yet
 * @param lead who is alive and writes, or is about to; empty: nobody
 * @param held who has this node's own copy; nobody where that was not asked for, because somebody
 *     leads
 * @param writerWaits whether a process on the recorded writer's node waits for its turn, too
 */
record Sight(
        Optional<ClusterRecord> record,
        Optional<Lead> lead,
        Orders orders,
        Held held,
        boolean writerWaits) {}
