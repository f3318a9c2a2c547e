/** {@code farheap status}: how each copy of a pool is, and what an operator can do about it. */
package io.farheap.tools.status;
