package io.farheap.replication.fabric;

import java.time.Duration;

/** Waits for the one initiator that knows the secret. */
public interface TargetListener extends AutoCloseable {

    /** The port it is bound to. */
    int port();

    /**
     * Waits for the initiator. Nobody else is let in afterwards: the secret is used up and the
     * listener closed. Strangers, however slow, don't keep the initiator waiting.
     *
     * @throws io.farheap.base.FarheapException category REPLICA when it did not come in time
     */
    Endpoint accept(Duration bound);

    /** Stops listening; wakes a thread that waits in {@link #accept}. Idempotent. */
    @Override
    void close();
}
