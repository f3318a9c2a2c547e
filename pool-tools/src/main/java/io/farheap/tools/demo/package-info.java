/**
 * {@code farheap demo}: a loader that is killed, a pool whose files are deleted, and their return
 * from the replica, on one machine and with nothing to install.
 */
package io.farheap.tools.demo;
