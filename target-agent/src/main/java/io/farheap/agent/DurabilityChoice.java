package io.farheap.agent;

import io.farheap.agent.AgentConfiguration.Platform;
import io.farheap.memory.PersistenceDomain;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.fabric.DurabilityMethod;

/**
 * Which durability method a session uses, and why.
 *
 * @param method what makes a record durable
 * @param reason one sentence for a person
 */
record DurabilityChoice(DurabilityMethod method, String reason) {

    /**
     * On the tcp fabric the agent itself stores what it receives, so nothing but its own flush can
     * make that durable: the appliance method needs a network card that stores.
     *
     * @throws Refusal BAD_POOLSET when the operator forbids the only possible method
     */
    static DurabilityChoice onTcp(AgentConfiguration configuration, PersistenceDomain journal) {
        if (!configuration.persistGeneral()) {
            throw new Refusal(
                    Code.OTHER,
                    "The target's configuration allows the appliance method (APM) only, which the"
                            + " tcp fabric does not have.",
                    "Set persist-general = yes on the target.");
        }
        String why = "the agent flushes what the tcp fabric brings, in the domain " + journal;
        if (configuration.persistApm()) {
            why += "; APM was allowed";
            why +=
                    configuration.platform() == Platform.NONE
                            ? ", but the platform is not declared, and it needs an RDMA fabric"
                            : ", but it needs an RDMA fabric and a journal on DAX";
        }
        return new DurabilityChoice(DurabilityMethod.GPSPM, why);
    }
}
