package io.farheap.tools.backup;

import io.farheap.memory.NativeFile;
import io.farheap.tools.command.LongWork;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What goes from a directory and what stays: of one pool the newest backups and what they build on.
 * Nothing goes unless a newer one stays, and nothing before what stays was read. What can't be
 * restored counts as none, and stays: it is a person's to look at. What one that is under way
 * builds on stays, too.
 */
final class Retention {
    private final StoredBackups stored;
    private final Predicate<BackupHeader> ofPool;
    private final List<StoredBackups.Stored> counted;
    private final List<StoredBackups.Stored> gone;
    private final Set<Path> needed = new LinkedHashSet<>();
    private final Set<Path> staying;

    /**
     * @param keep how many at least, 1 or more
     * @param just the one that was made, which stays whatever its number
     */
    Retention(StoredBackups stored, int keep, Path just, Predicate<BackupHeader> ofPool) {
        this.stored = stored;
        this.ofPool = ofPool;
        List<StoredBackups.Stored> ofThis = stored.of(ofPool);
        List<StoredBackups.Stored> newest =
                ofThis.subList(Math.max(0, ofThis.size() - keep), ofThis.size());
        counted =
                ofThis.stream()
                        .filter(one -> newest.contains(one) || one.path().equals(just))
                        .toList();
        counted.forEach(one -> needed.addAll(one.needs()));
        staying = new HashSet<>(needed);
        ofThis.stream()
                .filter(one -> stored.isBuiltOn(one.header().id()))
                .forEach(one -> staying.addAll(one.needs()));
        // Those first that most is below: none is ever without what it builds on.
        gone =
                ofThis.stream()
                        .filter(one -> !staying.contains(one.path()))
                        .sorted(Comparator.comparingInt(one -> -one.needs().size()))
                        .toList();
    }

    boolean isEmpty() {
        return gone.isEmpty();
    }

    /**
     * Why one that would go may be newer than all that would stay; empty: of each that would go one
     * is newer that stays. The others that stay need not be: a crash or a wrong clock leaves one
     * among them of which nothing tells that.
     */
    Optional<String> doubt() {
        return gone.stream()
                .filter(
                        one ->
                                counted.stream()
                                        .noneMatch(kept -> stored.isNewer(kept, one, ofPool)))
                .map(this::whyNoneIsNewer)
                .findFirst();
    }

    /** What casts the doubt on those that would stay may be one that would go itself. */
    private String whyNoneIsNewer(StoredBackups.Stored one) {
        List<StoredBackups.Stored> all = stored.of(ofPool);
        List<StoredBackups.Stored> above = all.subList(all.indexOf(one) + 1, all.size());
        return Stream.concat(above.stream().filter(counted::contains), above.stream())
                .map(other -> StoredBackups.doubt(one, other))
                .flatMap(Optional::stream)
                .map(StoredBackups.Doubt::why)
                .findFirst()
                .orElseGet(
                        () ->
                                "nothing tells that one of those that would stay is newer than "
                                        + one.path()
                                        + "; move what is not the pool's to another directory");
    }

    /**
     * Reads all that the newest need.
     *
     * @param verified what was read before, and is not again; gets what is read
     * @throws io.farheap.base.FarheapException BAD_DATA naming what is damaged
     */
    void verify(LongWork work, Set<Path> verified) {
        for (Path path : needed) {
            if (!verified.contains(path)) {
                try (BackupFile file = BackupFile.open(path)) {
                    file.verify(work);
                }
                verified.add(path);
            }
        }
    }

    /** Whether all that the newest need is among these. */
    boolean needsOnly(Set<Path> verified) {
        return verified.containsAll(needed);
    }

    /**
     * Removes what goes.
     *
     * @return what was removed
     */
    List<Path> remove() {
        List<Path> files = gone.stream().map(StoredBackups.Stored::path).toList();
        for (Path file : files) {
            boolean unused = NativeFile.delete(file);
            NativeFile.syncDirectory(file.getParent());
        }
        return files;
    }
}
