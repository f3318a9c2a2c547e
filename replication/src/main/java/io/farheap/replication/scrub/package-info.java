/** Compares attached replicas with the open pool, in the background and when asked. */
package io.farheap.replication.scrub;
