/** {@code farheap poolset}: reports on a poolset file. */
package io.farheap.tools.poolset;
