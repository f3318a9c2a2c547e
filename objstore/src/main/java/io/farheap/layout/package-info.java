/**
 * The on-media structures of libpmemobj's format: one class each, which holds its offsets and
 * checksums.
 */
package io.farheap.layout;
