package io.farheap.tools.verify;

import io.farheap.agent.OwnReplica;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.tools.verify.CopyResult.Finding;
import java.util.List;

/** On a target: its poolset file names one copy, and the pool's own machine knows the others. */
public final class ReplicaAlone {
    private ReplicaAlone() {}

    /** Whether the poolset is a replica of another machine's pool; a promoted one is a pool. */
    public static boolean isIt(PoolSource source, PoolSet set) {
        return source.isPoolSet()
                && OwnReplica.look(source.path(), set)
                        .filter(found -> found.slot() != null)
                        .filter(found -> found.slot().state() != ReplicaState.PROMOTED)
                        .isPresent();
    }

    static VerifyResult result(PoolSource source, PoolSet set) {
        CopyResult copy =
                new CopyResult(
                        0,
                        "",
                        set.master().parts().get(0).path().toString(),
                        Finding.NOT_COMPARED,
                        "it is a replica of a pool on another machine",
                        false,
                        null,
                        null,
                        null,
                        null,
                        null);
        return new VerifyResult(
                source.path().toString(),
                null,
                false,
                null,
                0,
                false,
                false,
                "nothing was compared: where the other copies are is not known here",
                "on the pool's machine: farheap verify, with its poolset file; what this copy holds"
                        + " says farheap status "
                        + source.path(),
                List.of(copy));
    }
}
