/**
 * {@code farheap status}: the state of each copy of a pool, and what an operator can do about it.
 */
package io.farheap.tools.status;
