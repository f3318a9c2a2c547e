package io.farheap.ulog;

/**
 * What one pass over the undo logs of all lanes has found, every checksum compared: how many
 * entries each of them has. It holds until something is stored to a lane or to what its logs have
 * of the heap; who knows that nothing was need not sum the entries again
 * (docs/architecture.md#the-life-of-an-open).
 */
public final class FoundLogs {
    private final long[] entries;

    FoundLogs(int lanes) {
        this.entries = new long[lanes];
    }

    void found(int lane) {
        entries[lane]++;
    }

    /** How many valid entries the lane's undo log begins with; what follows them is none. */
    long entries(int lane) {
        return entries[lane];
    }
}
