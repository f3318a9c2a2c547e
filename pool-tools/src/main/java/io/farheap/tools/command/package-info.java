/**
 * What commands share: the argument that names a pool, interruption, and files that are written
 * completely or not at all.
 */
package io.farheap.tools.command;
