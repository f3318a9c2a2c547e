/** Throws errors of the virtual machine, or any others, at any place of a class, one at a time. */
package io.farheap.testing.inject;
