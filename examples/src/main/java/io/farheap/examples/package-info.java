/**
 * Whole programs on typed objects, each short enough to read at once: a bank, an order book, a job
 * queue, and the adapter for Spring's transactions.
 */
package io.farheap.examples;
