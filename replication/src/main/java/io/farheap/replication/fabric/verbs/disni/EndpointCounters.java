package io.farheap.replication.fabric.verbs.disni;

import io.farheap.replication.fabric.FabricCounters;
import java.util.concurrent.atomic.AtomicLong;

/** What an end did since it was made, its greeting left out. Thread-safe. */
final class EndpointCounters {
    private final AtomicLong workRequests = new AtomicLong();
    private final AtomicLong doorbells = new AtomicLong();
    private final AtomicLong arrived = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    void prepared(int length) {
        workRequests.getAndIncrement();
        bytes.getAndAdd(length);
    }

    void rung(int bells) {
        doorbells.getAndAdd(bells);
    }

    void arrived() {
        arrived.getAndIncrement();
    }

    void waited() {
        waits.getAndIncrement();
    }

    FabricCounters read() {
        return new FabricCounters(
                workRequests.get(), doorbells.get(), arrived.get(), waits.get(), bytes.get());
    }
}
