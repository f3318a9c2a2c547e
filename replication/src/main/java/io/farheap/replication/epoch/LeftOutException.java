package io.farheap.replication.epoch;

/**
 * Some failed that the pool can do without, or a map did: the number is not to be used, and the
 * next attempt is without them.
 */
final class LeftOutException extends Exception {
    private static final long serialVersionUID = 1L;
}
