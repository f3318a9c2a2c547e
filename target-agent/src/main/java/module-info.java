/** The process on a target. */
module io.farheap.agent {
    requires io.farheap;
    requires io.farheap.poolset;
    requires io.farheap.replication;
    requires java.naming;
    requires jdk.unsupported;

    exports io.farheap.agent to
            io.farheap.availability,
            io.farheap.tools;
    exports io.farheap.agent.config to
            io.farheap.availability;
    exports io.farheap.agent.service to
            io.farheap.tools;

    uses io.farheap.agent.config.RecordedTerms;
}
