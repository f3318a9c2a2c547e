package io.farheap.pool;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What restorations that were cut have left beside the parts' places. A restoration writes its
 * headers last, when all content is durable: so a leftover whose header is right is a whole copy,
 * and may be the last one. It gives way by another name, and goes once the pool is whole.
 */
public final class RestorationLeftovers {
    private static final String UNFINISHED = ".farheap-restoring";
    private static final String KEPT = ".farheap-restored";

    private RestorationLeftovers() {}

    /** Where a part is made that will be at {@code path}; left there when it was cut. */
    public static Path unfinished(Path path) {
        return path.resolveSibling(path.getFileName() + UNFINISHED);
    }

    /** Where a leftover is kept that is whole, while the next restoration makes the part anew. */
    public static Path kept(Path path) {
        return path.resolveSibling(path.getFileName() + KEPT);
    }

    /**
     * Those that are of no use any more, because all parts are whole by now. Where any part is lost
     * there is none: what lies beside it may be all that is left.
     *
     * @param inspection of the pool that is to keep
     */
    public static List<Path> outlived(PoolInspection inspection) {
        boolean whole = inspection.lost().isEmpty() && inspection.conflict() == null;
        return inspection.replicas().stream()
                .flatMap(List::stream)
                .flatMap(part -> Stream.of(unfinished(part.path()), kept(part.path())))
                .filter(file -> whole && isThere(file))
                .toList();
    }

    /**
     * Removes these.
     *
     * @throws io.farheap.base.FarheapException ENVIRONMENT where somebody has one, or it can't be
     *     removed
     */
    public static void removeOutlived(PoolInspection inspection) {
        outlived(inspection).forEach(UnfinishedFiles::removeLeftover);
    }

    /** Whether a replica's leftovers have all content: its first part's header was written. */
    public static boolean areWhole(List<PartInspection> replica) {
        return hasHeader(unfinished(replica.get(0).path()));
    }

    /**
     * How the files of whole copies become parts again: a command for each.
     *
     * @return empty where there is no whole copy
     */
    public static List<String> wholeCopies(PoolInspection inspection) {
        return inspection.replicas().stream()
                .flatMap(
                        replica ->
                                copyOf(replica, true).isEmpty()
                                        ? copyOf(replica, false).stream()
                                        : copyOf(replica, true).stream())
                .toList();
    }

    private static List<String> copyOf(List<PartInspection> replica, boolean unfinished) {
        Path first = replica.get(0).path();
        if (!hasHeader(unfinished ? unfinished(first) : kept(first))) {
            return List.of();
        }
        return replica.stream()
                .map(PartInspection::path)
                .filter(part -> isThere(unfinished ? unfinished(part) : kept(part)))
                .map(part -> "mv " + (unfinished ? unfinished(part) : kept(part)) + " " + part)
                .toList();
    }

    /**
     * Makes room for a replica's new parts: what is whole is kept aside, what is not goes.
     *
     * @param made those of its parts that are made anew
     */
    static void giveWay(List<PartInspection> replica, List<PartInspection> made) {
        if (made.isEmpty()) {
            return;
        }
        if (!areWhole(replica)) {
            made.forEach(part -> UnfinishedFiles.removeLeftover(unfinished(part.path())));
            return;
        }
        // Never parts of two copies by these names.
        replica.forEach(part -> UnfinishedFiles.removeLeftover(kept(part.path())));
        // The first part last: while it is there, all are known as whole.
        for (PartInspection part : replica.reversed()) {
            UnfinishedFiles.keepLeftover(unfinished(part.path()), kept(part.path()));
        }
    }

    private static boolean isThere(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean hasHeader(Path leftover) {
        if (!isThere(leftover)) {
            return false;
        }
        UnfinishedFiles.setReadable(leftover);
        try (NativeFile file = NativeFile.openReadOnly(leftover);
                Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(PoolHeader.SIZE, Long.BYTES);
            return file.read(page, 0) == page.byteSize()
                    && HeaderValidation.ownFault(new PoolHeader(page)) == null;
        }
    }
}
