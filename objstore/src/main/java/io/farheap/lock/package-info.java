/**
 * Locks that are stored in objects of the pool, and the threads of this process that wait for them.
 */
package io.farheap.lock;
