package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.ReplicaPolicy;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.Ownership;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import io.farheap.tx.PoolEngine;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Shows the pool to whoever attaches its remote replicas. */
final class ReplicaAttachment implements PoolEngine.Attachment {
    private final PoolSource source;
    private final PoolFiles files;
    private final ReplicaSinkProvider provider;
    private final PoolOptions options;

    ReplicaAttachment(
            PoolSource source, PoolFiles files, ReplicaSinkProvider provider, PoolOptions options) {
        this.source = source;
        this.files = files;
        this.provider = provider;
        this.options = options;
    }

    /** The replication module, which is found at run time or missed by name. */
    static ReplicaSinkProvider ofClassPath(Path pool) {
        return new ReplicaSinkProvider() {
            @Override
            public ReplicaSink attach(ReplicatedPool view) {
                return provider()
                        .orElseThrow(() -> noReplication(pool, view.remotes().get(0)))
                        .attach(view);
            }

            @Override
            public void requireAbsent(Path poolset, List<RemoteReplica> remotes) {
                provider()
                        .orElseThrow(() -> noReplication(pool, remotes.get(0)))
                        .requireAbsent(poolset, remotes);
            }

            @Override
            public void discard(
                    Path poolset, PoolUuid uuid, List<RemoteReplica> remotes, Throwable failure) {
                provider().ifPresent(one -> one.discard(poolset, uuid, remotes, failure));
            }
        };
    }

    private static Optional<ReplicaSinkProvider> provider() {
        return ServiceLoader.load(ReplicaSinkProvider.class).findFirst();
    }

    private static FarheapException noReplication(Path pool, RemoteReplica replica) {
        return new FarheapException(
                Category.ENVIRONMENT,
                pool
                        + " names the remote replica "
                        + replica
                        + ", but io.farheap:replication is not on the class path; add that"
                        + " artifact.");
    }

    @Override
    public ReplicaSink attach(Descriptor descriptor, CommittedView committed) {
        return provider.attach(new View(descriptor, committed));
    }

    private final class View implements ReplicatedPool {
        private final Descriptor descriptor;
        private final CommittedView committed;

        View(Descriptor descriptor, CommittedView committed) {
            this.descriptor = descriptor;
            this.committed = committed;
        }

        @Override
        public Path poolsetFile() {
            return source.path();
        }

        @Override
        public List<RemoteReplica> remotes() {
            return files.remotes();
        }

        @Override
        public ReplicaPolicy policy(RemoteReplica replica) {
            return options.replicaPolicy(replica.toString());
        }

        @Override
        public Path sideFiles() {
            return SideFiles.of(files.poolSet()).beside();
        }

        @Override
        public int mode() {
            Path first = sideFiles();
            return Files.isRegularFile(first)
                    ? Ownership.of(first).mode()
                    : CreateOptions.DEFAULT_MODE;
        }

        @Override
        public MemorySegment headerTemplate() {
            return files.headerTemplate();
        }

        @Override
        public String layout() {
            return descriptor.layout();
        }

        @Override
        public MemorySegment image() {
            files.memory().requireWhole(); // zeros in the place of what was cut off go nowhere
            return files.memory().image().asReadOnly();
        }

        @Override
        public void readCommitted(long offset, MemorySegment target, long length) {
            committed.read(offset, target, length);
            files.memory().requireWhole();
        }

        @Override
        public void clearUnused(long offset, MemorySegment one, MemorySegment other, long length) {
            committed.clearUnused(offset, one, other, length);
        }

        @Override
        public long runId() {
            return descriptor.runId();
        }

        @Override
        public void switchRunId(long runId) {
            descriptor.switchRunId(runId);
        }
    }
}
