/**
 * Mapped memory of a pool: typed access, flush and fence by the persistence domain, and the system
 * calls beneath.
 */
package io.farheap.memory;
