package io.farheap;

/**
 * What is read of a replica in one go: {@link ReplicaPool#read}.
 *
 * @param <T> what it finds
 * @param <E> what it throws
 */
@FunctionalInterface
public interface ReplicaRead<T, E extends Exception> {
    /**
     * Reads, and changes nothing: it may be run again, from its beginning.
     *
     * @param view valid during the call, in its thread
     */
    T apply(ReplicaView view) throws E;
}
