package io.farheap.replication.stream;

import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.DurabilityMethod;
import java.lang.foreign.MemorySegment;

/**
 * A member of an epoch as its commit stream sees it.
 *
 * @param name the replica as written in the poolset file, for messages
 * @param connection a fresh data connection, confirmed for the epoch, whose local memory is the
 *     staging memory
 * @param policy what happens when it can't keep up
 * @param method what makes records durable there, as the target has reported for the connection
 * @param into the connection's own memory, which its READs end up in
 */
public record StreamMember(
        String name,
        Connection connection,
        ReplicaPolicy policy,
        DurabilityMethod method,
        MemorySegment into) {
    /** One whose agent flushes and answers. */
    public StreamMember(String name, Connection connection, ReplicaPolicy policy) {
        this(name, connection, policy, DurabilityMethod.GPSPM, MemorySegment.NULL);
    }

    /** One that no commit can do without. */
    public StreamMember(String name, Connection connection) {
        this(name, connection, ReplicaPolicy.FAIL);
    }

    /** Whether commits don't wait for it. */
    boolean async() {
        return policy == ReplicaPolicy.ASYNC;
    }

    /** Whether commits go on without it when it is lost. */
    boolean optional() {
        return policy != ReplicaPolicy.FAIL;
    }
}
