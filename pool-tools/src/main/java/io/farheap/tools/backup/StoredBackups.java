package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The backups in a directory. What can be read and restored there is known by its content; files of
 * other names are not looked at.
 */
final class StoredBackups {
    /**
     * One that can be restored, as far as beginnings, ends and indexes tell.
     *
     * @param needs itself and the files that it builds on, the full one first
     */
    record Stored(Path path, BackupHeader header, long fileBytes, List<Path> needs) {}

    /** Numbers of runs grow, and so do commits of one run; clocks may be wrong. */
    private static final Comparator<Stored> BY_AGE =
            Comparator.comparingLong((Stored one) -> one.header().runId())
                    .thenComparingLong(one -> order(one.header().commits()))
                    .thenComparingLong(one -> one.header().startedMillis());

    private final List<Stored> complete = new ArrayList<>();
    private final List<String> others = new ArrayList<>();

    private static long order(long commits) {
        return commits < 0 ? Long.MAX_VALUE : commits;
    }

    private StoredBackups() {}

    /** Looks at all backups in a directory; those that are damaged are {@link #others}. */
    static StoredBackups in(Path directory) {
        StoredBackups found = new StoredBackups();
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory, "*" + BackupPlace.SUFFIX)) {
            files.forEach(found::add);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "cannot read the directory %s: %s", directory, e.getMessage());
        }
        found.complete.sort(BY_AGE);
        return found;
    }

    private void add(Path file) {
        try (BackupChain chain = BackupChain.open(file)) {
            BackupFile newest = chain.newest();
            List<Path> needs = chain.files().stream().map(BackupFile::path).toList();
            complete.add(new Stored(file, newest.header(), newest.fileBytes(), needs));
        } catch (FarheapException e) {
            others.add(e.getMessage());
        }
    }

    /** Oldest first. */
    List<Stored> complete() {
        return complete;
    }

    /** What is wrong with the others, a sentence each. */
    List<String> others() {
        return others;
    }

    /** The newest of those of one pool. */
    Optional<Stored> newest(Predicate<BackupHeader> ofPool) {
        return complete.stream()
                .filter(one -> ofPool.test(one.header()))
                .reduce((older, newer) -> newer);
    }

    /**
     * Removes all of a pool but its newest and what these build on. What can't be restored counts
     * as none, and stays: it is a person's to look at.
     *
     * @param keep how many at least, 1 or more
     * @param just the one that was made, which stays whatever its number
     * @return what was removed
     */
    List<Path> removeBut(int keep, Path just, Predicate<BackupHeader> ofPool) {
        List<Stored> ofThis = complete.stream().filter(one -> ofPool.test(one.header())).toList();
        Set<Path> needed = new HashSet<>();
        for (int i = 0; i < ofThis.size(); i++) {
            boolean newest = i >= ofThis.size() - keep;
            if (newest || ofThis.get(i).path().equals(just)) {
                needed.addAll(ofThis.get(i).needs());
            }
        }
        // Those first that most is below: none is ever without what it builds on.
        List<Path> gone =
                ofThis.stream()
                        .filter(one -> !needed.contains(one.path()))
                        .sorted(Comparator.comparingInt(one -> -one.needs().size()))
                        .map(Stored::path)
                        .toList();
        for (Path file : gone) {
            boolean unused = NativeFile.delete(file);
            NativeFile.syncDirectory(file.getParent());
        }
        return gone;
    }
}
