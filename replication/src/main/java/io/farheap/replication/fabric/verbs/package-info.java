/**
 * Finds out whether there is an RNIC, and loads the verbs fabric with a class loader of its own.
 */
package io.farheap.replication.fabric.verbs;
