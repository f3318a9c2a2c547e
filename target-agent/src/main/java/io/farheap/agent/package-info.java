/**
 * The process on the target: it owns one replica's part files and commit journal for as long as one
 * initiator is attached.
 *
 * <p>Read in this order: {@link io.farheap.agent.Agent} (the process), {@code Session} (the control
 * connection), {@code ReplicaStore} (what is durable and how it moves), {@code Tail} (which records
 * of the ring count).
 */
package io.farheap.agent;
