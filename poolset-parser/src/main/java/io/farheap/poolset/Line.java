package io.farheap.poolset;

import java.util.List;

/**
 * One line of a poolset file.
 *
 * @param text its bytes without the line end, one per char (ISO 8859-1): so a comment in any
 *     encoding survives an edit
 * @param end its line end: LF, CR LF, or nothing on a last line that lacks it
 * @param content what it says, or null where it says nothing: the signature, comments, empty lines
 */
record Line(String text, String end, Content content) {
    /** The meaning of a line. */
    sealed interface Content permits Options, ReplicaStart, Remote, PartLine {}

    record Options(List<PoolSet.Option> options) implements Content {}

    record ReplicaStart() implements Content {}

    record Remote(RemoteReplica replica) implements Content {}

    record PartLine(Part part) implements Content {}
}
