/** The seam between a pool and its replication; objstore knows no network beyond this. */
package io.farheap.spi;
