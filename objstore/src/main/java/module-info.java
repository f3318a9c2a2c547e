/** The transactional object pool: {@link io.farheap.ObjectPool} is where to begin. */
module io.farheap {
    requires transitive io.farheap.poolset;
    requires transitive chronicle.bytes;
    requires jdk.jfr;
    requires org.slf4j;

    exports io.farheap;
    exports io.farheap.base;
    exports io.farheap.pmemobj;
    exports io.farheap.check to
            io.farheap.tools;
    exports io.farheap.engine to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.objects,
            io.farheap.testing,
            io.farheap.tools;
    exports io.farheap.heap to
            io.farheap.objects,
            io.farheap.testing,
            io.farheap.tools;
    exports io.farheap.layout to
            io.farheap.availability,
            io.farheap.objects,
            io.farheap.agent,
            io.farheap.remote,
            io.farheap.replication,
            io.farheap.testing,
            io.farheap.tools;
    exports io.farheap.live to
            io.farheap.tools;
    exports io.farheap.memory to
            io.farheap.objects,
            io.farheap.agent,
            io.farheap.replication,
            io.farheap.testing,
            io.farheap.tools;
    exports io.farheap.pool to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.replication,
            io.farheap.tools;
    exports io.farheap.readers to
            io.farheap.agent;
    exports io.farheap.spi to
            io.farheap.agent,
            io.farheap.availability,
            io.farheap.remote,
            io.farheap.replication,
            io.farheap.tools;
    exports io.farheap.ulog to
            io.farheap.tools;

    opens io.farheap to
            io.farheap.testing;

    uses io.farheap.spi.ReplicaSinkProvider;
}
