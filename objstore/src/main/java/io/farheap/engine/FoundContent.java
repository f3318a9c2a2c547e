package io.farheap.engine;

import io.farheap.heap.HeapShape;
import io.farheap.ulog.FoundLogs;

/**
 * What the check of a pool's files has found, for an engine that opens them before anything is
 * stored.
 *
 * @param heap its shape
 * @param logs null where a redo log is stored, which may change the others
 */
public record FoundContent(HeapShape heap, FoundLogs logs) {}
