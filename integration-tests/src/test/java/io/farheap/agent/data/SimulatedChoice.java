package io.farheap.agent.data;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.replication.fabric.FabricKind;
import java.net.InetAddress;
import java.util.List;

/** What the agent's choice of a fabric becomes. */
final class SimulatedChoice {
    private SimulatedChoice() {}

    static FabricChoice choose(
            AgentConfiguration configuration,
            List<FabricKind> offered,
            boolean tunnel,
            InetAddress address,
            TargetMachine machine) {
        FabricKind kind = offered.contains(FabricKind.VERBS) ? FabricKind.VERBS : FabricKind.TCP;
        return new FabricChoice(kind, "the initiator wants it");
    }
}
