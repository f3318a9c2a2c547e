package io.farheap.tools.poolset;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PartSize;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.Replica;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a valid poolset file makes. */
final class PoolSetFacts {
    private static final long PAGE = 4096;

    /** Below this {@code pmempool sync} and {@code transform} refuse a part. */
    private static final long SYNCED_BY_PMEMPOOL = 8L << 20;

    private final Report report;
    private final PoolSet set;
    private final List<String> advice = new ArrayList<>();

    /** Of each file system what the missing parts need there, and one directory in it. */
    private final Map<Object, Long> needed = new HashMap<>();

    private final Map<Object, Path> directories = new HashMap<>();
    private final List<Set<Object>> storesOfReplicas = new ArrayList<>();

    PoolSetFacts(Report report, PoolSet set) {
        this.report = report;
        this.set = set;
    }

    void print(Path file) {
        report.line("poolset", file.toString());
        report.hidden("valid", true);
        List<String> options = set.options().stream().map(Enum::name).sorted().toList();
        report.line("Options", options, options.isEmpty() ? "none" : String.join(" ", options));
        report.line("Parts are", set.isDirectorySet() ? "directories" : "files");
        size(set.isDirectorySet() ? "Pool size at most" : "Pool size", set.poolSize());
        size("Heap size", set.poolSize() - Descriptor.DEFAULT_HEAP_OFFSET);
        report.beginList("Replicas");
        for (int r = 0; r < set.replicas().size(); r++) {
            replica(r, set.replicas().get(r));
        }
        report.end();
        sharedStores();
        freeSpace();
        report.rows("Advice", advice);
    }

    private void replica(int index, Replica replica) {
        report.item("Replica " + index + (index == 0 ? " (master)" : ""));
        report.hidden("replica", index);
        report.line("Line", set.lineOfReplica(index));
        if (replica instanceof LocalReplica local) {
            report.line("Type", "local");
            size("Replica size", set.replicaSize(local));
            long unused = set.replicaSize(local) - set.poolSize();
            if (unused > 0) {
                size("Unused", unused);
                advice.add(
                        "replica "
                                + index
                                + " has "
                                + unused
                                + " bytes that no other replica has: they are never used");
            }
            Set<Object> stores = new HashSet<>();
            report.beginList("Parts");
            for (int p = 0; p < local.parts().size(); p++) {
                part(index, local, p, stores);
            }
            report.end();
            storesOfReplicas.add(stores);
        } else {
            report.line("Type", "remote");
            report.line("Target", replica.toString());
            size("Must have room for", set.poolSize());
        }
        report.end();
    }

    private void part(int replica, LocalReplica local, int index, Set<Object> stores) {
        Part part = local.parts().get(index);
        PartFile file = PartFile.of(part);
        report.item("Part " + index);
        report.hidden("part", index);
        report.line("Path", part.path().toString());
        report.line("Line", set.lineOfPart(replica, index));
        size("Size", part.size());
        report.line("State", file.state());
        report.line("Has header", set.hasHeader(index), set.hasHeader(index) ? "yes" : "no");
        if (part.kind() != Part.Kind.DIRECTORY) {
            long from = set.imageOffset(local, index);
            long bytes = set.imageSize(local, index);
            report.hex("Image offset", from);
            size("Image bytes", bytes);
            List<String> holds = ImageStructures.of(from, from + bytes, set.poolSize());
            report.line("Holds", holds, String.join(", ", holds));
            alignment(part);
        }
        report.end();
        if (file.advice() != null) {
            advice.add(file.advice());
        }
        if (file.store() != null) {
            stores.add(file.store());
            needed.merge(file.store(), file.missingBytes(), Long::sum);
            directories.putIfAbsent(
                    file.store(),
                    part.kind() == Part.Kind.DIRECTORY ? part.path() : part.path().getParent());
        }
    }

    private void alignment(Part part) {
        long tail = part.size() % PAGE;
        if (tail != 0) {
            advice.add(
                    part.path()
                            + ": its last "
                            + tail
                            + " bytes are no whole page and never used: give a multiple of 4096");
        }
        if (part.size() < SYNCED_BY_PMEMPOOL) {
            advice.add(
                    part.path()
                            + " is smaller than 8M: farheap sync restores it, pmempool sync refuses"
                            + " sets with such parts");
        }
    }

    /** A replica on the disk of another one is lost with it. */
    private void sharedStores() {
        for (int a = 0; a < storesOfReplicas.size(); a++) {
            for (int b = a + 1; b < storesOfReplicas.size(); b++) {
                Set<Object> both = new HashSet<>(storesOfReplicas.get(a));
                both.retainAll(storesOfReplicas.get(b));
                if (!both.isEmpty()) {
                    advice.add(
                            "two local replicas are on one file system ("
                                    + directories.get(both.iterator().next())
                                    + "): what takes one takes both");
                }
            }
        }
    }

    private void freeSpace() {
        for (Map.Entry<Object, Long> store : needed.entrySet()) {
            Path directory = directories.get(store.getKey());
            long free = usable(directory);
            if (store.getValue() > free) {
                advice.add(
                        "the parts to be created need "
                                + store.getValue()
                                + " bytes on the file system of "
                                + directory
                                + ", which has "
                                + free
                                + " free: make room, or choose smaller sizes");
            }
        }
    }

    private static long usable(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot look at %s: %s", directory, e);
        }
    }

    private void size(String label, long bytes) {
        String unit = bytes > 0 ? PartSize.format(bytes) : "0";
        report.line(label, bytes, bytes + (unit.equals("" + bytes) ? "" : " (" + unit + ")"));
    }
}
