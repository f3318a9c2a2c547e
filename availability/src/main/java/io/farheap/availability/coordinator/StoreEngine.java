package io.farheap.availability.coordinator;

/**
 * A kind of store. etcd's is always there; others come with artifacts of their own, and are found
 * by a ServiceLoader.
 */
public interface StoreEngine {
    /** What its addresses begin with, before the colon. */
    String kind();

    /** An address, as an example for a person. */
    String example();

    /**
     * Looks at the settings; nothing is sent.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE: what can't work, and how it is written
     * @throws IllegalArgumentException the endpoints are none
     */
    void check(StoreSettings settings);

    /** A client. Sends nothing yet: a store that is down is seen by the first request. */
    Coordinator connect(StoreSettings settings);
}
