package io.farheap.agent;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.Part;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The files of a replica on this machine are moved aside, so that it is made anew: each gets a name
 * beside its own, and none is removed. Once all have their own names again the replica is what it
 * was.
 */
public final class ReplicaAside {
    private final ReplicaPaths paths;

    /**
     * One file.
     *
     * @param from the name that is free now
     * @param to the name that it has now
     */
    public record Moved(Path from, Path to) {
        @Override
        public String toString() {
            return from + " is now " + to;
        }
    }

    ReplicaAside(ReplicaPaths paths) {
        this.paths = paths;
    }

    /**
     * Moves them, durably on return. Meanwhile no agent and no program has them.
     *
     * @param suffix follows the names
     * @param allowed throws what speaks against it; asked when nobody else can come to have them
     *     any more
     * @throws FarheapException when others have them, when there are none, or the system refuses;
     *     it names what has another name by then
     */
    public List<Moved> move(String suffix, Runnable allowed) {
        try (ReplicaLock lock = ReplicaLock.acquireBriefly(paths.lock())) {
            List<Moved> moves;
            try {
                moves = moves(suffix);
                allowed.run();
                moveAll(moves);
            } catch (FarheapException e) {
                removeUnneeded(lock, e);
                throw e;
            }
            lock.removeUnless(paths.journal().path());
            return moves;
        } catch (Refusal e) {
            throw e.whole();
        }
    }

    private void removeUnneeded(ReplicaLock lock, FarheapException why) {
        try {
            lock.removeUnless(paths.journal().path());
        } catch (FarheapException e) {
            why.addSuppressed(e);
        }
    }

    private List<Moved> moveAll(List<Moved> moves) {
        List<NativeFile> locked = new ArrayList<>();
        List<Moved> done = new ArrayList<>();
        try {
            paths.parts().stream()
                    .map(Part::path)
                    .filter(ReplicaAside::exists)
                    .forEach(part -> lock(part, locked));
            for (Moved one : moves) {
                NativeFile.rename(one.from(), one.to());
                done.add(one);
                NativeFile.syncDirectory(one.from().toAbsolutePath().getParent());
            }
        } catch (FarheapException e) {
            throw putBack(e, done);
        } finally {
            locked.forEach(NativeFile::close);
        }
        return moves;
    }

    private List<Moved> moves(String suffix) {
        List<Moved> moves =
                present().stream()
                        .map(
                                file ->
                                        new Moved(
                                                file,
                                                file.resolveSibling(file.getFileName() + suffix)))
                        .toList();
        if (moves.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s: there are no files of it here, so nothing is to be moved aside",
                    paths.poolsetFile());
        }
        if (!paths.journal().exists()) {
            throw FarheapException.wrongUse(
                    "%s: its files have no replica's journal, so they are those of a pool that was"
                            + " written here, and this command leaves them as they are; the writer"
                            + " brings a former writer's copy up to date by itself",
                    paths.poolsetFile());
        }
        moves.forEach(ReplicaAside::requirePlain);
        return moves;
    }

    /**
     * Those that are there, in the order in which they go. The replica's journal last: as long as
     * it is there, an agent that comes after a cut makes no copy in place of what is not moved yet,
     * and it proves whose the rest is. A disk journal before the parts: beside new ones it would be
     * removed.
     */
    private List<Path> present() {
        Path first = paths.parts().get(0).path();
        SideFiles side = new SideFiles(first);
        List<Path> files = new ArrayList<>(side.diskJournals());
        for (int i = 1; exists(side.keptDiskJournal(i)); i++) {
            files.add(side.keptDiskJournal(i));
        }
        files.addAll(exists(first.toAbsolutePath().getParent()) ? side.dirtyMaps() : List.of());
        files.add(side.status());
        files.add(side.readers());
        paths.parts().forEach(part -> files.add(part.path()));
        files.addAll(side.terms());
        files.add(side.replicaJournal());
        return files.stream().filter(ReplicaAside::exists).toList();
    }

    private static boolean exists(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Under another name, a link would lead to what is to be made anew. */
    private static void requirePlain(Moved move) {
        if (!Files.isRegularFile(move.from(), LinkOption.NOFOLLOW_LINKS)) {
            throw FarheapException.wrongUse(
                    "%s is no regular file (a link or a device), which is not moved aside by this"
                            + " command: nothing was moved",
                    move.from());
        }
        if (exists(move.to())) {
            throw FarheapException.wrongUse("%s is there already: nothing was moved", move.to());
        }
    }

    private static void lock(Path part, List<NativeFile> locked) {
        NativeFile opened = NativeFile.open(part);
        locked.add(opened);
        opened.lock();
    }

    /** In reverse, so that the journal is never there without what it is of. */
    private FarheapException putBack(FarheapException why, List<Moved> done) {
        List<Moved> left = new ArrayList<>(done);
        try {
            while (!left.isEmpty()) {
                NativeFile.rename(left.getLast().to(), left.getLast().from());
                Moved unused = left.removeLast();
            }
        } catch (FarheapException e) {
            why.addSuppressed(e);
        }
        return new FarheapException(
                why.category(),
                why.getMessage()
                        + (left.isEmpty()
                                ? "; nothing was moved"
                                : "; some files of "
                                        + paths.poolsetFile()
                                        + " have other names now: "
                                        + left.stream()
                                                .map(Moved::toString)
                                                .collect(Collectors.joining(", "))
                                        + "; the same command moves the others"),
                why);
    }
}
