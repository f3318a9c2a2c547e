package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files that a creation makes, to be removed when it fails after they are complete. */
public final class CreatedFiles {
    private final List<Path> absentBefore = new ArrayList<>();

    private CreatedFiles() {}

    /** Notes what is not there yet. */
    public static CreatedFiles before(PoolSource source) {
        CreatedFiles created = new CreatedFiles();
        if (!source.isPoolSet()) {
            created.note(source.path());
            return created;
        }
        for (LocalReplica replica : source.forCreation().localReplicas()) {
            for (Part part : replica.parts()) {
                created.note(part.path());
            }
        }
        return created;
    }

    private void note(Path path) {
        if (Files.exists(path)) {
            return; // it stays, and may need a journal by then
        }
        absentBefore.add(path);
        Path journal = new SideFiles(path).diskJournal();
        if (!Files.exists(journal)) {
            absentBefore.add(journal);
        }
    }

    /** Removes them; what goes wrong with that is added to {@code failure}. */
    public void remove(Throwable failure) {
        for (Path path : absentBefore) {
            try {
                for (Path map : new SideFiles(path).dirtyMaps()) {
                    boolean unused = NativeFile.delete(map);
                }
                boolean unused = NativeFile.delete(path);
            } catch (FarheapException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
