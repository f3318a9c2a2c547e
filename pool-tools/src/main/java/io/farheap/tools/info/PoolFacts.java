package io.farheap.tools.info;

import io.farheap.base.DiskJournalFacts;
import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.Replica;
import io.farheap.tools.report.Report;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What comes from the poolset file, the headers and the descriptor. */
final class PoolFacts {
    private static final List<String> C_TYPES =
            List.of(
                    "char",
                    "short",
                    "int",
                    "long",
                    "long long",
                    "size_t",
                    "os_off_t",
                    "float",
                    "double",
                    "long double",
                    "void *");

    private static final Map<Integer, String> MACHINES =
            Map.of(62, "AMD X86-64", 183, "Aarch64", 21, "PPC64", 243, "RISC-V");

    private final Report report;
    private final InfoOptions options;
    private final Problems problems;

    PoolFacts(Report report, InfoOptions options, Problems problems) {
        this.report = report;
        this.options = options;
        this.problems = problems;
    }

    void file(Path path, long size) {
        report.begin("Part file");
        report.line("path", path.toString());
        report.line("type", "regular file");
        size("size", size);
        report.end();
    }

    void structure(PoolSet set) {
        report.begin("Poolset structure");
        report.line("Number of replicas", set.replicas().size());
        report.beginList("Replicas");
        for (int r = 0; r < set.replicas().size(); r++) {
            replica(r, set.replicas().get(r));
        }
        report.end();
        List<String> names = set.options().stream().map(Enum::name).sorted().toList();
        report.line("Poolset options", names, names.isEmpty() ? "none" : String.join(" ", names));
        size("Pool size", set.poolSize());
        report.end();
    }

    private void replica(int index, Replica replica) {
        report.item("Replica " + index + (index == 0 ? " (master)" : ""));
        if (replica instanceof LocalReplica local) {
            report.line("type", "local");
            report.line("Number of parts", local.parts().size());
            report.beginList("Parts");
            for (int p = 0; p < local.parts().size(); p++) {
                Part part = local.parts().get(p);
                report.item("part " + p);
                report.line("path", part.path().toString());
                size("size", part.size());
                report.end();
            }
            report.end();
        } else {
            report.line("type", "remote");
            report.line("target", replica.toString());
        }
        report.end();
    }

    /**
     * What can't be read of the parts' media.
     *
     * @param found of each part, in their order; none: nobody asked
     */
    void badBlocks(LocalReplica replica, List<BadBlocks.Found> found) {
        if (found.isEmpty()) {
            return;
        }
        report.beginList("Bad blocks");
        for (int p = 0; p < found.size(); p++) {
            Path path = replica.parts().get(p).path();
            BadBlocks.Found bad = found.get(p);
            report.item("part " + p);
            report.line("path", path.toString());
            report.hidden("known", bad.unknown() == null);
            if (bad.unknown() != null) {
                report.line("bad blocks not known", bad.unknown());
            } else {
                blocks(path, bad.ranges());
            }
            report.end();
        }
        report.end();
    }

    private void blocks(Path path, List<BadBlocks.Range> ranges) {
        report.line("bad blocks", ranges.size(), ranges.isEmpty() ? "none" : "" + ranges.size());
        if (ranges.isEmpty()) {
            return;
        }
        report.beginList("ranges");
        for (int i = 0; i < ranges.size(); i++) {
            report.item("range " + i);
            report.line("offset", ranges.get(i).offset());
            report.line("bytes", ranges.get(i).length());
            report.end();
        }
        report.end();
        long bytes = ranges.stream().mapToLong(BadBlocks.Range::length).sum();
        problems.add(
                path
                        + ": its medium can't give back "
                        + bytes
                        + " bytes; where the pool has another copy that is sound, move this file"
                        + " away, and farheap sync makes it anew; else keep it, and restore a"
                        + " backup elsewhere");
    }

    /** The headers of a replica: the first, or all. */
    void headers(PoolSet set, LocalImage image) {
        for (int p = 0; p < image.replica().parts().size(); p++) {
            if (!set.hasHeader(p)) {
                continue;
            }
            Path path = image.replica().parts().get(p).path();
            PoolHeader header = image.header(p);
            if (header == null) {
                if (image.isThere(p)) {
                    problems.add(path + ": its header can't be read");
                }
                continue;
            }
            if (p == 0 || options.isVerbose()) {
                header(p == 0 ? "POOL Header" : "Part " + p + " Header", header);
            }
            if (!header.hasSignature()) {
                problems.add(path + ": wrong pool type: \"" + header.signature() + "\"");
            } else if (!header.withoutMark().checksumMatches()) {
                problems.add(path + ": invalid checksum of pool header");
            }
        }
    }

    /** The disk journal whose content is shown with the files', and what is to be known of it. */
    void journal(LocalImage image) {
        DiskJournalFacts beside = image.journalBeside();
        if (image.journal() != null || beside != null) {
            report.begin("Disk journal");
            report.line("path", (beside == null ? image.journal() : beside.file()).toString());
        }
        if (beside != null) {
            size("Size", beside.bytes());
            report.line(
                    "Written",
                    beside.direct() ? "O_DIRECT and O_DSYNC" : "fdatasync",
                    beside.direct()
                            ? "past the page cache (O_DIRECT and O_DSYNC)"
                            : "through the page cache (fdatasync)");
        }
        if (image.journal() == null && beside != null) {
            report.line("State", "not needed", "not needed: the pool was closed");
            report.end();
        }
        if (image.journal() != null) {
            size("Bytes that the files lack", image.journalBytes());
            report.line(
                    "State",
                    "not closed",
                    "not closed: what is shown is what farheap recover, or the next opening, brings"
                            + " to the files");
            report.end();
        }
    }

    private void header(String title, PoolHeader header) {
        FeatureFlags features = header.features();
        PoolHeader.Links links = header.links();
        report.begin(title);
        report.line("Signature", header.signature());
        report.line("Major", header.major());
        flags("Mandatory features", features.incompat(), features.incompatNames());
        flags("Not mandatory features", features.compat(), features.compatNames());
        report.hex("Forced RO", Integer.toUnsignedLong(features.roCompat()));
        report.line("Pool set UUID", header.poolsetUuid().toString());
        report.hex("Pool id", header.poolsetUuid().poolId());
        report.line("UUID", header.uuid().toString());
        report.line("Previous part UUID", links.previousPart().toString());
        report.line("Next part UUID", links.nextPart().toString());
        report.line("Previous replica UUID", links.previousReplica().toString());
        report.line("Next replica UUID", links.nextReplica().toString());
        report.line("Creation Time", time(header.creationSeconds()));
        architecture(header);
        report.line("Last shutdown", header.shutdownState().isDirty() ? "dirty" : "clean");
        checksum(header.storedChecksum(), header.withoutMark().computedChecksum());
        report.end();
        if (options.hex) {
            report.rows(title + " bytes", HexDump.of(header.bytes(), 0, PoolHeader.SIZE));
        }
    }

    static String time(long seconds) {
        boolean possible =
                seconds >= Instant.MIN.getEpochSecond() && seconds <= Instant.MAX.getEpochSecond();
        return possible ? Instant.ofEpochSecond(seconds).toString() : Long.toString(seconds);
    }

    private void flags(String label, int bits, List<String> names) {
        String hex = Report.hex(Integer.toUnsignedLong(bits));
        report.line(label, names, names.isEmpty() ? hex : hex + " " + names);
        report.hidden(label + " bits", hex);
    }

    private void architecture(PoolHeader header) {
        long alignments = header.alignments();
        boolean ok = header.hasThisArchitecture();
        report.line(
                "Alignment Descriptor",
                String.format("0x%016x", alignments),
                String.format("0x%016x", alignments) + (ok ? " [OK]" : " [not this machine's]"));
        if (options.isVerbose()) {
            for (int i = 0; i < C_TYPES.size(); i++) {
                report.line("  " + C_TYPES.get(i), (alignments >>> 4 * i & 0xF) + 1);
            }
        }
        int bits = header.machineClass();
        report.line("Class", bits == 2 ? "64" : bits == 1 ? "32" : "unknown: " + bits);
        int encoding = header.dataEncoding();
        report.line(
                "Data",
                encoding == 1
                        ? "2's complement, little endian"
                        : encoding == 2 ? "2's complement, big endian" : "unknown: " + encoding);
        int machine = header.machine();
        report.line("Machine", MACHINES.getOrDefault(machine, "unknown: " + machine));
    }

    void descriptor(Descriptor descriptor, LocalImage image) {
        report.begin("PMEM OBJ Header");
        report.line("Layout", descriptor.layout());
        report.hex("Lanes offset", descriptor.lanesOffset());
        report.line("Number of lanes", descriptor.laneCount());
        report.hex("Heap offset", descriptor.heapOffset());
        size("Heap size", descriptor.heapSize());
        checksum(descriptor.storedChecksum(), descriptor.computedChecksum());
        report.hex("Root offset", descriptor.rootOffset());
        size("Root size", descriptor.rootSize());
        report.line("Run id", Long.toUnsignedString(descriptor.runId()));
        report.end();
        if (options.hex) {
            report.rows(
                    "PMEM OBJ Header bytes",
                    HexDump.of(
                            image.memory().image(),
                            Descriptor.OFFSET,
                            Descriptor.SCRATCH - Descriptor.OFFSET));
        }
    }

    void checksum(long stored, long computed) {
        report.line(
                "Checksum",
                Report.hex(stored),
                Report.hex(stored)
                        + (stored == computed
                                ? " [OK]"
                                : " [wrong! should be: " + Report.hex(computed) + "]"));
        report.hidden("Checksum is right", stored == computed);
    }

    private void size(String label, long bytes) {
        report.line(label, bytes, options.size(bytes));
    }
}
