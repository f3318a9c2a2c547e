package io.farheap;

import io.farheap.FarheapException.Category;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import io.farheap.tx.PoolEngine;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/** Shows the pool to the replication module, which is found at run time or missed by name. */
final class ReplicaAttachment implements PoolEngine.Attachment {
    private final PoolSource source;
    private final PoolFiles files;

    ReplicaAttachment(PoolSource source, PoolFiles files) {
        this.source = source;
        this.files = files;
    }

    @Override
    public ReplicaSink attach(Descriptor descriptor) {
        ReplicaSinkProvider provider =
                ServiceLoader.load(ReplicaSinkProvider.class).findFirst().orElse(null);
        if (provider == null) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    source.path()
                            + " names the remote replica "
                            + files.remotes().get(0)
                            + ", but io.farheap:replication is not on the class path; add that"
                            + " artifact.");
        }
        return provider.attach(new View(descriptor));
    }

    private final class View implements ReplicatedPool {
        private final Descriptor descriptor;

        View(Descriptor descriptor) {
            this.descriptor = descriptor;
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
        public MemorySegment headerTemplate() {
            return files.headerTemplate();
        }

        @Override
        public String layout() {
            return descriptor.layout();
        }

        @Override
        public MemorySegment image() {
            return files.memory().image().asReadOnly();
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
