/** The errors, and the values that several packages and programs share. */
package io.farheap.base;
