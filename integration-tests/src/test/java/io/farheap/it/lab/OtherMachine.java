package io.farheap.it.lab;

import io.farheap.it.system.ReplicaSite;
import java.rmi.RemoteException;

/** The second machine of the lab, as the first one sees it: a target that starts agents. */
interface OtherMachine extends ReplicaSite {
    /** Where an agent is started for whoever connects: its control connection. */
    int AGENT_PORT = 2222;

    String NAME = "target";

    /** Writes a file, as the first machine has it. */
    void write(String path, String text) throws RemoteException;

    /**
     * Takes the replica of that name to be the one that is asked for, and starts agents.
     *
     * @param part the replica's only one, in the target's directory
     * @param command of an agent, for a shell
     */
    void serve(String part, String command) throws RemoteException;
}
