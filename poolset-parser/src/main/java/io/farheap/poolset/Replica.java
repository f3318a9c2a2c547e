package io.farheap.poolset;

/** One copy of the pool: files of this machine, or a pool set of another one. */
public sealed interface Replica permits LocalReplica, RemoteReplica {}
