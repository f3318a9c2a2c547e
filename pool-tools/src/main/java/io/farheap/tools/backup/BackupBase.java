package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolUuid;
import io.farheap.tools.command.LongWork;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a backup builds on. All of it is read before: a backup that builds on a damaged one can't be
 * restored.
 *
 * @param path null: nothing
 * @param verified the files that were read, and are right
 * @param damage what was found, and what to do about it, where nothing is built on because what is
 *     there is damaged; null: nothing was found
 */
record BackupBase(Path path, Set<Path> verified, String damage) {
    static final BackupBase NONE = new BackupBase(null, Set.of(), null);

    boolean damaged() {
        return damage != null;
    }

    /**
     * The pool's newest in a directory; none where it is damaged, or where nothing tells which is
     * the newest.
     *
     * @param say is told why there is none
     */
    static BackupBase newest(Path directory, PoolUuid pool, LongWork work, Consumer<String> say) {
        StoredBackups stored = StoredBackups.in(directory);
        Predicate<BackupHeader> ofPool = header -> header.ofPool().poolsetUuid().equals(pool);
        Optional<StoredBackups.Stored> newest = stored.newest(ofPool);
        stored.unreadable().forEach(one -> say.accept("left out: " + one.why()));
        List<DamagedBackup> others =
                stored.othersOf(ofPool, newest.map(one -> one.header().startedMillis()).orElse(0L));
        if (!others.isEmpty()) {
            say.accept(
                    "this one is full, because it can't build on the newest: a file of "
                            + directory
                            + " that can't be restored may be that: "
                            + others.stream()
                                    .map(DamagedBackup::told)
                                    .collect(Collectors.joining("; ")));
            return new BackupBase(null, Set.of(), damage(directory, others));
        }
        if (newest.isEmpty()) {
            say.accept(
                    "there is no backup of this pool yet that can be built on: this one is full");
            return NONE;
        }
        Optional<StoredBackups.Doubt> doubt = stored.doubt(ofPool);
        if (doubt.isPresent()) {
            say.accept("this one is full: " + doubt.get().why());
            return NONE;
        }
        try {
            return of(newest.get().path(), work);
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
            say.accept("this one is full, because it can't build on the newest: " + e.getMessage());
            return new BackupBase(null, Set.of(), damage(directory, List.of()));
        }
    }

    /** Of which pool a file is whose beginning is unknown nobody can tell, nor how old it is. */
    private static String damage(Path directory, List<DamagedBackup> others) {
        String unknown =
                others.stream()
                        .filter(one -> one.header().isEmpty())
                        .map(one -> one.file().toString())
                        .collect(Collectors.joining(", "));
        return unknown.isEmpty()
                ? "a backup is damaged, as was said above; farheap backup --verify "
                        + directory
                        + " names all that are, and the next backup removes what is old"
                : "nothing tells whether this pool's newest backup is "
                        + unknown
                        + ", as was said above; move that file away, to another directory, and the"
                        + " next backup removes what is old";
    }

    /**
     * The one that is named.
     *
     * @throws FarheapException BAD_DATA where it, or what it builds on, is damaged
     */
    static BackupBase of(Path path, LongWork work) {
        try (BackupChain chain = BackupChain.open(path)) {
            List<Path> files = chain.files().stream().map(BackupFile::path).toList();
            chain.files().forEach(file -> file.verify(work));
            return new BackupBase(path, Set.copyOf(files), null);
        }
    }
}
