/** {@code farheap ha} and {@code farheap run}: automatic fail-over, as people see and order it. */
package io.farheap.tools.failover;
