package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.FabricCounters;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * A connection whose awaits have no bound: they end when they are woken or the test lets them go.
 * What a member lacks meanwhile does not come by chance. And its doorbell may fail.
 */
final class LongTurns implements Connection {
    private final Connection connection;
    private boolean woken;
    private boolean over;

    /** Whether somebody is in an await. */
    volatile boolean awaited;

    /** Set by tests: what the next doorbell throws; null: nothing. */
    volatile Supplier<Error> fault = () -> null;

    LongTurns(Connection connection) {
        this.connection = connection;
    }

    @Override
    public synchronized int await(CompletionHandler handler, long nanos, boolean crowded) {
        try {
            awaited = true;
            while (!woken && !over) {
                wait();
            }
            woken = false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarheapException(FarheapException.Category.REPLICA, "interrupted", e);
        } finally {
            awaited = false;
        }
        return over ? connection.await(handler, nanos, crowded) : 0;
    }

    @Override
    public synchronized void wake() {
        woken = true;
        notifyAll();
        connection.wake();
    }

    /** From now on it is as any other. */
    synchronized void letGo() {
        over = true;
        notifyAll();
    }

    @Override
    public void post() {
        Error thrown = fault.get();
        if (thrown != null) {
            throw thrown;
        }
        connection.post();
    }

    @Override
    public void close() {
        connection.close();
        letGo();
    }

    @Override
    public int poll(CompletionHandler handler) {
        return connection.poll(handler);
    }

    @Override
    public boolean hasUnsent() {
        return connection.hasUnsent();
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
        connection.write(localOffset, length, remoteOffset);
    }

    @Override
    public void read(long localOffset, int length, long remoteOffset) {
        connection.read(localOffset, length, remoteOffset);
    }

    @Override
    public void readPublished(long localOffset, int length, long publishedOffset) {
        connection.readPublished(localOffset, length, publishedOffset);
    }

    @Override
    public boolean canSend(int length) {
        return connection.canSend(length);
    }

    @Override
    public void send(MemorySegment message, long offset, int length) {
        connection.send(message, offset, length);
    }

    @Override
    public FabricCounters counters() {
        return connection.counters();
    }

    @Override
    public String peer() {
        return connection.peer();
    }
}
