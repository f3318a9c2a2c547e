/** Errors of the virtual machine, or any other, at any place of a class, one at a time. */
package io.farheap.testing.inject;
