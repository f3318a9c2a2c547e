package io.farheap;

import io.farheap.poolset.RemoteReplica;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Reads a poolset file again, and has taken up what it says, for one thread after the other: what
 * was read last is taken up last. Thread-safe.
 */
final class FileReload {
    private final Supplier<List<RemoteReplica>> reading;
    private final BiConsumer<List<RemoteReplica>, Boolean> takingUp;
    private final Object turn = new Object();

    FileReload(
            Supplier<List<RemoteReplica>> reading,
            BiConsumer<List<RemoteReplica>, Boolean> takingUp) {
        this.reading = reading;
        this.takingUp = takingUp;
    }

    /**
     * @param alone whether none may be left that has every commit
     * @return what was taken up
     */
    List<RemoteReplica> run(boolean alone) {
        synchronized (turn) {
            List<RemoteReplica> named = reading.get();
            takingUp.accept(named, alone);
            return named;
        }
    }
}
