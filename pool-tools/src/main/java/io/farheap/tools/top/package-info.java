/** {@code farheap top}. */
package io.farheap.tools.top;
