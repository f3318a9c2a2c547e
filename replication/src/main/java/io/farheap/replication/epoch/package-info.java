/**
 * Which replicas are members, and how that changes: the switch from one epoch to the next, when a
 * pool is opened and while it is open; reconnecting, catching up, leaving out.
 */
package io.farheap.replication.epoch;
