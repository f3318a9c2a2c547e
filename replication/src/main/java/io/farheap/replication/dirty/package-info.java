/**
 * Which regions of a pool a replica lacks: kept in memory while the replica lags, and in a file
 * beside the pool while it is absent.
 */
package io.farheap.replication.dirty;
