/**
 * Entry to the replication of a pool: {@link io.farheap.replication.RemoteReplication} is what the
 * ServiceLoader finds behind {@link io.farheap.spi.ReplicaSinkProvider}; the tools look at, restore
 * and remove single replicas here.
 */
package io.farheap.replication;
