/** Locks that live in objects of the pool, and who waits for them in this process. */
package io.farheap.lock;
