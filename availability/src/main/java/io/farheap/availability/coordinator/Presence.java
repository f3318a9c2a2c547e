package io.farheap.availability.coordinator;

/** A key that is there because this process is alive. */
public interface Presence extends AutoCloseable {
    /** Others may not see the key any more: it ended, or was not kept alive for too long. */
    boolean isLost();

    /** Takes the key away; where the store does not answer, it goes when its ttl is over. */
    @Override
    void close();
}
