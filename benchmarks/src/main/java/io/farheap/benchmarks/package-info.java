/**
 * Measures commits, operations, tools and garbage beside libpmemobj and plain copies, in one run.
 */
package io.farheap.benchmarks;
