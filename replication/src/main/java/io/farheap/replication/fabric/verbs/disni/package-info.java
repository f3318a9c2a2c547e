/** The fabric over RDMA verbs, by DiSNI; the only package that knows it. */
package io.farheap.replication.fabric.verbs.disni;
