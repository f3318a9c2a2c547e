package io.farheap.tools.sync;

import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.check.PoolCheck;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolRestoration;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.Restoration;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.KeptAgents;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.survey.RemoteFinding;
import io.farheap.tools.verify.PacedImages;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.List;

/**
 * The local pool comes back from a remote replica, which is taken over for that
 * (docs/protocol.md#promotion-and-return). The new parts lie beside their places and nobody can
 * open them, half old and half new (docs/protocol.md#failback-marker), until the replica knows the
 * number that they will have.
 */
final class PoolReturn {
    private final PoolInspection local;
    private final RemoteFinding source;
    private final List<RemoteFinding> others;
    private final String instead;
    private final String fromParts;

    /**
     * @param instead the command that takes the first of the others
     */
    PoolReturn(PoolInspection local, SyncStep.RestorePool step, String instead) {
        this.local = local;
        this.source = step.source();
        this.others = step.others();
        this.instead = instead;
        this.fromParts = step.fromParts();
    }

    /**
     * @param agents those that the look has left
     * @param takeOver end the right of whoever holds the replica
     * @param work how fast it goes
     * @return what is wrong with the content that came back; null: nothing
     */
    String run(ReplicationSettings settings, KeptAgents agents, boolean takeOver, LongWork work) {
        RemoteReplicaClient client =
                new RemoteReplicaClient(
                        source.replica(), source.index(), settings, agents, Fabrics.of(settings));
        // Room first: without it the replica stays as it is.
        try (PoolRestoration files = PoolRestoration.beginAnew(local, source.header());
                Restoration copy = client.restore(takeOver)) {
            // A larger target's end is unused; a larger local set's end stays unused.
            long bytes = Math.min(files.newImage(0).size(), copy.imageSize());
            Beside place = new Beside(files, bytes, work);
            copy.pacedBy(work.pacer());
            try (CopyProgress progress = new CopyProgress(work, bytes)) {
                copy.into(place, progress);
                progress.complete();
            }
            return place.damage;
        }
    }

    /** New parts beside the places of the old ones. */
    private final class Beside implements Restoration.Place {
        private final PoolRestoration files;
        private final PoolMemory image;
        private final long bytes;
        private final LongWork work;
        private String damage;

        Beside(PoolRestoration files, long bytes, LongWork work) {
            this.files = files;
            this.image = files.newImage(0);
            this.bytes = bytes;
            this.work = work;
        }

        @Override
        public MemorySegment begin() {
            return image.image().asSlice(0, bytes);
        }

        @Override
        public void finish(long runId) {
            Descriptor descriptor = new Descriptor(image);
            descriptor.validate(source.name(), null);
            requireSound();
            descriptor.switchRunId(runId);
            for (int r = 1; r < local.replicas().size(); r++) {
                PacedImages.copy(image.image(), files.newImage(r).image(), image.size(), work);
            }
            files.makeDurable();
            for (int r = 1; r < local.replicas().size(); r++) {
                LocalCopy.requireEqual(files.image(r), image.image(), image.size(), work);
            }
        }

        /** Nothing that may be better is given up for something that is damaged. */
        private void requireSound() {
            long poolId = source.poolsetUuid().poolId();
            CheckReport report = PoolCheck.ofImage(image.image(), poolId);
            if (report.isConsistent()) {
                return;
            }
            damage = source.name() + ": " + SourceCheck.sentence(report);
            if (!others.isEmpty()) {
                throw FarheapException.badData(
                        "%s; it is not copied anywhere while %s%s may be sound: to take that"
                                + " one, %s",
                        damage,
                        others.get(0).name(),
                        others.get(0).mayLag() ? ", for which commits did not wait," : "",
                        instead);
            }
            boolean replaces =
                    local.replicas().stream()
                            .flatMap(List::stream)
                            .anyMatch(part -> Files.exists(part.path()));
            if (replaces) {
                throw FarheapException.badData(
                        "%s; it does not replace what is here, of which nothing was changed.%s"
                                + " To take it all the same, move the local part files away and run this"
                                + " again",
                        damage,
                        fromParts.isEmpty()
                                ? ""
                                : " What is here has all of the pool together, as far as headers"
                                        + " tell; to make it from that: "
                                        + fromParts
                                        + ".");
            }
        }

        @Override
        public void open() {
            files.complete();
        }
    }
}
