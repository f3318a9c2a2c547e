package io.farheap.tools.sync;

import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.survey.RemoteFinding;
import java.util.List;
import java.util.Set;

/** One thing that sync does. */
sealed interface SyncStep {
    /** What it will do, for a person. */
    String text();

    /**
     * Local parts are made anew from a local replica.
     *
     * @param source index among the local replicas
     */
    record RestoreParts(int source, String text) implements SyncStep {}

    /**
     * Local parts are made anew from what several local replicas have together, none of which is
     * whole.
     *
     * @param pieces the image from its first byte to its last
     */
    record CombineParts(List<Piece> pieces, String text) implements SyncStep {}

    /**
     * The whole local pool is made anew from a remote replica.
     *
     * @param source the replica
     * @param others that it could be made from as well, and that get its content afterwards; those
     *     that commits waited for first
     * @param fromParts the command that makes it from what local replicas have together; empty:
     *     they do not have all, or are not of one moment
     */
    record RestorePool(
            RemoteFinding source, List<RemoteFinding> others, String fromParts, String text)
            implements SyncStep {}

    /**
     * The pool is opened and all remote replicas are attached: each gets what it lacks.
     *
     * @param overwrite those whose own content is known not to matter, or was ordered not to
     * @param fullCopies how many of them get all of it
     */
    record Attach(Set<RemoteReplica> overwrite, int fullCopies, String text) implements SyncStep {}
}
