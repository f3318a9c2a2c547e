package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.UnfinishedFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.WholeFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Carries a {@link SwitchNote} out. Each of its steps may have been taken before; nobody else has
 * the files.
 */
final class PoolsetSwitch {
    private final SwitchNote note;
    private final PoolSet target;

    PoolsetSwitch(SwitchNote note, PoolSet target) {
        this.note = note;
        this.target = target;
    }

    /** Whether all new parts are in their places. */
    boolean hasMoved() {
        return note.moves().stream().noneMatch(move -> Files.exists(Path.of(move.from())));
    }

    /**
     * Takes all steps.
     *
     * @param changed is told when nothing is left but to remove what is not needed any more
     * @throws FarheapException ENVIRONMENT where one fails; the same command goes on from there
     */
    void run(ChangeMade changed) {
        try {
            for (SwitchNote.Old file : note.first()) {
                delete(file);
            }
            for (SwitchNote.Page page : note.links()) {
                relink(page);
            }
            for (SwitchNote.Move move : note.moves()) {
                if (Files.exists(Path.of(move.from()))) {
                    UnfinishedFiles.moveIntoPlace(Path.of(move.from()), Path.of(move.to()));
                }
            }
            for (SwitchNote.Move move : note.sideFiles()) {
                if (Files.exists(Path.of(move.from()))) {
                    UnfinishedFiles.moveIntoPlace(Path.of(move.from()), Path.of(move.to()));
                }
            }
        } catch (IOException | FarheapException e) {
            throw unfinished(e);
        }
        requireWhole();
        changed.nowMade();
        changed.then(this::removeLast);
    }

    private static FarheapException unfinished(Exception e) {
        return new FarheapException(
                e instanceof FarheapException ours ? ours.category() : Category.ENVIRONMENT,
                "the change was begun and could not be finished: "
                        + e.getMessage()
                        + "; mend that and give the same command again",
                e);
    }

    /** Removes what is not needed any more. */
    private void removeLast() {
        try {
            for (SwitchNote.Old file : note.last()) {
                delete(file);
            }
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "cannot look at a file that goes: %s", e.getMessage());
        }
    }

    /** Nothing old goes before the new is there, as files say that are read again. */
    private void requireWhole() {
        PoolInspection found;
        try {
            found = PoolInspection.passing(target);
            found.requireReadable();
        } catch (FarheapException e) {
            throw unfinished(e);
        }
        String problem = found.lost().isEmpty() ? found.conflict() : found.lost().get(0).problem();
        if (problem != null) {
            throw FarheapException.badData(
                    "the change was begun and could not be finished: %s; no file of the"
                            + " replicas that go was removed",
                    problem);
        }
    }

    private static void delete(SwitchNote.Old old) throws IOException {
        Path path = Path.of(old.path());
        if (Files.exists(path) && inode(path) == old.inode()) {
            WholeFile.delete(path);
        }
    }

    /** A program may have opened the pool since: what it wrote beside the links stays. */
    private static void relink(SwitchNote.Page page) {
        PoolHeader wanted = new PoolHeader(MemorySegment.ofArray(page.bytes()));
        try (NativeFile file = NativeFile.open(Path.of(page.path()))) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[(int) PoolHeader.SIZE]);
            long unused = file.read(bytes, 0);
            PoolHeader found = new PoolHeader(bytes);
            boolean whole = found.checksumMatches() && found.uuid().equals(wanted.uuid());
            if (whole && found.links().equals(wanted.links())) {
                return;
            }
            if (whole) {
                found.link(wanted.links());
            } else {
                found.become(wanted); // cut while it was written
            }
            file.write(bytes, 0);
            file.sync();
        }
    }

    /** Which file it is, whatever its name. */
    static long inode(Path path) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:ino")).longValue();
    }

    /** Removes the new parts of a change that was never begun. */
    void discard() {
        for (SwitchNote.Move move : note.moves()) {
            UnfinishedFiles.removeLeftover(Path.of(move.from()));
        }
    }
}
