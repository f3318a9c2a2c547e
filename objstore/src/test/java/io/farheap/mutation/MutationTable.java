package io.farheap.mutation;

import java.util.List;

/** The table of docs/mutations.md. */
final class MutationTable {
    private MutationTable() {}

    static String row(CallSite site, String found) {
        return start(site) + found + " |";
    }

    /** What identifies a row. */
    static String start(CallSite site) {
        return "| `" + site.name() + "` | " + site.without() + " | ";
    }

    static String document(List<String> rows) {
        return """
        # Each flush, fence and checksum is needed

        Every place in objstore that flushes, fences or compares a checksum, and the test that
        failed first when just that was left out of the compiled product. Made by

            mvn verify -Pmutation -Dmutation.write=true -pl objstore -am

        `MutationTableTest` holds the table to the compiled classes: a new call without a row fails
        the normal build. A row names class, method and the number of the call in its method.
        "open" is not shown: not run yet, or nothing failed in 90 seconds.

        Not in the table: the classes of `io.farheap.memory` but `MirroredPersistence`, which are
        the medium itself (libpmem, msync), and `io.farheap.pool`, which writes headers of files
        through the kernel; both would need a machine that really loses power. The target agent's
        flushes, fences and checks are left out one by one by `ReplicaCrashTest` and
        `DroppedCheckTest` in the normal build.

        | place | left out | found by |
        | --- | --- | --- |
        """
                + String.join("\n", rows)
                + "\n";
    }
}
