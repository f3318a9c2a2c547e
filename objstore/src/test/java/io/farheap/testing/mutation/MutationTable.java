package io.farheap.testing.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The table of docs/mutations.md. */
final class MutationTable {
    private static final String OPEN = "open";
    private static final String NOTHING = "nothing";

    private MutationTable() {}

    /**
     * @param found what failed, null if nothing did
     */
    static String row(CallSite site, String found) {
        return start(site) + (found == null ? NOTHING : found) + " |";
    }

    /** What identifies a row. */
    static String start(CallSite site) {
        return "| `" + site.name() + "` | " + site.without() + " | ";
    }

    /** Whether nothing was found to fail, or was looked for. */
    static boolean isUnshown(String row) {
        return row.endsWith("| " + OPEN + " |") || row.endsWith("| " + NOTHING + " |");
    }

    static boolean isRow(String line) {
        return line.startsWith("| `");
    }

    /** Writes a row for each site: the one that was found now, else the one that is there. */
    static void write(Path table, List<CallSite> sites, Map<CallSite, String> found)
            throws IOException {
        List<String> before = Files.readAllLines(table);
        List<String> rows = new ArrayList<>();
        for (CallSite site : sites) {
            String row = found.get(site);
            if (row == null) {
                row =
                        before.stream()
                                .filter(line -> line.startsWith(start(site)))
                                .findFirst()
                                .orElse(row(site, OPEN));
            }
            rows.add(row);
        }
        Path unused = Files.writeString(table, document(rows));
    }

    private static String document(List<String> rows) {
        return """
        # Each flush, fence and checksum is needed

        Every place in objstore that flushes, fences or compares a checksum, and the test that
        failed first when just that was left out of the compiled product. Made by

            mvn verify -Pmutation -Dmutation.write=true -pl objstore -am

        which takes about 20 minutes on two processors. With `-Dmutation.only=REGEX` it does the
        rows in which that is found and leaves the others. It also shows that nothing fails when
        nothing is left out. `MutationTableTest` holds the table to the compiled classes: a new call
        without a row fails the normal build, and so does a row that says "open" or "nothing". A row
        names class, method and the number of the call in its method. The tests that know a place
        come first, then power loss in every operation, then all that look for power loss or damage.

        Not in the table: the classes of `io.farheap.memory` but `MirroredPersistence`, which are
        the medium itself (libpmem, msync), and `io.farheap.pool`, which flushes what it maps or
        writes of files, headers above all; what these leave out only a machine that really loses
        power could tell. The target agent's flushes, fences and checks are left out one by one by
        `ReplicaCrashTest` and `DroppedCheckTest` in the normal build.

        | place | left out | found by |
        | --- | --- | --- |
        """
                + String.join("\n", rows)
                + "\n";
    }
}
