package io.farheap.tools.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A file among backups that can't be restored: damaged, cut, or without what it builds on.
 *
 * @param file its path
 * @param why in a sentence
 * @param header where that is right at least
 * @param writtenMillis when the file was written last
 * @param isReadable whether this user can read anything of it: another user's file, or a link that
 *     leads nowhere, is nothing that a backup of this one could have built on
 */
record DamagedBackup(
        Path file,
        String why,
        Optional<BackupHeader> header,
        long writtenMillis,
        boolean isReadable) {
    static DamagedBackup of(Path file, String why) {
        boolean leadsNowhere = Files.isSymbolicLink(file) && Files.notExists(file);
        return new DamagedBackup(
                file,
                leadsNowhere ? file + " is a symbolic link that leads nowhere" : why,
                BackupFile.headerOf(file),
                written(file),
                Files.isReadable(file));
    }

    /** What is wrong with it, and what to do where it may be in the way for ever. */
    String told() {
        return header.isPresent()
                ? why
                : why + ", and nothing tells of which pool it is: move it to another directory";
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
        if (!isReadable) {
            return false;
        }
        return header.isPresent()
                ? ofPool.test(header.get()) && header.get().startedMillis() >= sinceMillis
                : writtenMillis >= sinceMillis;
    }
}
