/**
 * What commands share: the pool that they are told, being interrupted, files that are whole or not
 * there.
 */
package io.farheap.tools.command;
