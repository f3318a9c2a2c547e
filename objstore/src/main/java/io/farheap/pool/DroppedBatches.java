package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.JournalHole;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * What an operator gives up of a damaged disk journal (docs/disk-journal.md#damage).
 *
 * @param hole where it is damaged, and what lies behind
 * @param kept a copy of the whole journal
 */
public record DroppedBatches(JournalHole hole, Path kept) {

    /** Copies the journal, durably: it may have the only copy of what is given up. */
    static DroppedBatches keep(JournalHole hole) {
        Path journal = Path.of(hole.place().toString());
        try {
            return new DroppedBatches(hole, copy(journal));
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "%s could not be copied to beside it, and nothing of it is given up before"
                            + " that: %s; nothing was changed",
                    journal,
                    e.getMessage());
        }
    }

    private static Path copy(Path journal) throws IOException {
        Path kept;
        int number = 0;
        do {
            kept = SideFiles.ofDiskJournal(journal).keptDiskJournal(++number);
            if (isSame(kept, journal)) {
                return kept; // by a run that was cut
            }
        } while (Files.exists(kept, LinkOption.NOFOLLOW_LINKS));
        Path unfinished = kept.resolveSibling("." + kept.getFileName() + ".unfinished");
        Files.copy(journal, unfinished, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel file = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
            file.force(true);
        }
        NativeFile.rename(unfinished, kept);
        NativeFile.syncDirectory(kept.toAbsolutePath().getParent());
        return kept;
    }

    private static boolean isSame(Path kept, Path journal) throws IOException {
        return Files.isRegularFile(kept, LinkOption.NOFOLLOW_LINKS)
                && Files.mismatch(kept, journal) < 0;
    }
}
