/**
 * Commit records of one epoch on their way to its members: staged, posted in batches, waited for
 * until the members have made them durable; records in flight and acknowledged positions.
 */
package io.farheap.replication.stream;
