/**
 * The seam to the store that decides who writes: {@code Coordinator}, and an engine in memory for
 * tests and for a single process.
 */
package io.farheap.availability.coordinator;
