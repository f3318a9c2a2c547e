package io.farheap.replication.status;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus;
import io.farheap.memory.NativeFile;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link StatusFile} of an open pool: written when a replica comes into another state,
 * and once a second while anything else changes. That it can't be written is no reason to fail: it
 * is said once.
 */
public final class StatusWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);
    private static final int READABLE = 0666;
    private static final long PERIOD_NANOS = 1_000_000_000;

    private final Path path;
    private final LongSupplier number;
    private final LongSupplier comparedMillis;
    private final Supplier<List<ReplicaStatus>> replicas;
    private final Thread thread;
    private volatile boolean changed;
    private volatile boolean stopping;
    private NativeFile file;
    private ProgramStatus written;
    private boolean failed;

    /**
     * @param path the file
     * @param number the pool's
     * @param comparedMillis as {@link ProgramStatus} has it
     */
    public StatusWriter(
            Path path,
            LongSupplier number,
            LongSupplier comparedMillis,
            Supplier<List<ReplicaStatus>> replicas) {
        this.path = path;
        this.number = number;
        this.comparedMillis = comparedMillis;
        this.replicas = replicas;
        this.thread = Thread.ofPlatform().daemon().name("farheap-status").unstarted(this::run);
    }

    /** Writes for the first time. */
    public void start() {
        write();
        thread.start();
    }

    /** A replica is in another state. */
    public void changed() {
        changed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!stopping) {
            long begin = System.nanoTime();
            changed = false;
            write();
            while (!stopping && !changed) {
                long left = PERIOD_NANOS - (System.nanoTime() - begin);
                if (left <= 0) {
                    break;
                }
                LockSupport.parkNanos(this, left);
            }
        }
    }

    private void write() {
        try {
            ProgramStatus now =
                    ProgramStatus.of(
                            number.getAsLong(), comparedMillis.getAsLong(), replicas.get());
            if (now.saysTheSame(written)) {
                return;
            }
            if (file == null) {
                file = NativeFile.openOrCreate(path, READABLE);
            }
            StatusFile.write(file, now);
            written = now;
        } catch (FarheapException e) {
            warn(e.getMessage());
        } catch (RuntimeException | Error e) { // what is to be told may be there the next time
            warn(e.toString());
        }
    }

    private void warn(String why) {
        if (!failed) {
            failed = true;
            LOG.warn("{} can't be written, farheap status will know less: {}", path, why);
        }
    }

    /** Nobody has the pool open any more: removes the file. */
    @Override
    public void close() {
        stopping = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        try {
            if (file != null) {
                boolean unused = NativeFile.delete(path);
                file.close();
            }
        } catch (FarheapException e) {
            LOG.warn("{} can't be removed, though it means nothing now: {}", path, e.getMessage());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
