/**
 * Which regions of a pool a replica lacks: kept in memory while it is behind, and in a file beside
 * the pool for as long as it is away.
 */
package io.farheap.replication.dirty;
