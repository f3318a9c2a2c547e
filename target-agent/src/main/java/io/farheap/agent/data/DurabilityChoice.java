package io.farheap.agent.data;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Platform;
import io.farheap.agent.config.ConfigurationValues;
import io.farheap.base.PersistenceDomain;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.FabricKind;

/**
 * Which durability method a session uses, and why.
 *
 * @param method what makes a record durable
 * @param reason one sentence for a person, without a point
 */
record DurabilityChoice(DurabilityMethod method, String reason) {

    /**
     * @param journal how the agent makes stores to the journal durable
     * @param inPlace whether the initiator writes to the journal itself
     * @param region what the journal lies on
     * @throws Refusal when the operator forbids the only possible method
     */
    static DurabilityChoice of(
            AgentConfiguration configuration,
            FabricKind fabric,
            PersistenceDomain journal,
            boolean inPlace,
            PersistentRegion region) {
        String obstacle = obstacle(configuration, fabric, journal, inPlace, region);
        if (configuration.persistApm() && obstacle.isEmpty()) {
            return new DurabilityChoice(
                    DurabilityMethod.APM, apmReason(configuration, journal, region));
        }
        if (!configuration.persistGeneral()) {
            throw new Refusal(
                    Code.OTHER,
                    "The target's configuration allows the appliance method (APM) only, but "
                            + (obstacle.isEmpty() ? "persist-apm is no" : obstacle)
                            + ".",
                    "Set persist-general = yes on the target.");
        }
        String why =
                "the agent flushes what "
                        + fabric
                        + " brings, in the domain "
                        + journal
                        + (configuration.persistApm() ? "; APM was allowed, but " + obstacle : "");
        return new DurabilityChoice(DurabilityMethod.GPSPM, why);
    }

    private static String apmReason(
            AgentConfiguration configuration, PersistenceDomain journal, PersistentRegion region) {
        return "a READ proves the WRITEs before it durable on a platform that was declared as "
                + ConfigurationValues.textOf(configuration.platform())
                + (journal == PersistenceDomain.FORCED
                        ? ", and the journal's memory is trusted by order: for tests"
                        : ", with the journal on " + region);
    }

    /** Why a READ that comes back would not prove that WRITEs before it are durable; or "". */
    static String obstacle(
            AgentConfiguration configuration,
            FabricKind fabric,
            PersistenceDomain journal,
            boolean inPlace,
            PersistentRegion region) {
        Platform platform = configuration.platform();
        if (fabric != FabricKind.VERBS) {
            return "over tcp it is the agent who stores: a network card must";
        }
        if (platform == Platform.NONE) {
            return "the platform is not declared (platform = adr or eadr)";
        }
        if (journal == PersistenceDomain.PAGE_CACHE) {
            return "the journal is not on DAX: its domain is " + journal;
        }
        boolean trusted = journal == PersistenceDomain.FORCED;
        if (!trusted
                && !(platform == Platform.EADR ? region.savesCaches() : region.savesMemory())) {
            return "the platform is declared as "
                    + ConfigurationValues.textOf(platform)
                    + ", and the journal is on "
                    + region;
        }
        if (!inPlace) {
            return "the network card can't reach the journal itself, as it could on a device DAX"
                    + " (journal-devices)";
        }
        return "";
    }
}
