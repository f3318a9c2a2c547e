/** Undo and redo logs of the lanes, and recovery from them. */
package io.farheap.ulog;
