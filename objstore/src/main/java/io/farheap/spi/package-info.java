/** The seam between a pool and its replication; objstore has no other access to the network. */
package io.farheap.spi;
