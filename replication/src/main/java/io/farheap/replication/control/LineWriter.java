package io.farheap.replication.control;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Speaks to the other side without waiting for ever on one that does not read: a process that was
 * stopped leaves its pipe full, and a write to that can't be interrupted. Thread-safe.
 */
public final class LineWriter implements AutoCloseable {
    private final LineChannel channel;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("control-writer").factory());

    public LineWriter(LineChannel channel) {
        this.channel = channel;
    }

    /**
     * Sends a line, after those that others are sending.
     *
     * @throws IOException when it has not left within the bound, or the connection is broken
     */
    public void write(byte[] line, long millis) throws IOException, InterruptedException {
        try {
            Object unused = submit(line).get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the other side has read nothing for " + millis + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    private Future<?> submit(byte[] line) throws IOException {
        try {
            return thread.submit(
                    () -> {
                        channel.writeLine(line);
                        return null;
                    });
        } catch (RejectedExecutionException e) {
            throw new IOException("the connection has ended", e);
        }
    }

    /** Nothing is sent any more. A line that nobody reads is left to the end of the process. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
