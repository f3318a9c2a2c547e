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
        Path journal = new SideFiles(path).diskJournal();
        for (Path each : List.of(path, journal)) {
            if (!Files.exists(each)) {
                absentBefore.add(each);
            }
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
