package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.DiskJournalFile;
import io.farheap.memory.NativeFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Which file is the disk journal of a part. It lies beside the file that a symbolic link leads to,
 * so that it is found by whatever name the part is opened; but builds before this one had it beside
 * the link, and what a crash left there has the pool's newest commits all the same.
 */
final class DiskJournalPath {
    private DiskJournalPath() {}

    /**
     * @param marked the id of the journal that the pool's files need; 0: none
     */
    static Path of(Path firstPart, long marked) {
        List<Path> places = new SideFiles(firstPart).diskJournals();
        Path usual = places.get(0);
        if (marked == 0 || places.size() == 1) {
            return usual;
        }
        return places.stream()
                .filter(place -> id(place).orElse(0) == marked)
                .findFirst()
                .orElseGet(() -> places.stream().filter(Files::exists).findFirst().orElse(usual));
    }

    private static OptionalLong id(Path place) {
        if (!Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS)) {
            return OptionalLong.empty();
        }
        try (NativeFile file = NativeFile.openReadOnly(place)) {
            return DiskJournalFile.open(place, new ReplicaJournal.ReadOnly(file))
                    .map(found -> OptionalLong.of(found.id()))
                    .orElse(OptionalLong.empty());
        } catch (FarheapException unreadable) {
            return OptionalLong.empty(); // who opens it says so
        }
    }
}
