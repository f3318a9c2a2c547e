package io.farheap.it.system;

import java.io.Serializable;
import java.rmi.Remote;
import java.rmi.RemoteException;

/** A replica of one part, and the agent that has it: on this machine, or by RMI on another one. */
public interface ReplicaSite extends Remote {
    /**
     * What the slot says.
     *
     * @param next 0: none
     */
    record Epochs(long current, long next) implements Serializable {}

    /**
     * What a replica without its agent is worth.
     *
     * @param undecided bytes that its records change of which nobody knows that they are committed
     * @param found by thread, whole transactions of it as it was promoted
     */
    record Alone(long undecided, long[] found) implements Serializable {}

    /** The process that has the replica. */
    long agent() throws RemoteException;

    void kill(long agent) throws RemoteException;

    boolean hasEnded(long agent) throws RemoteException;

    Epochs epochs() throws RemoteException;

    /** {@link PoolState} of the replica, as text. */
    String state() throws RemoteException;

    /** The same of {@link PoolState#withoutBlocks}. */
    String stateWithoutBlocks() throws RemoteException;

    /** Promotes a copy of it, and checks that this is made of whole transactions. */
    Alone promoteCopy(long seed, int threads) throws RemoteException;
}
