package io.farheap.tools;

import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.Replica;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The part of {@code farheap info} that comes from poolset file, header and descriptor. */
final class PoolInfo {
    private PoolInfo() {}

    static void print(Report report, PoolSource source, PoolFiles files) throws IOException {
        PoolSet set = files.poolSet();
        if (source.isPoolSet()) {
            structure(report, set);
        } else {
            report.title("Part file");
            report.line("path", source.path());
            report.line("size", set.poolSize());
        }
        header(report, PoolHeaders.read(set.master().parts().get(0).path()));
        descriptor(report, new Descriptor(files.memory()));
    }

    private static void structure(Report report, PoolSet set) {
        report.title("Poolset structure");
        report.line("Number of replicas", set.replicas().size());
        List<Replica> replicas = set.replicas();
        for (int r = 0; r < replicas.size(); r++) {
            String label = "Replica " + r + (r == 0 ? " (master)" : "");
            if (replicas.get(r) instanceof LocalReplica local) {
                report.line(label, "local, " + local.parts().size() + " parts");
                for (int p = 0; p < local.parts().size(); p++) {
                    Part part = local.parts().get(p);
                    report.line("  part " + p, part.path() + ", " + part.size() + " bytes");
                }
            } else {
                report.line(label, "remote, " + replicas.get(r));
            }
        }
        report.line("Poolset options", set.options().isEmpty() ? "none" : set.options());
        report.line("Pool size", set.poolSize());
    }

    private static void header(Report report, PoolHeader header) {
        FeatureFlags features = header.features();
        PoolHeader.Links links = header.links();
        report.title("POOL Header");
        report.line("Signature", header.signature());
        report.line("Major", header.major());
        report.line("Mandatory features", mandatory(features));
        report.line("Not mandatory features", optional(features));
        report.line("Forced RO", Report.hex(Integer.toUnsignedLong(features.roCompat())));
        report.line("Pool set UUID", header.poolsetUuid());
        report.line("Pool id", Report.hex(header.poolsetUuid().poolId()));
        report.line("UUID", header.uuid());
        report.line("Previous part UUID", links.previousPart());
        report.line("Next part UUID", links.nextPart());
        report.line("Previous replica UUID", links.previousReplica());
        report.line("Next replica UUID", links.nextReplica());
        report.line("Creation Time", Instant.ofEpochSecond(header.creationSeconds()));
        report.line("Last shutdown", header.shutdownState().isDirty() ? "dirty" : "clean");
        report.line("Checksum", checksum(header.storedChecksum(), header.checksumMatches()));
    }

    private static String mandatory(FeatureFlags features) {
        List<String> names = new ArrayList<>();
        if (features.hasSingleHeader()) {
            names.add("SINGLEHDR");
        }
        if (features.hasShortChecksum()) {
            names.add("CKSUM_2K");
        }
        if (features.hasShutdownState()) {
            names.add("SHUTDOWN_STATE");
        }
        return Report.hex(Integer.toUnsignedLong(features.incompat())) + " " + names;
    }

    private static String optional(FeatureFlags features) {
        boolean badBlocks = (features.compat() & FeatureFlags.CHECK_BAD_BLOCKS) != 0;
        return Report.hex(Integer.toUnsignedLong(features.compat()))
                + (badBlocks ? " [CHECK_BAD_BLOCKS]" : " []");
    }

    private static void descriptor(Report report, Descriptor descriptor) {
        report.title("PMEM OBJ Header");
        report.line("Layout", descriptor.layout());
        report.line("Lanes offset", Report.hex(descriptor.lanesOffset()));
        report.line("Number of lanes", descriptor.laneCount());
        report.line("Heap offset", Report.hex(descriptor.heapOffset()));
        report.line("Heap size", descriptor.heapSize());
        report.line("Root offset", Report.hex(descriptor.rootOffset()));
        report.line("Root size", descriptor.rootSize());
        report.line("Run id", descriptor.runId());
    }

    private static String checksum(long stored, boolean matches) {
        return Report.hex(stored) + (matches ? " [OK]" : " [wrong]");
    }
}
