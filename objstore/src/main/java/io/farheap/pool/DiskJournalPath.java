package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.NativeFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which file is the disk journal of a part. It lies beside the file that a symbolic link leads to,
 * so that it is found by whatever name the part is opened; but builds before this one had it beside
 * the link, and what a crash left there has the pool's newest commits all the same.
 */
final class DiskJournalPath {
    private DiskJournalPath() {}

    /**
     * @param marked the id of the journal that the pool's files need; 0: none
     * @param owner how a journal names the part
     */
    static Path of(Path firstPart, long marked, byte[] owner) {
        List<Path> places = new SideFiles(firstPart).diskJournals();
        Path usual = places.get(0);
        if (marked == 0 || places.size() == 1) {
            return usual;
        }
        return places.stream()
                .filter(place -> isSo(place, found -> found.id() == marked))
                .findFirst()
                .orElseGet(() -> Files.exists(usual) ? usual : notReleased(places, owner));
    }

    /**
     * What a link's earlier file has left beside it must not hide that the right one is missing.
     */
    private static Path notReleased(List<Path> places, byte[] owner) {
        return places.stream()
                .filter(
                        place ->
                                isSo(
                                        place,
                                        found ->
                                                !found.isReleased()
                                                        && Arrays.equals(found.owner(), owner)))
                .findFirst()
                .orElse(places.get(0));
    }

    private static boolean isSo(Path place, Predicate<DiskJournalFile> test) {
        if (!Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (NativeFile file = NativeFile.openReadOnly(place)) {
            return DiskJournalFile.open(place, new ReplicaJournal.ReadOnly(file))
                    .filter(test)
                    .isPresent();
        } catch (FarheapException unreadable) {
            return false; // who opens it says so
        }
    }
}
