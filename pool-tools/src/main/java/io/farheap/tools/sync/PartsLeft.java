package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.List;

/**
 * What is left of local replicas that lost their first part. The number of a run is in that one, so
 * only the bytes can tell that what stays is of the source's run; else two runs would be mixed.
 */
final class PartsLeft {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final FoundReplicas findings;
    private final PoolInspection local;
    private final PoolSet set;
    private final int source;

    /**
     * @param source the local replica that lost parts are to be made from
     */
    PartsLeft(FoundReplicas findings, int source) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.source = source;
    }

    /**
     * Compares what is left with what the source has in its place; changes nothing.
     *
     * @throws FarheapException BAD_DATA where they differ
     */
    void requireSameRun() {
        List<PartInspection> left =
                local.replicas().stream()
                        .filter(parts -> parts.get(0).isLost() && !hasSourcesNumber(parts.get(0)))
                        .flatMap(List::stream)
                        .filter(PartInspection::isHealthy)
                        .toList();
        if (left.isEmpty()) {
            return;
        }
        PoolSet alone = PoolSet.of(set.options(), List.of(set.localReplicas().get(source)));
        try (PoolFiles files = PoolFiles.openUnchecked(alone)) {
            left.forEach(part -> requireSame(part, files.localImages().get(0)));
        }
    }

    /** Behind a header that is wrong the descriptor may be right, and the number is in that. */
    private boolean hasSourcesNumber(PartInspection first) {
        if (first.header() == null) {
            return false;
        }
        byte[] start = new byte[(int) Descriptor.END];
        try (InputStream file = Files.newInputStream(first.path())) {
            int unused = file.readNBytes(start, 0, start.length);
        } catch (IOException e) {
            throw FileStatus.unreadable(first.path(), e);
        }
        MemorySegment bytes = MemorySegment.ofArray(start);
        return Descriptor.faultIn(bytes) == null
                && bytes.get(LONG, Descriptor.RUN_ID)
                        == local.replicas().get(source).get(0).runId();
    }

    private void requireSame(PartInspection part, MemorySegment original) {
        LocalReplica replica = set.localReplicas().get(part.replica());
        long start = set.imageOffset(replica, part.index());
        long length = set.imageSize(replica, part.index());
        long used = Math.min(length, set.poolSize() - start);
        if (used <= 0) {
            return;
        }
        try (NativeFile file = NativeFile.openReadOnly(part.path())) {
            Share share = new Share(file, set.imageStart(part.index()), length);
            try (MappedImage image = MappedImage.map(List.of(share), Access.PRIVATE)) {
                long at =
                        MemorySegment.mismatch(
                                image.segment(), 0, used, original, start, start + used);
                if (at >= 0) {
                    throw different(part, start + at);
                }
            }
        }
    }

    private FarheapException different(PartInspection part, long offset) {
        return FarheapException.badData(
                "part %s of replica %s (%s) is not what replica %s has there, first at"
                        + " image offset %s; the part that has its number is lost, so it may be"
                        + " newer: move it away if it is not wanted, and run this again",
                part.index(),
                findings.numberOf(part.replica()),
                part.path(),
                findings.numberOf(source),
                offset);
    }
}
