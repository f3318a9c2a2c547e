package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The names of what lies beside a pool's files and goes with them, without being part of the pool.
 *
 * @param beside the file whose name the others begin with
 */
public record SideFiles(Path beside) {
    private static final String DIRTY_MAP = ".dirty";
    private static final String STATUS = ".status";
    private static final String DISK_JOURNAL = ".disk-journal";
    private static final String KEPT = ".damaged";
    private static final String REPLICA_JOURNAL = ".journal";
    private static final String READERS = ".readers";
    private static final String TERM = ".term";

    /** Beside the first part, or beside the poolset file where that is no file. */
    public static SideFiles of(PoolSet set) {
        Part first = set.master().parts().get(0);
        return new SideFiles(first.kind() == Part.Kind.FILE ? first.path() : Path.of(set.file()));
    }

    /** Of the first part that a disk journal lies beside. */
    static SideFiles ofDiskJournal(Path journal) {
        String name = journal.getFileName().toString();
        return new SideFiles(
                journal.resolveSibling(name.substring(0, name.length() - DISK_JOURNAL.length())));
    }

    /**
     * What the pool files may lack, where they are marked (docs/disk-journal.md): beside the file
     * itself, where this is a symbolic link to it, for who opens it by another name.
     */
    public Path diskJournal() {
        Path file = linked();
        return file.resolveSibling(file.getFileName() + DISK_JOURNAL);
    }

    /** {@link #diskJournal}, and then where builds before this one had it beside a link. */
    public List<Path> diskJournals() {
        Path besideLink = beside.resolveSibling(beside.getFileName() + DISK_JOURNAL);
        return Files.isSymbolicLink(beside)
                ? List.of(diskJournal(), besideLink)
                : List.of(diskJournal());
    }

    /** What becomes the disk journal; without content. */
    public Path unfinishedDiskJournal() {
        Path file = linked();
        return file.resolveSibling("." + file.getFileName() + DISK_JOURNAL + ".unfinished");
    }

    private Path linked() {
        if (!Files.isSymbolicLink(beside)) {
            return beside;
        }
        try {
            return beside.toRealPath();
        } catch (IOException e) {
            return beside; // it leads nowhere, and so to no pool
        }
    }

    /** A damaged disk journal of which something was given up, the {@code number}-th from 1 on. */
    public Path keptDiskJournal(int number) {
        String suffix = number == 1 ? KEPT : KEPT + "-" + number;
        return beside.resolveSibling(beside.getFileName() + DISK_JOURNAL + suffix);
    }

    /** The agent's, where the files are a replica of another machine's pool. */
    public Path replicaJournal() {
        return beside.resolveSibling(beside.getFileName() + REPLICA_JOURNAL);
    }

    /** By which those who read a replica and its agent keep out of each other's way. */
    public Path readers() {
        return beside.resolveSibling(beside.getFileName() + READERS);
    }

    /**
     * What a node keeps of a pool that it has written under automatic fail-over: the record in the
     * store says who writes next, and these files alone do not (docs/high-availability.md). Beside
     * the file itself, where this is a symbolic link to it: who opens it by another name may not
     * commit past the record either.
     */
    public Path term() {
        Path file = linked();
        return file.resolveSibling(file.getFileName() + TERM);
    }

    /** {@link #term}, and then the one beside a link: whatever stands in any of them counts. */
    public List<Path> terms() {
        Path besideLink = beside.resolveSibling(beside.getFileName() + TERM);
        return Files.isSymbolicLink(beside) ? List.of(term(), besideLink) : List.of(term());
    }

    /** In which the program that has the pool open says how its replicas are. */
    public Path status() {
        return beside.resolveSibling(beside.getFileName() + STATUS);
    }

    /**
     * Which notes what a lost replica lacks.
     *
     * @param replica a word for the replica, without a dot
     */
    public Path dirtyMap(String replica) {
        return beside.resolveSibling(beside.getFileName() + "." + replica + DIRTY_MAP);
    }

    /**
     * Those that are there of any replica.
     *
     * @throws FarheapException ENVIRONMENT when the directory can't be read
     */
    public List<Path> dirtyMaps() {
        Path directory = beside.toAbsolutePath().getParent();
        String prefix = beside.getFileName() + ".";
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> isDirtyMap(file.getFileName().toString(), prefix)).toList();
        } catch (IOException e) {
            throw FileStatus.unreadableDirectory(directory, e);
        }
    }

    private static boolean isDirtyMap(String name, String prefix) {
        return name.startsWith(prefix)
                && name.endsWith(DIRTY_MAP)
                && name.indexOf('.', prefix.length()) == name.length() - DIRTY_MAP.length();
    }
}
