package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What restorations that were cut have left beside the parts' places. A restoration writes its
 * headers when all content is durable, the first part's last: so a leftover whose headers are right
 * is a whole copy, and may be the last one. It gives way by another name, and goes once the pool is
 * whole.
 */
public final class RestorationLeftovers {
    private static final String UNFINISHED = ".farheap-restoring";
    private static final String KEPT = ".farheap-restored";

    /** Which no command looks for. */
    private static final String ASIDE = ".aside";

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private RestorationLeftovers() {}

    /** Where a part is made that will be at {@code path}; left there when it was cut. */
    public static Path unfinished(Path path) {
        return path.resolveSibling(path.getFileName() + UNFINISHED);
    }

    /**
     * Whether what is in a part's place only holds it: an empty file, beside which is what a
     * restoration has made. One that is cut leaves it.
     */
    static boolean holdsPlace(Path path) {
        return isThere(path)
                && FileStatus.of(path).size() == 0
                && (isThere(unfinished(path)) || isThere(kept(path)));
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
        return whole ? beside(inspection) : List.of();
    }

    /** All that are there, of use or not. */
    public static List<Path> beside(PoolInspection inspection) {
        return inspection.replicas().stream()
                .flatMap(List::stream)
                .flatMap(part -> Stream.of(unfinished(part.path()), kept(part.path())))
                .filter(RestorationLeftovers::isThere)
                .toList();
    }

    /**
     * Removes these.
     *
     * @throws FarheapException ENVIRONMENT where somebody has one, or it can't be removed
     */
    public static void removeOutlived(PoolInspection inspection) {
        outlived(inspection).forEach(UnfinishedFiles::removeLeftover);
    }

    /**
     * Whether what is left of the making of a replica has all content, as far as this user can
     * read: each header that it should have is right.
     */
    public static boolean areWhole(PoolSet set, List<PartInspection> replica) {
        return hasHeader(unfinished(replica.get(0).path()))
                && replica.stream()
                        .filter(part -> set.hasHeader(part.index()))
                        .map(part -> unfinished(part.path()))
                        .allMatch(file -> !isThere(file) || hasHeader(file));
    }

    /**
     * The first parts of whole copies that are left and have another number than this, or can't be
     * read: they may be newer than what lies in the parts' places, or older.
     */
    public static List<Path> ofOtherRuns(PoolInspection inspection, long number) {
        return ofWholeCopies(inspection).stream()
                .filter(file -> !Files.isReadable(file) || numberOf(file) != number)
                .toList();
    }

    /** The first parts of whole copies that are left, and what can't be read and may be one. */
    public static List<Path> ofWholeCopies(PoolInspection inspection) {
        return inspection.replicas().stream()
                .map(replica -> replica.get(0).path())
                .flatMap(first -> Stream.of(unfinished(first), kept(first)))
                .filter(RestorationLeftovers::isThere)
                .filter(file -> !Files.isReadable(file) || hasHeader(file))
                .toList();
    }

    private static long numberOf(Path first) {
        try (NativeFile file = NativeFile.openReadOnly(first);
                Arena arena = Arena.ofConfined()) {
            MemorySegment start = arena.allocate(Descriptor.END, Long.BYTES);
            boolean known =
                    file.read(start, 0) == start.byteSize() && Descriptor.faultIn(start) == null;
            return known ? start.get(LONG, Descriptor.RUN_ID) : 0;
        }
    }

    /**
     * How the files of a whole copy become a replica's parts again: a command for each. Only where
     * nothing is in any part's place: with what is there they might not be of one time.
     *
     * @return empty where there is no whole copy
     */
    public static List<String> commandsForWholeCopy(PoolInspection inspection) {
        if (!inspection.isAbsent()) {
            return List.of();
        }
        PoolSet set = inspection.poolSet();
        return inspection.replicas().stream()
                .flatMap(
                        replica ->
                                Stream.<UnaryOperator<Path>>of(
                                                RestorationLeftovers::unfinished,
                                                RestorationLeftovers::kept)
                                        .filter(name -> isCopy(set, replica, name))
                                        .map(name -> commands(replica, name)))
                .findFirst()
                .orElse(List.of());
    }

    private static boolean isCopy(
            PoolSet set, List<PartInspection> replica, UnaryOperator<Path> name) {
        return replica.stream()
                .allMatch(
                        part -> {
                            Path file = name.apply(part.path());
                            return isThere(file)
                                    && (!set.hasHeader(part.index()) || hasHeader(file));
                        });
    }

    private static List<String> commands(List<PartInspection> replica, UnaryOperator<Path> name) {
        return replica.stream()
                .map(PartInspection::path)
                .map(part -> command(name.apply(part), part))
                .toList();
    }

    /** It replaces nothing but what holds the place. */
    private static String command(Path from, Path to) {
        return isThere(to)
                ? "test -s " + quoted(to) + " || mv " + quoted(from) + " " + quoted(to)
                : move(from, to);
    }

    private static String move(Path from, Path to) {
        return "mv -n " + quoted(from) + " " + quoted(to);
    }

    /**
     * How all that is left gets out of a restoration's way, and stays: a command for each file, and
     * for what only holds a part's place.
     */
    public static List<String> commandsToMoveAside(PoolInspection inspection) {
        Stream<Path> places =
                inspection.replicas().stream()
                        .flatMap(List::stream)
                        .map(PartInspection::path)
                        .filter(RestorationLeftovers::holdsPlace);
        return Stream.concat(places, beside(inspection).stream())
                .map(file -> move(file, file.resolveSibling(file.getFileName() + ASIDE)))
                .toList();
    }

    private static String quoted(Path path) {
        String name = path.toString();
        boolean plain =
                name.chars().allMatch(c -> Character.isLetterOrDigit(c) || "/._-".indexOf(c) >= 0);
        return plain ? name : "'" + name.replace("'", "'\\''") + "'";
    }

    /**
     * Requires that nobody restores a pool's parts at this moment: what a program makes in their
     * places meanwhile would be in the way, or be taken for what was lost.
     *
     * @throws FarheapException ENVIRONMENT naming who does
     */
    static void requireNoneUnderWay(PoolSet set) {
        set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .map(part -> unfinished(part.path()))
                .filter(RestorationLeftovers::isThere)
                .forEach(RestorationLeftovers::requireUnlocked);
    }

    private static void requireUnlocked(Path unfinished) {
        NativeFile opened;
        try {
            opened = NativeFile.openReadOnly(unfinished);
        } catch (FarheapException e) {
            requireNoHolder(unfinished, e);
            return;
        }
        try (NativeFile file = opened) {
            if (!file.tryLock()) {
                throw underWay(unfinished, null);
            }
        }
    }

    /**
     * The same of one that this user can't open: what another user's restoration has left must not
     * keep the pool from being made for good.
     */
    private static void requireNoHolder(Path unfinished, FarheapException notOpened) {
        try {
            if (NativeFile.lockedBy(unfinished).isPresent()) {
                throw underWay(unfinished, notOpened);
            }
        } catch (NoSuchFileException e) {
            return; // it has ended meanwhile
        } catch (IOException e) {
            notOpened.addSuppressed(e);
            throw underWay(unfinished, notOpened);
        }
    }

    private static FarheapException underWay(Path unfinished, FarheapException cause) {
        return FarheapException.environment(
                cause,
                "the pool is being restored by %s, which makes %s: no other is made in its"
                        + " place; wait until that has ended, then open the pool",
                NativeFile.lockHolder(unfinished),
                unfinished);
    }

    /**
     * Makes room for a replica's new parts: what is whole is kept aside, what is not goes.
     *
     * @param made those of its parts that are made anew
     * @throws FarheapException ENVIRONMENT where two whole copies would have to be kept
     */
    static void giveWay(PoolSet set, List<PartInspection> replica, List<PartInspection> made) {
        if (made.isEmpty()) {
            return;
        }
        replica.stream()
                .map(part -> unfinished(part.path()))
                .filter(RestorationLeftovers::isThere)
                .forEach(UnfinishedFiles::setReadable);
        if (!areWhole(set, replica)) {
            made.forEach(part -> UnfinishedFiles.removeLeftover(unfinished(part.path())));
            return;
        }
        Path first = kept(replica.get(0).path());
        if (isThere(first)) {
            requireAll(replica, first);
            // Without its first part what was kept before is no copy, and can't be mixed with this.
            UnfinishedFiles.removeLeftover(first);
        }
        // The first part last: while it is there, all are known as whole.
        for (PartInspection part : replica.reversed()) {
            UnfinishedFiles.keepLeftover(unfinished(part.path()), kept(part.path()));
        }
    }

    private static void requireAll(List<PartInspection> replica, Path first) {
        for (PartInspection part : replica) {
            if (!isThere(unfinished(part.path()))) {
                throw FarheapException.environment(
                        "%s and %s are the first parts of two copies that runs which were cut have"
                                + " left, and either may be the last one: move one of them to"
                                + " another place, with the others of its name, then do this again",
                        first, unfinished(replica.get(0).path()));
            }
        }
    }

    private static boolean isThere(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean hasHeader(Path leftover) {
        if (!isThere(leftover) || !Files.isReadable(leftover)) {
            return false;
        }
        try (NativeFile file = NativeFile.openReadOnly(leftover);
                Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(PoolHeader.SIZE, Long.BYTES);
            return file.read(page, 0) == page.byteSize()
                    && HeaderValidation.ownFault(new PoolHeader(page)) == null;
        }
    }
}
