/**
 * The {@code farheap} command: parses the command line and reports the result. A command of more
 * than one class has a package below this one.
 */
package io.farheap.tools;
