package io.farheap.tools.transform;

/**
 * What became of a replica.
 *
 * @param replica its place in the poolset file, and where it is
 * @param verdict what was done
 * @param detail what was read back
 */
record ReplicaVerdict(String replica, Kind verdict, String detail) {
    /** What was done. */
    enum Kind {
        KEPT,
        MADE,
        ATTACHED,
        REMOVED,
        /** It was to go, and had gone before. */
        ABSENT,
        /** It is no replica any more, but its files are where they were. */
        LEFT
    }
}
