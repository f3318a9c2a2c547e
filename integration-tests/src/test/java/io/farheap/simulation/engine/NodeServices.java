package io.farheap.simulation.engine;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.journal.KeptTerm;

/** What the processes of a node's machine find there and reach from there. */
public interface NodeServices {
    /** A client of the store. */
    Coordinator connect();

    /** The term file as it is on the disk. */
    KeptTerm term();

    /** Replaces that: one step, durable on return. */
    void keepTerm(KeptTerm term);

    /** How replicas are waited for. */
    ReplicationSettings settings();

    /** Starts the agent of another node. */
    ControlTransport startAgent(String host);

    /** Data connections to other nodes. */
    Fabric fabric();

    /** What lies beside the copy for replicas that are left out. */
    SimulatedMaps maps();
}
