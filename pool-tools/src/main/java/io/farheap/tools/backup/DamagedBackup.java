package io.farheap.tools.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A file among backups that can't be restored: damaged, cut, or without what it builds on.
 *
 * @param why in a sentence
 * @param header where that is right at least
 * @param writtenMillis when the file was written last
 */
record DamagedBackup(String why, Optional<BackupHeader> header, long writtenMillis) {
    static DamagedBackup of(Path file, String why) {
        return new DamagedBackup(why, BackupFile.headerOf(file), written(file));
    }

    private static long written(Path file) {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            return Long.MAX_VALUE; // nothing tells
        }
    }

    /** Whether it may be one of a pool's, and made after a moment. */
    boolean mayBeOf(Predicate<BackupHeader> ofPool, long sinceMillis) {
        return header.isPresent()
                ? ofPool.test(header.get()) && header.get().startedMillis() >= sinceMillis
                : writtenMillis >= sinceMillis;
    }
}
