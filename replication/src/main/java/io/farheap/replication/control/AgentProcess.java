package io.farheap.replication.control;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A running remote shell command: its standard streams, and the end of what it writes to standard
 * error, which says why when it dies. Thread-safe.
 */
final class AgentProcess implements ControlTransport {
    private static final int KEPT_ERROR_BYTES = 4096;
    private static final long KILL_AFTER_MILLIS = 500;

    private final Process process;
    private final LineChannel channel;
    private final Thread errorReader;
    private final byte[] errors = new byte[KEPT_ERROR_BYTES];
    private long errorCount;

    AgentProcess(Process process, String name) {
        this.process = process;
        this.channel = new LineChannel(process.getInputStream(), process.getOutputStream());
        this.errorReader = Thread.ofPlatform().daemon().name(name + "-errors").start(this::drain);
    }

    @Override
    public LineChannel channel() {
        return channel;
    }

    private void drain() {
        byte[] chunk = new byte[512];
        try (InputStream stream = process.getErrorStream()) {
            for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk)) {
                keep(chunk, n);
            }
        } catch (IOException e) {
            byte[] text = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
            keep(text, text.length);
        }
    }

    private synchronized void keep(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            errors[(int) (errorCount++ % KEPT_ERROR_BYTES)] = bytes[i];
        }
    }

    @Override
    public String lastWords() throws InterruptedException {
        String status = "the remote shell command still runs";
        if (process.waitFor(KILL_AFTER_MILLIS, TimeUnit.MILLISECONDS)) {
            errorReader.join(KILL_AFTER_MILLIS);
            status = "the remote shell command ended with status " + process.exitValue();
        }
        String text = errorText();
        return text.isEmpty() ? status : text + " (" + status + ")";
    }

    private synchronized String errorText() {
        int length = (int) Math.min(errorCount, KEPT_ERROR_BYTES);
        byte[] ordered = new byte[length];
        for (int i = 0; i < length; i++) {
            ordered[i] = errors[(int) ((errorCount - length + i) % KEPT_ERROR_BYTES)];
        }
        return new String(ordered, StandardCharsets.UTF_8).strip().replaceAll("\\s+", " ");
    }

    @Override
    public boolean hasEnded() {
        return !process.isAlive();
    }

    @Override
    public void close() {
        boolean interrupted = false;
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            process.destroy(); // the pipe is broken: it is gone, or will be
        }
        try {
            if (!process.waitFor(KILL_AFTER_MILLIS, TimeUnit.MILLISECONDS)) {
                process.destroy();
                if (!process.waitFor(KILL_AFTER_MILLIS, TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
            process.destroyForcibly();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }
}
