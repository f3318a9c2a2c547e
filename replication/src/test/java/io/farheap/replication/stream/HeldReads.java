package io.farheap.replication.stream;

import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.FabricCounters;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * A connection whose READs come back only while they may: who answers READs is a network card, so
 * no target can hold them back.
 */
public final class HeldReads implements Connection {
    private static final long LOOK_NANOS = 1_000_000;

    private final Connection connection;
    private final BooleanSupplier held;
    private final AtomicLong asked;
    private final ArrayDeque<long[]> done = new ArrayDeque<>();

    /** Set by tests: WRITEs get nowhere, and nobody says so. */
    public volatile boolean losesWrites;

    /**
     * @param asked counts the READs of what is published
     */
    public HeldReads(Connection connection, BooleanSupplier held, AtomicLong asked) {
        this.connection = connection;
        this.held = held;
        this.asked = asked;
    }

    @Override
    public int poll(CompletionHandler handler) {
        int messages = connection.poll(holding(handler));
        return messages - reads + handOver(handler);
    }

    @Override
    public int await(CompletionHandler handler, long nanos, boolean crowded) {
        long end = System.nanoTime() + nanos;
        while (true) {
            long left = end - System.nanoTime();
            if (held.getAsBoolean()) {
                left = Math.min(left, LOOK_NANOS);
            }
            int messages = connection.await(holding(handler), Math.max(0, left), crowded);
            int count = messages - reads + handOver(handler);
            if (count > 0 || System.nanoTime() - end >= 0) {
                return count;
            }
        }
    }

    /** READs that the last call of the real one handed over. */
    private int reads;

    private CompletionHandler holding(CompletionHandler handler) {
        reads = 0;
        return new CompletionHandler() {
            @Override
            public void received(MemorySegment memory, long offset, int length) {
                handler.received(memory, offset, length);
            }

            @Override
            public void readDone(long localOffset, int length) {
                reads++;
                done.add(new long[] {localOffset, length});
            }
        };
    }

    private int handOver(CompletionHandler handler) {
        int count = 0;
        while (!held.getAsBoolean() && !done.isEmpty()) {
            long[] next = done.remove();
            handler.readDone(next[0], (int) next[1]);
            count++;
        }
        return count;
    }

    @Override
    public long remoteBytes() {
        return connection.remoteBytes();
    }

    @Override
    public long publishedBytes() {
        return connection.publishedBytes();
    }

    @Override
    public void write(long localOffset, int length, long remoteOffset) {
        if (!losesWrites) {
            connection.write(localOffset, length, remoteOffset);
        }
    }

    @Override
    public void read(long localOffset, int length, long remoteOffset) {
        connection.read(localOffset, length, remoteOffset);
    }

    @Override
    public void readPublished(long localOffset, int length, long publishedOffset) {
        asked.getAndIncrement();
        connection.readPublished(localOffset, length, publishedOffset);
    }

    @Override
    public boolean canSend(int length) {
        return connection.canSend(length);
    }

    @Override
    public void send(MemorySegment message, long offset, int length) {
        throw new AssertionError("a message: it was to be READs only");
    }

    @Override
    public void post() {
        connection.post();
    }

    @Override
    public boolean hasUnsent() {
        return connection.hasUnsent();
    }

    @Override
    public void wake() {
        connection.wake();
    }

    @Override
    public FabricCounters counters() {
        return connection.counters();
    }

    @Override
    public String peer() {
        return connection.peer();
    }

    @Override
    public void close() {
        connection.close();
    }
}
