/**
 * Which replicas are members now, and how that changes: the switch from one epoch to the next, at
 * the open of a pool and while it runs; reconnecting, catching up, being left out.
 */
package io.farheap.replication.epoch;
