package io.farheap.replication.fabric.verbs.disni;

/** Memory of the target that this connection may reach. */
record RemoteRegion(long address, long bytes, int key) {}
