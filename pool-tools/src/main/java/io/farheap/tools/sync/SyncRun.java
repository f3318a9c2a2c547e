package io.farheap.tools.sync;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.AttachOptions;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.Restoration;
import io.farheap.replication.SyncProgress;
import io.farheap.tools.Progress;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** One run of sync on one poolset. */
final class SyncRun {
    private static final long MIB = 1 << 20;

    private final PoolSource source;
    private final PoolSet set;
    private final boolean takeOver;
    private final PrintWriter out;
    private final ReplicationSettings settings = ReplicationSettings.fromEnvironment();

    SyncRun(PoolSource source, boolean takeOver, PrintWriter out) {
        this.source = source;
        this.set = source.existing();
        this.takeOver = takeOver;
        this.out = out;
    }

    void run() {
        PoolInspection local = PoolInspection.of(set);
        if (!local.inUse().isEmpty()) {
            throw new FarheapException(Category.ENVIRONMENT, local.inUse().get(0).problem());
        }
        local.lost().forEach(part -> out.println(part.problem()));
        if (!local.lost().isEmpty()) {
            if (set.remoteReplicas().isEmpty()) {
                throw new FarheapException(
                        Category.BAD_DATA,
                        source.path() + ": no healthy replica found, nothing can be restored");
            }
            restoreFrom(set.remoteReplicas().get(0), local);
        }
        attach();
    }

    private void restoreFrom(RemoteReplica replica, PoolInspection local) {
        RemoteReplicaClient client = new RemoteReplicaClient(replica, 0, settings);
        out.println("restoring from replica " + replica);
        try (Restoration copy = client.restore(takeOver);
                PoolRestoration files = PoolRestoration.beginAnew(local, header(copy))) {
            PoolMemory image = files.newImage(0);
            long bytes = Math.min(image.size(), copy.imageSize());
            try (Progress bar = Progress.start("copying", "MiB", MIB, bytes)) {
                copy.copyTo(
                        image.image().asSlice(0, bytes), (from, done, total) -> bar.reached(done));
            }
            Descriptor descriptor = new Descriptor(image);
            descriptor.validate(replica.toString(), null);
            descriptor.switchRunId(copy.nextRunId());
            for (int r = 1; r < set.localReplicas().size(); r++) {
                MemorySegment other = files.newImage(r).image();
                MemorySegment.copy(image.image(), 0, other, 0, image.size());
            }
            files.makeDurable();
            copy.complete();
            files.complete(files.usualMode());
        }
    }

    private static PoolHeader header(Restoration copy) {
        return new PoolHeader(MemorySegment.ofArray(copy.header().toByteArray()));
    }

    private void attach() {
        AttachOptions options = new AttachOptions(Set.of(), takeOver, true, SyncProgress.NONE);
        ObjectPool.open(
                        source.path(),
                        null,
                        pool -> RemoteReplication.attach(pool, options, settings))
                .close();
    }
}
