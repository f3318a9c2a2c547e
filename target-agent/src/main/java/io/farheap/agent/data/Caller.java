package io.farheap.agent.data;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.lock.Neighbours;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.TargetListener;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** By which way an initiator has come, and what that way gives it. */
public interface Caller {
    /** Who may start the agent by a remote shell may do all that an initiator can. */
    Caller BY_SHELL =
            new Caller() {
                @Override
                public void require(Request.Hello hello) {}

                @Override
                public String named(String initiator) {
                    return initiator;
                }

                @Override
                public InetAddress address() {
                    return DataAddress.of(System.getenv("SSH_CONNECTION"));
                }

                @Override
                public Neighbours neighbours() {
                    return Neighbours.NONE;
                }
            };

    /**
     * @throws Refusal ACCESS when it may not do what it comes for; whether there is what it names
     *     is not looked at
     */
    void require(Request.Hello hello);

    /** The initiator's name for logs and for the lock, with what is proven of it. */
    String named(String initiator);

    /** The address of this machine that the control connection uses. */
    InetAddress address();

    /** Other sessions of this process. */
    Neighbours neighbours();

    /** It has that replica now. */
    default void holds(ReplicaPaths paths, ReplicaStore store) {}

    /** It has let that replica go. */
    default void leaves(ReplicaPaths paths, ReplicaStore store) {}

    /**
     * Where its data connection within TLS is waited for.
     *
     * @throws Refusal where there is no such
     */
    default TargetListener door(byte[] secret, MemorySegment region) {
        throw new Refusal(
                Code.OTHER,
                "This agent was started by a remote shell, and has no data connections within TLS.",
                "Set connect to tls, and have the agent listen (farheap agent --listen).");
    }

    /** Whether its data connection may be made beside TLS. */
    default boolean mayUsePlainData() {
        return true;
    }
}
