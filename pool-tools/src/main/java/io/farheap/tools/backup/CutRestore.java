package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What is said of a restore that ends before its end: which new parts are in their places. */
final class CutRestore {
    private final PoolSet set;
    private final PoolFromBackup making;
    private final String command;

    /**
     * @param command makes all of it anew
     */
    CutRestore(PoolSet set, PoolFromBackup making, String command) {
        this.set = set;
        this.making = making;
        this.command = command;
    }

    /** How things are when the process ends now. */
    String interrupted() {
        List<Path> placed = making.inPlace();
        if (placed.isEmpty()) {
            return nothingPlaced();
        }
        List<Path> missing = missing(placed);
        return missing.isEmpty() ? restored() : partly(placed, missing) + goOn();
    }

    /**
     * What is thrown in place of a failure after which something is not as it was.
     *
     * @param failure whose files are closed by now
     */
    FarheapException after(FarheapException failure) {
        if (!making.isReplacing()) {
            return failure;
        }
        List<Path> placed = making.inPlace();
        List<Path> missing = missing(placed);
        String standing =
                missing.isEmpty()
                        ? restored() + ", but for this: it may not outlive a loss of power yet"
                        : partly(placed, missing) + goOn();
        return new FarheapException(
                failure.category(), failure.getMessage() + "; " + standing, failure);
    }

    private String nothingPlaced() {
        String left =
                parts().stream()
                        .map(RestorationLeftovers::unfinished)
                        .filter(Files::exists)
                        .map(file -> file + " (" + file.toFile().length() + " bytes)")
                        .collect(Collectors.joining(", "));
        return "a copy that is not complete is in no part's place; give the same command again"
                + (left.isEmpty()
                        ? ""
                        : ", which removes what is left, or names what moves it aside where that is"
                                + " whole: "
                                + left);
    }

    private String restored() {
        return "the pool is restored, all parts are in their places ("
                + joined(parts())
                + ");"
                + " nothing more is to do";
    }

    private static String partly(List<Path> placed, List<Path> missing) {
        return "of the new parts in place: "
                + (placed.isEmpty() ? "none" : joined(placed))
                + "; complete, and not in place: "
                + missing.stream().map(CutRestore::where).collect(Collectors.joining(", "));
    }

    private String goOn() {
        return "; all of it is made anew by: " + command;
    }

    private static String where(Path part) {
        boolean old = Files.exists(part) && part.toFile().length() > 0;
        return RestorationLeftovers.unfinished(part) + (old ? " (the old part is there yet)" : "");
    }

    private List<Path> missing(List<Path> placed) {
        return parts().stream().filter(part -> !placed.contains(part)).toList();
    }

    private List<Path> parts() {
        return set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .map(Part::path)
                .toList();
    }

    private static String joined(List<Path> files) {
        return files.stream().map(Path::toString).collect(Collectors.joining(", "));
    }
}
