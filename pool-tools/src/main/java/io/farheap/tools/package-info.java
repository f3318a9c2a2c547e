/**
 * The {@code farheap} command: parses the command line, and says how it went; each command has a
 * package of its own below this one where it is more than a class.
 */
package io.farheap.tools;
