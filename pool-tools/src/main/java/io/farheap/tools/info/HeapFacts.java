package io.farheap.tools.info;

import io.farheap.base.FarheapException;
import io.farheap.heap.HeapWalk;
import io.farheap.heap.HeapWalk.Block;
import io.farheap.heap.HeapWalk.HeapObject;
import io.farheap.heap.HeapWalk.Run;
import io.farheap.heap.HeapWalk.Zone;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.objects.type.TypeNames;
import io.farheap.tools.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Heap header, zones, blocks of chunks, objects: each in a walk of its own, only where asked for.
 */
final class HeapFacts {
    private static final int BITS_PER_ROW = 64;
    private static final long HEADER_BYTES = 1024;

    private final Report report;
    private final InfoOptions options;
    private final Problems problems;
    private final PoolMemory memory;
    private final Descriptor descriptor;

    HeapFacts(Report report, InfoOptions options, Problems problems, PoolMemory memory) {
        this.report = report;
        this.options = options;
        this.problems = problems;
        this.memory = memory;
        descriptor = new Descriptor(memory);
    }

    void print(PoolFacts facts, boolean colours) {
        if (options.heap) {
            walk(new HeaderLines(facts));
        }
        if (options.zones != null || options.chunks != null) {
            report.beginList("Zones");
            ZoneLines zones = new ZoneLines();
            walk(zones);
            zones.endZone();
            report.end();
        }
        if (options.root) {
            root();
        }
        if (options.objects) {
            report.beginList("Objects");
            walk(new ObjectLines());
            report.end();
        }
        if (options.root || options.statistics) {
            requireRoot();
        }
        if (options.statistics || options.map) {
            HeapStatistics statistics =
                    new HeapStatistics(report, options, problems, typeNames(), colours);
            walk(statistics);
            statistics.print();
        }
    }

    private TypeNames typeNames() {
        try {
            return new TypeNames(memory.image(), descriptor.rootOffset(), descriptor.rootSize());
        } catch (FarheapException e) {
            problems.add(e.getMessage());
            return new TypeNames(memory.image(), 0, 0);
        }
    }

    private void walk(HeapWalk.Visitor visitor) {
        HeapWalk.walk(memory.image(), descriptor.heapOffset(), descriptor.heapSize(), visitor);
    }

    private void root() {
        long offset = descriptor.rootOffset();
        long size = descriptor.rootSize();
        report.begin("Root object");
        if (offset == 0) {
            report.line("root", "none");
        } else {
            report.line("Offset", String.format("0x%016x", offset));
            report.line("Size", size, options.size(size));
            data("Data", offset, size);
        }
        report.end();
    }

    /** What its offset leads to may lie in a zone whose header is gone. */
    private void requireRoot() {
        long root = descriptor.rootOffset();
        RootSearch search = new RootSearch(root);
        walk(search);
        if (root != 0 && !search.found) {
            problems.add("root: no allocated object starts at " + Long.toUnsignedString(root));
        }
    }

    private void data(String title, long offset, long size) {
        if (options.data && offset > 0 && size > 0 && offset <= memory.size() - size) {
            report.rows(title, HexDump.of(memory.image(), offset, size));
        }
    }

    /** All visitors hand on what is wrong. */
    private abstract class Lines implements HeapWalk.Visitor {
        @Override
        public void inconsistency(HeapWalk.Inconsistency inconsistency) {
            problems.add(inconsistency.message());
        }
    }

    private final class RootSearch extends Lines {
        private final long root;
        private boolean found;

        RootSearch(long root) {
            this.root = root;
        }

        @Override
        public void object(HeapObject object) {
            found |= object.userOffset() == root;
        }
    }

    private final class HeaderLines extends Lines {
        private final PoolFacts facts;

        HeaderLines(PoolFacts facts) {
            this.facts = facts;
        }

        @Override
        public void header(HeapWalk.Header header) {
            report.begin("PMEMOBJ Heap Header");
            report.line("Signature", header.signature());
            report.line("Major", header.major());
            report.line("Minor", header.minor());
            report.line("Chunk size", header.chunkSize(), options.size(header.chunkSize()));
            report.line("Chunks per zone", header.chunksPerZone());
            facts.checksum(header.checksum(), header.computedChecksum());
            report.end();
            if (options.hex) {
                report.rows(
                        "PMEMOBJ Heap Header bytes",
                        HexDump.of(memory.image(), header.offset(), HEADER_BYTES));
            }
        }
    }

    private final class ZoneLines extends Lines {
        private boolean open;

        @Override
        public void zone(Zone zone) {
            endZone();
            open = options.hasZone(zone.index());
            if (!open) {
                return;
            }
            report.item("Zone " + zone.index());
            report.hidden("zone", zone.index());
            report.line("Offset", Report.hex(zone.offset()));
            report.line("Magic", zone.initialised() ? "0xc3f0a2d2" : "0x0 (never used)");
            report.line("Size idx", zone.chunks());
            report.line("Possible chunks", zone.possibleChunks());
            if (options.chunks != null) {
                report.beginList("Chunks");
            }
        }

        void endZone() {
            if (open) {
                open = false;
                if (options.chunks != null) {
                    report.end();
                }
                report.end();
            }
        }

        @Override
        public void block(Block block) {
            if (open && options.chunks != null && isShown(block)) {
                report.item("Chunk " + block.chunk());
                report.hidden("Chunk", block.chunk());
                report.line("Type", block.type().name().toLowerCase(Locale.ROOT));
                report.line("Flags", block.flagNames(), String.join(", ", block.flagNames()));
                report.line("Size idx", block.chunks());
                report.hex("Offset", block.offset());
                if (block.run() != null) {
                    run(block.run());
                }
                report.end();
            }
        }

        private boolean isShown(Block block) {
            return options.hasChunk(block.chunk()) && options.chunkTypes.contains(block.type());
        }

        private void run(Run run) {
            report.line("Block size", run.unitSize(), options.size(run.unitSize()));
            if (run.alignment() != 0) {
                report.line("Alignment", run.alignment());
            }
            report.line(
                    "Bitmap",
                    List.of(run.usedUnits(), run.units()),
                    run.usedUnits() + " / " + run.units());
            if (options.bitmap) {
                report.rows("Units", bits(run));
            }
        }

        private List<String> bits(Run run) {
            List<String> rows = new ArrayList<>();
            for (int first = 0; first < run.units(); first += BITS_PER_ROW) {
                long word = memory.getLong(run.bitmapOffset() + first / Byte.SIZE);
                StringBuilder row = new StringBuilder();
                for (int i = 0; i < Math.min(BITS_PER_ROW, run.units() - first); i++) {
                    row.append(i > 0 && i % Byte.SIZE == 0 ? " " : "");
                    row.append((word >>> i & 1) == 0 ? '.' : 'x');
                }
                rows.add(row.toString());
            }
            return rows;
        }
    }

    private final class ObjectLines extends Lines {
        private Block block;
        private long next;

        @Override
        public void block(Block seen) {
            block = seen;
        }

        @Override
        public void object(HeapObject object) {
            boolean counted =
                    !object.internal()
                            && options.hasZone(block.zone())
                            && options.hasChunk(block.chunk())
                            && options.types.contains(object.typeNumber());
            if (!counted || !options.objectRange.contains(next++)) {
                return;
            }
            report.item("Object " + (next - 1));
            report.hidden("Object", next - 1);
            report.line("Offset", String.format("0x%016x", object.userOffset()));
            report.line("Type number", Long.toUnsignedString(object.typeNumber()));
            report.line("Usable size", object.usableSize(), options.size(object.usableSize()));
            if (options.allocationHeader) {
                long size = object.usableSize() + block.headerBytes();
                report.line("Size", size, options.size(size));
                report.line("Header bytes", block.headerBytes());
                report.line("Zone and chunk", block.zone() + " " + block.chunk());
            }
            if (options.objectHeader) {
                report.hex("Flags", object.flags());
            }
            data("Data", object.userOffset(), object.usableSize());
            report.end();
        }
    }
}
