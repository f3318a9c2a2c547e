/**
 * The persistent heap in zones and chunks: allocation, frees, arenas, allocation classes, and the
 * walk over what is there.
 */
package io.farheap.heap;
