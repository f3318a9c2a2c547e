package io.farheap.engine;

import io.farheap.base.ReplicaPolicy;
import io.farheap.layout.Descriptor;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.Ownership;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Shows the pool to whoever attaches its remote replicas. */
final class ReplicaAttachment implements PoolEngine.Attachment {
    private final PoolSource source;
    private final PoolFiles files;
    private final ReplicaSinkProvider provider;
    private final Function<String, ReplicaPolicy> policies;
    private final Map<String, String> settings;

    ReplicaAttachment(
            PoolSource source,
            PoolFiles files,
            ReplicaSinkProvider provider,
            Function<String, ReplicaPolicy> policies,
            Map<String, String> settings) {
        this.source = source;
        this.files = files;
        this.provider = provider;
        this.policies = policies;
        this.settings = settings;
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
            return policies.apply(replica.toString());
        }

        @Override
        public Map<String, String> settings() {
            return settings;
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
        public void read(long offset, MemorySegment target) {
            files.memory().copyOutOnce(offset, target);
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
