/**
 * A model of automatic fail-over (docs/high-availability.md): three nodes with a copy of the pool
 * each, a record in a store that is only changed by compare-and-set, and no clock. Read {@code
 * Cluster} (one state), {@code OpenAdmission}, {@code SetChange} and {@code TakeOver} (what may
 * happen in it), {@code Mishaps} (what breaks), {@code FailoverRule} (what is taken away). Nothing
 * of the product is used.
 */
package io.farheap.model.failover;
