/**
 * The fabric for machines without an RNIC: the same operations as frames over tcp, both sides
 * proven by a shared secret.
 */
package io.farheap.replication.fabric.tcp;
