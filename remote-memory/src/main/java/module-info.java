/** Memory of another machine, as librpmem has it. */
module io.farheap.remote {
    requires transitive io.farheap;
    requires io.farheap.poolset;
    requires io.farheap.replication;

    exports io.farheap.remote;
}
