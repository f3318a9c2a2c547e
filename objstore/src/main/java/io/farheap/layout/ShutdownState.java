package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The shutdown state (SDS) in part 0's header of each local replica
 * (docs/format.md#shutdown-state):
 *
 * <pre>
 *   0 +-----------------+-----------------+
 *     | usc           8 | uuid          8 |  sums over the devices below the parts
 *  16 +---+-------------+-----------------+
 *     | d | zero                       39 |  d: 1 while the pool is open
 *  56 +---+-----------------------------+-+
 *     | checksum                        8 |
 *     +-----------------------------------+
 * </pre>
 *
 * <p>Both sums are 0 on storage that is no NVDIMM. The caller flushes what it changed.
 */
public final class ShutdownState {
    /** Where it lies in a pool header. */
    public static final long OFFSET = 4024;

    public static final long SIZE = 64;

    private static final long UNSAFE_SHUTDOWN_COUNT = 0;
    private static final long DEVICE_SUM = 8;
    private static final long DIRTY = 16;
    private static final long CHECKSUM = 56;
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment state;

    /**
     * @param header a pool header of 4096 bytes
     */
    public ShutdownState(MemorySegment header) {
        this.state = header.asSlice(OFFSET, SIZE);
    }

    public long unsafeShutdownCount() {
        return state.get(LONG, UNSAFE_SHUTDOWN_COUNT);
    }

    public long deviceSum() {
        return state.get(LONG, DEVICE_SUM);
    }

    /** Whether a process has the pool open, or died with it open. */
    public boolean isDirty() {
        return state.get(ValueLayout.JAVA_BYTE, DIRTY) != 0;
    }

    public boolean checksumMatches() {
        return state.get(LONG, CHECKSUM) == checksum();
    }

    /**
     * Whether data may have been lost in a power failure while the pool was open: the device counts
     * another number of unsafe shutdowns than at the last open, and the pool was not closed since.
     */
    public boolean tellsOfLostData(long unsafeShutdownCount, long deviceSum) {
        boolean torn = !checksumMatches();
        boolean sameDevice =
                unsafeShutdownCount() == unsafeShutdownCount && deviceSum() == deviceSum;
        return !torn && !sameDevice && isDirty();
    }

    /** The state of an open pool. */
    public void open(long unsafeShutdownCount, long deviceSum) {
        write(unsafeShutdownCount, deviceSum, (byte) 1);
    }

    /** The state of a pool that was closed. */
    public void close() {
        write(unsafeShutdownCount(), deviceSum(), (byte) 0);
    }

    private void write(long unsafeShutdownCount, long deviceSum, byte dirty) {
        state.fill((byte) 0);
        state.set(LONG, UNSAFE_SHUTDOWN_COUNT, unsafeShutdownCount);
        state.set(LONG, DEVICE_SUM, deviceSum);
        state.set(ValueLayout.JAVA_BYTE, DIRTY, dirty);
        state.set(LONG, CHECKSUM, checksum());
    }

    private long checksum() {
        return Checksum.of(state, 0, SIZE, CHECKSUM, Checksum.NO_SKIP);
    }
}
