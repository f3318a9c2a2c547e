package io.farheap.agent.replica;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalDevices;
import io.farheap.agent.journal.JournalPlace;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import io.farheap.replication.control.Reply.Code;
import java.nio.file.Path;
import java.util.List;

/**
 * The files of one replica on the target.
 *
 * @param name how the initiator calls it
 * @param poolsetFile the target's own poolset file
 * @param set what that says: one replica of part files; remote ones only where it was promoted
 * @param devices where its journal may be besides
 */
public record ReplicaPaths(String name, Path poolsetFile, PoolSet set, JournalDevices devices) {
    private static final String LOCK = ".journal.lock";

    /** The part that a lock file lies beside. */
    public static Path partOf(Path lock) {
        String name = lock.getFileName().toString();
        return lock.resolveSibling(name.substring(0, name.length() - LOCK.length()));
    }

    /**
     * Reads the poolset that an initiator named.
     *
     * @throws Refusal BAD_POOLSET, or what {@link PoolsetDirectory#resolve} throws
     */
    public static ReplicaPaths of(PoolsetDirectory directory, String name) {
        return of(directory, name, JournalDevices.NONE);
    }

    /** The same, of who may make a journal on one of these devices. */
    public static ReplicaPaths of(PoolsetDirectory directory, String name, JournalDevices devices) {
        Path file = directory.resolve(name);
        PoolSet set;
        try {
            PoolSource source = PoolSource.of(file);
            // Who may name a poolset must not by that name any other file.
            if (!source.isPoolSet()) {
                throw PoolsetDirectory.noPoolset(name);
            }
            set = source.existing();
        } catch (Refusal e) {
            throw e;
        } catch (FarheapException e) {
            Code code = e.category() == Category.ENVIRONMENT ? Code.ACCESS : Code.BAD_POOLSET;
            throw new Refusal(code, e.getMessage(), "Correct it on the target.", e);
        }
        ReplicaPaths paths = new ReplicaPaths(name, file, set, devices);
        if (set.localReplicas().size() != 1 || set.has(Option.NOHDRS) || set.isDirectorySet()) {
            throw paths.unfit();
        }
        return paths;
    }

    /** Whether a promoted replica's owner has given it replicas of its own. */
    public boolean hasReplicas() {
        return !set.remoteReplicas().isEmpty();
    }

    /** A replica has no replicas. */
    public void requireNoReplicas() {
        if (hasReplicas()) {
            throw unfit();
        }
    }

    private Refusal unfit() {
        return new Refusal(
                Code.BAD_POOLSET,
                "The target's poolset "
                        + poolsetFile
                        + " must have one replica of part files with headers, and no other.",
                "Take the REPLICA lines, directories or OPTION NOHDRS out of it.");
    }

    /** The part files that the poolset file names, in their order, whether they exist or not. */
    public List<Part> parts() {
        return set.master().parts();
    }

    /** The commit journal, beside the first part: on the same medium, or on a device. */
    public JournalPlace journal() {
        return new JournalPlace(new SideFiles(parts().get(0).path()).replicaJournal(), devices);
    }

    /** By which this machine's readers know when they may read. */
    Path readers() {
        return new SideFiles(parts().get(0).path()).readers();
    }

    /** Who holds this is the replica's one agent. */
    public Path lock() {
        return beside(parts().get(0).path(), LOCK);
    }

    /** What an agent has made beside a replica's first part, if that is one. */
    public static List<Path> beside(Path firstPart) {
        SideFiles side = new SideFiles(firstPart);
        return List.of(side.replicaJournal(), beside(firstPart, LOCK), side.readers());
    }

    private static Path beside(Path part, String suffix) {
        return part.resolveSibling(part.getFileName() + suffix);
    }
}
