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
            try {
                allowed.run();
                return moveAll(suffix);
            } finally {
                lock.removeUnless(paths.journal().path());
            }
        } catch (Refusal e) {
            throw e.whole();
        }
    }

    private List<Moved> moveAll(String suffix) {
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
        moves.forEach(ReplicaAside::requirePlain);
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
            throw done.isEmpty() ? e : cut(e, done);
        } finally {
            locked.forEach(NativeFile::close);
        }
        return moves;
    }

    /**
     * Those that are there, in the order in which they go. The journals first: without the
     * replica's, an agent that comes after a cut touches no part; without a disk journal, a part
     * would lack what only that has, and beside a new part the disk journal would be removed.
     */
    private List<Path> present() {
        Path first = paths.parts().get(0).path();
        SideFiles side = new SideFiles(first);
        List<Path> files = new ArrayList<>();
        files.add(side.replicaJournal());
        files.addAll(side.diskJournals());
        for (int i = 1; exists(side.keptDiskJournal(i)); i++) {
            files.add(side.keptDiskJournal(i));
        }
        files.addAll(exists(first.toAbsolutePath().getParent()) ? side.dirtyMaps() : List.of());
        files.add(side.status());
        files.add(side.readers());
        paths.parts().forEach(part -> files.add(part.path()));
        files.addAll(side.terms());
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

    private FarheapException cut(FarheapException e, List<Moved> done) {
        return new FarheapException(
                e.category(),
                String.format(
                        "%s; some files of %s have other names already: %s; the same command moves"
                                + " the others",
                        e.getMessage(),
                        paths.poolsetFile(),
                        done.stream().map(Moved::toString).collect(Collectors.joining(", "))),
                e);
    }
}
