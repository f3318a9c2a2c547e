package io.farheap.live;

/**
 * Which commits a copy of an open pool has: all up to here, and no other.
 *
 * @param runId the pool's number then
 * @param commits how many the pool had since it was opened, as its counters say
 * @param heldNanos for how long none could begin, at most
 */
public record LivePoint(long runId, long commits, long heldNanos) {}
