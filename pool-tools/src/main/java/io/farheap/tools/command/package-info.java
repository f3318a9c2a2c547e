/**
 * What commands share: the argument that names a pool, interruption, how fast long work goes, and
 * files that are written completely or not at all.
 */
package io.farheap.tools.command;
