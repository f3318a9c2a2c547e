package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.NativeFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The places of the parts that a restoration makes. They must be as they were when somebody agreed
 * to it, and until the new files are in them they are nobody else's: where a part is, it is locked;
 * where none is, an empty file is before the new one comes.
 */
final class RestoredPlaces implements AutoCloseable {
    private final PoolInspection seen;
    private final List<PartInspection> made;
    private final List<NativeFile> locked = new ArrayList<>();
    private final List<Path> claimed = new ArrayList<>();

    /**
     * @param anew all parts are made, also those that are healthy
     */
    RestoredPlaces(PoolInspection seen, boolean anew) {
        this.seen = seen;
        this.made =
                seen.replicas().stream()
                        .flatMap(List::stream)
                        .filter(part -> anew || part.isLost())
                        .toList();
    }

    /** Locks the lost parts that are there; the healthy ones are locked by who reads them. */
    void lockLost() {
        for (PartInspection part : made) {
            if (part.isLost() && wasThere(part)) {
                NativeFile file = NativeFile.openReadOnly(part.path());
                locked.add(file);
                file.lock();
            }
        }
    }

    /**
     * Requires that nothing came, went or was committed to since it was looked at.
     *
     * @throws FarheapException ENVIRONMENT naming what is another now
     */
    void requireAsSeen() {
        for (PartInspection part : made) {
            PartStamp before = seen.stamp(part);
            if (!before.equals(PartStamp.of(part.path()))) {
                throw changed(part.path(), before.isThere());
            }
        }
    }

    private static FarheapException changed(Path path, boolean wasThere) {
        return FarheapException.environment(
                "%s %s since this command looked at it, and may have commits that no copy has:"
                        + " nothing was changed; end the program that uses it, look at it"
                        + " (farheap status), then give the command again",
                path, wasThere ? "was written, removed or replaced" : "was made by somebody else");
    }

    /** Whether a part was in the place when it was looked at: no empty file that only holds it. */
    boolean hasOld(PartInspection part) {
        return wasThere(part) && part.condition() != PartInspection.Condition.MISSING;
    }

    private boolean wasThere(PartInspection part) {
        return seen.stamp(part).isThere();
    }

    /**
     * Takes the places that are free.
     *
     * @throws FarheapException ENVIRONMENT where one is not any more
     */
    void claim() {
        for (PartInspection part : made) {
            // Nobody can make a part through a link that leads to none.
            if (!wasThere(part) && !Files.isSymbolicLink(part.path())) {
                claim(part.path());
            }
        }
    }

    private void claim(Path path) {
        try {
            // Closed, because not every system replaces what somebody has open; no pool is empty.
            NativeFile.create(path).close();
        } catch (FarheapException e) {
            boolean taken =
                    e.category() == Category.WRONG_USE
                            && Files.exists(path, LinkOption.NOFOLLOW_LINKS);
            throw taken ? changed(path, false) : e;
        }
        claimed.add(path);
    }

    private static boolean isEmpty(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                && FileStatus.of(path).size() == 0;
    }

    /** Lets all go; what was claimed and got no part is free again. */
    @Override
    public void close() {
        claimed.stream().filter(RestoredPlaces::isEmpty).forEach(UnfinishedFiles::delete);
        claimed.clear();
        locked.forEach(NativeFile::close);
        locked.clear();
    }
}
