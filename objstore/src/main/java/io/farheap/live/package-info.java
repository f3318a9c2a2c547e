/** An open pool's image at a commit boundary, for a process that asks for it: a backup. */
package io.farheap.live;
