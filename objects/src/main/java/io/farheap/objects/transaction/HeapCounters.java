package io.farheap.objects.transaction;

/**
 * What happened in the transactions and reads of a heap since it was opened.
 *
 * @param conflicts how often a transaction met what another one changed, and was run again
 * @param alone how often one ran alone, because it met too many conflicts
 * @param snapshotsTooOld how often a read was run again, because its old bytes were gone
 * @param historyBytes bytes that are kept for reads at the moment
 */
record HeapCounters(long conflicts, long alone, long snapshotsTooOld, long historyBytes) {}
