/**
 * For tests of programs that persist data: a machine that loses power between any two stores, and
 * disks that fail or forget.
 */
package io.farheap.testing;
