/** The state of an open pool's replicas, as its program publishes it for other processes. */
package io.farheap.replication.status;
