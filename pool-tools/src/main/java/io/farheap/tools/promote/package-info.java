/** {@code farheap promote}: a replica becomes a pool of its own. */
package io.farheap.tools.promote;
