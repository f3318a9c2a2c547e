package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.pool.FileStatus;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

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
    record Stored(Path path, BackupHeader header, long fileBytes, List<Path> needs) {
        /** It, and what it has, for a sentence. */
        private String said() {
            return path
                    + " ("
                    + header.point()
                    + ", of "
                    + Instant.ofEpochMilli(header.startedMillis()).truncatedTo(ChronoUnit.SECONDS)
                    + ")";
        }
    }

    /**
     * Two, of which nobody can tell which has the newer commits.
     *
     * @param older the one with the smaller number
     * @param newer the one with the larger number
     * @param why in words
     */
    record Doubt(Stored older, Stored newer, String why) {
        List<Stored> both() {
            return List.of(newer, older);
        }
    }

    private static final Comparator<Doubt> LATEST =
            Comparator.comparingLong(doubt -> doubt.older().header().startedMillis());

    /** Numbers of runs grow, and so do commits of one run; clocks may be wrong. */
    private static final Comparator<Stored> BY_AGE =
            Comparator.comparingLong((Stored one) -> one.header().runId())
                    .thenComparingLong(one -> order(one.header().commits()))
                    .thenComparingLong(one -> one.header().startedMillis());

    private final List<Stored> complete = new ArrayList<>();
    private final List<DamagedBackup> others = new ArrayList<>();
    private final Set<UUID> builtOn = new HashSet<>();

    private static long order(long commits) {
        return commits < 0 ? Long.MAX_VALUE : commits;
    }

    private StoredBackups() {}

    /** Looks at all backups in a directory; those that are damaged are {@link #others}. */
    static StoredBackups in(Path directory) {
        try (DirectoryStream<Path> files =
                        Files.newDirectoryStream(directory, "*" + BackupPlace.SUFFIX);
                DirectoryStream<Path> begun =
                        Files.newDirectoryStream(directory, "*" + BackupPlace.UNFINISHED)) {
            return of(files, begun);
        } catch (IOException e) {
            throw FileStatus.unreadableDirectory(directory, e);
        }
    }

    /** The same of what was listed; what another one has removed since is none. */
    static StoredBackups of(Iterable<Path> files, Iterable<Path> begun) {
        StoredBackups found = new StoredBackups();
        files.forEach(found::add);
        begun.forEach(found::addBegun);
        found.complete.sort(BY_AGE);
        return found;
    }

    private void add(Path file) {
        try (BackupChain chain = BackupChain.open(file)) {
            BackupFile newest = chain.newest();
            List<Path> needs = chain.files().stream().map(BackupFile::path).toList();
            complete.add(new Stored(file, newest.header(), newest.fileBytes(), needs));
        } catch (FarheapException e) {
            DamagedBackup damaged = DamagedBackup.of(file, e.getMessage());
            // Asked last: while it was looked at it may have gone, too.
            if (!Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
                others.add(damaged);
            }
        }
    }

    private void addBegun(Path unfinished) {
        BackupFile.headerOf(unfinished)
                .filter(header -> !header.isFull())
                .ifPresent(header -> builtOn.add(header.base().id()));
    }

    /** Whether one that is under way builds on that, or one that was cut and is still there. */
    boolean isBuiltOn(UUID id) {
        return builtOn.contains(id);
    }

    /** Oldest first. */
    List<Stored> complete() {
        return complete;
    }

    /** What is wrong with the others, a sentence each. */
    List<String> others() {
        return others.stream().map(DamagedBackup::why).toList();
    }

    /** Of the others those that this user can't read at all. */
    List<DamagedBackup> unreadable() {
        return others.stream().filter(one -> !one.isReadable()).toList();
    }

    /** Of the others those that may be a pool's, and newer than what was made at a moment. */
    List<DamagedBackup> othersOf(Predicate<BackupHeader> ofPool, long sinceMillis) {
        return others.stream().filter(one -> one.mayBeOf(ofPool, sinceMillis)).toList();
    }

    /** The newest of those of one pool. */
    Optional<Stored> newest(Predicate<BackupHeader> ofPool) {
        return complete.stream()
                .filter(one -> ofPool.test(one.header()))
                .reduce((older, newer) -> newer);
    }

    /** Those of one pool, oldest first. */
    List<Stored> of(Predicate<BackupHeader> ofPool) {
        return complete.stream().filter(one -> ofPool.test(one.header())).toList();
    }

    /** Why nothing tells that the {@link #newest} of a pool is the newest; empty: it is. */
    Optional<Doubt> doubt(Predicate<BackupHeader> ofPool) {
        List<Stored> all = of(ofPool);
        if (all.isEmpty()) {
            return Optional.empty();
        }
        Stored newest = all.get(all.size() - 1);
        return all.reversed().stream()
                .map(other -> doubt(other, newest))
                .flatMap(Optional::stream)
                .max(LATEST)
                .or(() -> fork(all));
    }

    /**
     * Whether the histories of two of them parted somewhere: then the newest continues either, and
     * lacks the commits of the other. What was not closed has no place among those of its run.
     */
    private static Optional<Doubt> fork(List<Stored> all) {
        Optional<Doubt> latest = Optional.empty();
        for (Stored newer : all) {
            latest =
                    Stream.concat(
                                    latest.stream(),
                                    all.subList(0, all.indexOf(newer)).stream()
                                            .filter(older -> isPlaced(older, newer))
                                            .map(older -> madeLater(older, newer))
                                            .flatMap(Optional::stream))
                            .max(LATEST);
        }
        return latest;
    }

    private static boolean isPlaced(Stored older, Stored newer) {
        return older.header().runId() != newer.header().runId()
                || newer.header().state() != BackupHeader.State.NOT_CLOSED;
    }

    /**
     * Whether number and time both tell that one has all commits that another has. Where one of the
     * pool's with a number between them was made before both, the larger numbers are those of a
     * copy, and tell nothing of the pool's own.
     */
    boolean isNewer(Stored one, Stored than, Predicate<BackupHeader> ofPool) {
        return BY_AGE.compare(than, one) <= 0
                && doubt(than, one).isEmpty()
                && complete.stream()
                        .filter(other -> ofPool.test(other.header()))
                        .filter(other -> BY_AGE.compare(than, other) < 0)
                        .filter(other -> BY_AGE.compare(other, one) < 0)
                        .allMatch(
                                other ->
                                        other.header().startedMillis()
                                                >= than.header().startedMillis());
    }

    /**
     * Why one may be newer than another that counts as newer by its number; empty: it is not. A
     * copy of a pool that programs opened by itself has numbers of its own, and what was not closed
     * does not tell how many commits of its run it has.
     */
    static Optional<Doubt> doubt(Stored older, Stored newer) {
        if (older.path().equals(newer.path())) {
            return Optional.empty();
        }
        BackupHeader left = older.header();
        BackupHeader right = newer.header();
        Optional<Doubt> later = madeLater(older, newer);
        if (later.isPresent()) {
            return later;
        }
        boolean unknown =
                left.runId() == right.runId()
                        && right.state() == BackupHeader.State.NOT_CLOSED
                        && left.state() != BackupHeader.State.NOT_CLOSED;
        return unknown
                ? Optional.of(
                        new Doubt(
                                older,
                                newer,
                                "nothing tells whether "
                                        + newer.said()
                                        + " has all commits that "
                                        + older.said()
                                        + " has: it is what a crash left, or a copy of files that"
                                        + " were open; move what is not wanted to another"
                                        + " directory"))
                : Optional.empty();
    }

    private static Optional<Doubt> madeLater(Stored older, Stored newer) {
        if (older.header().startedMillis() <= newer.header().startedMillis()) {
            return Optional.empty();
        }
        return Optional.of(
                new Doubt(
                        older,
                        newer,
                        "of its backups "
                                + newer.said()
                                + " counts as newer by its number, and "
                                + older.said()
                                + " was made later: one of them may be of a copy of the pool, or a"
                                + " clock was wrong; move what is not the pool's to another"
                                + " directory"));
    }
}
