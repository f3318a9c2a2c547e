package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.session.ReplicaReport;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Removes the replicas of a pool whose creation failed. */
final class CreatedReplicas {
    /** Such a target has no replica of that name that anybody can have made. */
    private static final Set<Code> NOTHING_THERE =
            EnumSet.of(Code.NOT_FOUND, Code.BAD_NAME, Code.BAD_POOLSET, Code.ACCESS);

    private final Path poolset;
    private final PoolUuid uuid;
    private final Throwable failure;

    /**
     * @param uuid of the pool: only this creation knows it
     * @param failure why there is no pool; told where one of its replicas is left
     */
    CreatedReplicas(Path poolset, PoolUuid uuid, Throwable failure) {
        this.poolset = poolset;
        this.uuid = uuid;
        this.failure = failure;
    }

    void remove(List<RemoteReplica> remotes, Map<String, String> said) {
        ReplicationSettings settings = ReplicationSettings.of(poolset, said);
        for (int i = 0; i < remotes.size(); i++) {
            try {
                remove(new RemoteReplicaClient(remotes.get(i), i, settings));
            } catch (RefusedException e) {
                if (!NOTHING_THERE.contains(e.code())) {
                    left(remotes.get(i), e);
                }
            } catch (FarheapException e) {
                left(remotes.get(i), e);
            }
        }
    }

    private void remove(RemoteReplicaClient client) {
        ReplicaReport found = client.inspect();
        if (found.header().length() > 0) {
            MemorySegment bytes = MemorySegment.ofArray(found.header().toByteArray());
            PoolHeader header = new PoolHeader(bytes);
            if (header.hasSignature() && header.poolsetUuid().equals(uuid)) {
                // Its agent may not know yet that we let it go.
                client.remove(uuid, true, false, true);
            }
        }
    }

    /** One that never was reached has the same to say twice, and nothing was made there. */
    private void left(RemoteReplica replica, FarheapException why) {
        if (!String.valueOf(failure.getMessage()).contains(why.getMessage())) {
            failure.addSuppressed(
                    new FarheapException(
                            why.category(),
                            "what was made of the replica "
                                    + replica
                                    + " before, if anything, is left there ("
                                    + why.getMessage()
                                    + "); once it is reachable: farheap status "
                                    + poolset
                                    + " says what it holds",
                            why));
        }
    }
}
