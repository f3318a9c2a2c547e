/**
 * What tests of code that persists need: a machine that loses power between any two stores, and
 * disks that fail or forget.
 */
package io.farheap.testing;
