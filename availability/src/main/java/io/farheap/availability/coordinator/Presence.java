package io.farheap.availability.coordinator;

/** A key that is there because this process is alive. */
public interface Presence extends AutoCloseable {
    /** Others may not see the key any more: it ended, or was not kept alive for too long. */
    boolean isLost();

    /**
     * What others read under the key from now on, for as long as it is there.
     *
     * @return false: the key is gone, or another's
     * @throws StoreUnavailableException the store does not answer; others may read the old or the
     *     new value
     */
    boolean replace(byte[] value);

    /** Takes the key away; where the store does not answer, it goes when its ttl is over. */
    @Override
    void close();
}
