package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.Survey;
import java.nio.file.Path;

/**
 * Of which runs local replicas are, where one of them is whole and others are to be made from it.
 */
final class RunsHere {
    private final Path poolset;
    private final NextStep next;
    private final FoundReplicas findings;
    private final PoolInspection local;
    private final Combination parts;

    /**
     * @param parts what those that are later than the newest whole one have together
     */
    RunsHere(Path poolset, FoundReplicas findings, Combination parts) {
        this.poolset = poolset;
        this.next = new NextStep(poolset);
        this.findings = findings;
        this.local = findings.local();
        this.parts = parts;
    }

    /**
     * What stays must be of the source's run, or old and new would be mixed: a replica that lost a
     * part may yet be newer than the one that did not, and one that keeps a part may be older.
     */
    void requireSame(int source) {
        for (int r = 0; r < local.replicas().size(); r++) {
            boolean later = Survey.isLater(part0(r), part0(source));
            boolean other = part0(r).runId() != part0(source).runId();
            // Of one that is damaged all over nothing stays, but it may be the newer one.
            if (other && (part0(r).isHealthy() || later)) {
                if (parts.isPossible() || parts.isMendable()) {
                    throw laterParts(source);
                }
                throw FarheapException.badData(
                        "%s (number %s) than the newest one without a fault, replica %s"
                                + " (number %s)%s; to go on with that: %s",
                        part0(r).path() + (later ? " is of a later run" : " is of an earlier run"),
                        Long.toUnsignedString(part0(r).runId()),
                        findings.numberOf(source),
                        Long.toUnsignedString(part0(source).runId()),
                        parts.doubt().isEmpty()
                                ? ""
                                : "; those of later runs can't be put together: " + parts.doubt(),
                        next.syncWithout("the parts of replica " + findings.numberOf(r)));
            }
        }
    }

    /** What several replicas of a later run have together counts more than an older whole one. */
    private FarheapException laterParts(int source) {
        return FarheapException.badData(
                "%s: replica %s is whole (number %s), but others are of a later run (number %s), and"
                        + " together they %s; nothing was changed. To make the pool from those: %s%s"
                        + " (keep what is moved until the pool is whole)",
                poolset,
                findings.numberOf(source),
                Long.toUnsignedString(part0(source).runId()),
                Long.toUnsignedString(parts.number()),
                parts.isPossible()
                        ? "have all of it, as far as headers tell"
                        : "may have all of it, but " + parts.doubt(),
                parts.isPossible() ? "" : "mend that first, then ",
                next.syncWithout("the parts of " + parts.outdated()));
    }

    private PartInspection part0(int replica) {
        return local.replicas().get(replica).get(0);
    }
}
