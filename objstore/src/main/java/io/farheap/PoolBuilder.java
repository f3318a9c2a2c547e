package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.pool.ExistingParts;
import io.farheap.pool.PoolSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * How a pool is opened or created, said step by step: {@link ObjectPool#at}. What is not said is as
 * usual. For one thread; may be used again.
 *
 * <pre>
 * ObjectPool.at(Path.of("bank.pool")).layout("bank").size(64 &lt;&lt; 20).openOrCreate()
 * </pre>
 */
public final class PoolBuilder {
    private static final long UNSAID = 0;

    private final Path path;
    private String layout;
    private long size = UNSAID;
    private PoolOptions options = PoolOptions.defaults();

    PoolBuilder(Path path) {
        this.path = Objects.requireNonNull(path, "path");
    }

    /**
     * The name of what the program keeps in the pool: it is created with it, and opened only if it
     * has it.
     *
     * @param name at most 1023 bytes of UTF-8; null, as not said: {@link #open} takes any, and
     *     nothing can be created
     */
    public PoolBuilder layout(String name) {
        layout = name;
        return this;
    }

    /**
     * That the pool is one plain file, and how large a new one is. A pool that is there keeps the
     * size it has. Not said, or 0: a poolset file, which names the sizes, or a file that is there.
     *
     * @param bytes at least 8 MiB
     */
    public PoolBuilder size(long bytes) {
        size = bytes;
        return this;
    }

    /** All else that can be said of a pool. */
    public PoolBuilder options(PoolOptions wanted) {
        options = Objects.requireNonNull(wanted, "options");
        return this;
    }

    /**
     * Opens a pool and brings it to a transaction boundary: what committed is there, what did not
     * is gone, here and on the replicas.
     *
     * @throws FarheapException BAD_DATA for anything damaged or foreign, ENVIRONMENT for a pool in
     *     use (naming the holder where the system tells) and for a copy of one that this process
     *     has open, REPLICA for one that can't be attached
     */
    public ObjectPool open() {
        return new PoolOpening(PoolSource.of(path), options).open(layout);
    }

    /**
     * Creates a pool, replicas included.
     *
     * @throws FarheapException WRONG_USE, BAD_DATA, ENVIRONMENT or REPLICA; no file is left behind
     */
    public ObjectPool create() {
        Objects.requireNonNull(layout, "layout");
        return new PoolOpening(new PoolSource(path, size), options).create(layout);
    }

    /**
     * Creates a pool, replicas included, and closes it: for who makes it for others. All of it is
     * durable when this returns, as after {@link #create} and a close.
     *
     * @throws FarheapException as {@link #create}, also where it can't be closed; no file is left
     *     behind but where the message says so
     */
    public void createClosed() {
        Objects.requireNonNull(layout, "layout");
        new PoolOpening(new PoolSource(path, size), options).createClosed(layout);
    }

    /**
     * Opens the pool if any part of it exists, else creates it. Nothing is created over what may be
     * left of a pool: not where a part of any replica is there, and not where a target holds a
     * copy, or does not answer.
     *
     * @throws FarheapException ENVIRONMENT where parts are missing beside others, WRONG_USE where a
     *     target holds a copy, each with what restores the pool; REPLICA where a target that may
     *     hold a copy does not answer; and what {@link #open} and {@link #create} throw
     */
    public ObjectPool openOrCreate() {
        return exists() ? open() : create();
    }

    private boolean exists() {
        if (size != UNSAID) {
            return Files.exists(path);
        }
        PoolSource source = PoolSource.of(path);
        return !source.isPoolSet() || ExistingParts.isAny(source);
    }
}
