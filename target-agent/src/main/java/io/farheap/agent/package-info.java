/**
 * The process on the target: its command line, what it removes by a person's order, and what this
 * machine's tools and node do with a replica that is here.
 *
 * <p>Read in this order: {@link io.farheap.agent.Agent} (the process), {@code Session} in {@code
 * session} (the control connection), {@code ReplicaStore} in {@code store} (what is durable and how
 * it moves), {@code Tail} in {@code records} (which records of the ring count).
 */
package io.farheap.agent;
