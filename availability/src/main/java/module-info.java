/** Who may write a pool: a record in a store with compare-and-set. */
module io.farheap.availability {
    requires transitive io.farheap;
    requires io.farheap.agent;
    requires io.farheap.poolset;
    requires io.farheap.replication;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires java.net.http;
    requires org.slf4j;

    exports io.farheap.availability;

    uses io.farheap.availability.coordinator.StoreEngine;

    provides io.farheap.agent.config.RecordedTerms with
            io.farheap.availability.StoredTerms;
}
