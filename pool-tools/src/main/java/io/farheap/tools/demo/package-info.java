/**
 * {@code farheap demo}: a program is killed, its pool's files are deleted, and both come back from
 * the replica, on one machine without any installation.
 */
package io.farheap.tools.demo;
