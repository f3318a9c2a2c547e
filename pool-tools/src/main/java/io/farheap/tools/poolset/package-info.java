/** What {@code farheap poolset} says of a poolset file. */
package io.farheap.tools.poolset;
