/** Remote replicas: found by the pool, with no call of the program. */
module io.farheap.replication {
    requires io.farheap;
    requires io.farheap.poolset;
    requires com.fasterxml.jackson.annotation;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires disni;
    requires jdk.jfr;
    requires org.slf4j;

    exports io.farheap.replication to
            io.farheap.availability,
            io.farheap.remote,
            io.farheap.tools;
    exports io.farheap.replication.config to
            io.farheap.availability,
            io.farheap.remote,
            io.farheap.tools;
    exports io.farheap.replication.control to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.remote,
            io.farheap.tools;
    exports io.farheap.replication.dirty to
            io.farheap.tools;
    exports io.farheap.replication.epoch to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.remote;
    exports io.farheap.replication.fabric to
            io.farheap.availability,
            io.farheap.agent;
    exports io.farheap.replication.fabric.tcp to
            io.farheap.agent;
    exports io.farheap.replication.fabric.verbs to
            io.farheap.agent;
    exports io.farheap.replication.journal to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.tools;
    exports io.farheap.replication.session to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.remote,
            io.farheap.tools;
    exports io.farheap.replication.status to
            io.farheap.tools;
    exports io.farheap.replication.stream to
            io.farheap.remote;
    exports io.farheap.replication.tls to
            io.farheap.agent,
            io.farheap.availability;

    opens io.farheap.replication.control to
            com.fasterxml.jackson.databind;
    opens io.farheap.replication.status to
            com.fasterxml.jackson.databind;

    provides io.farheap.spi.ReplicaSinkProvider with
            io.farheap.replication.RemoteReplication;
}
