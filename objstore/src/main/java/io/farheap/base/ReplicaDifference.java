package io.farheap.base;

/**
 * Bytes of a replica that are not those of the pool, though both have the same commits.
 *
 * @param replica as written in the poolset file: {@code [user@]host[:port] name.set}
 * @param offset image offset of the first byte
 * @param length how many bytes
 */
public record ReplicaDifference(String replica, long offset, long length) {}
