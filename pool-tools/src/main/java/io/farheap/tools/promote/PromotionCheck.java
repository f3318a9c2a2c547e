package io.farheap.tools.promote;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.time.Instant;

/**
 * What a replica holds, in a person's words, and why it can't be promoted.
 *
 * @param name how the user calls it
 * @param report what was found
 */
record PromotionCheck(String name, ReplicaReport report) {
    private static final String MAY_LAG =
            "; commits did not wait for it (policy async): the last that returned may be missing";

    static final String UNKNOWN =
            "whether another copy is newer can't be known from here: look at each of them (farheap"
                    + " promote --dry-run), and promote one with the largest epoch; of several with"
                    + " that, the one with most records. Times are by each target's own clock, and"
                    + " prove nothing";

    /** It is a pool of its own already. */
    boolean isPromoted() {
        return report.slot() != null && report.slot().state() == ReplicaState.PROMOTED;
    }

    /** Nothing is left to be done, or its owner has it open and nothing can be. */
    boolean isDone() {
        SlotReport slot = report.slot();
        return isPromoted()
                && (slot.headerRunId() == slot.cur() || !report.faults().isEmpty() || isHeld());
    }

    boolean isHeld() {
        return !report.holder().isEmpty();
    }

    /** Which epoch, and how much of it. */
    String text() {
        SlotReport slot = report.slot();
        if (isPromoted()) {
            return name
                    + ": a pool of its own since it was promoted, number "
                    + slot.headerRunId()
                    + times(slot)
                    + "; it has every commit that returned in epoch "
                    + slot.journalEpoch()
                    + (slot.mayLag() ? MAY_LAG : "");
        }
        String tail =
                slot.tailRecords() == 0
                        ? "all applied"
                        : slot.tailRecords() + " of them not applied yet";
        return name
                + ": "
                + slot.state()
                + ", epoch "
                + slot.cur()
                + times(slot)
                + (slot.next() == 0 ? "" : " (prepared for " + slot.next() + ")")
                + ", records up to number "
                + slot.lastSequence()
                + (slot.journalEpoch() == slot.cur() ? "" : " of epoch " + slot.journalEpoch())
                + ", "
                + tail
                + (slot.mayLag() ? MAY_LAG : "");
    }

    /** By the target's clock. */
    private static String times(SlotReport slot) {
        return slot.sinceMillis() == 0
                ? ""
                : " since "
                        + Instant.ofEpochMilli(slot.sinceMillis())
                        + " (last written "
                        + Instant.ofEpochMilli(slot.writtenMillis())
                        + ")";
    }

    /**
     * @throws FarheapException category REPLICA when there is no whole copy here
     */
    void requireWhole() {
        SlotReport slot = report.slot();
        if (slot == null) {
            throw refusal(
                    report.faults().isEmpty()
                            ? "there are no files of a replica; promote another copy"
                            : "nothing tells what its files hold ("
                                    + report.faults().get(0)
                                    + "); promote another copy");
        }
        if (isPromoted()) {
            return;
        }
        if (slot.state() == ReplicaState.NEW) {
            throw refusal("it has no content yet (state NEW); promote another copy");
        }
        if (slot.state() == ReplicaState.MEMORY) {
            throw refusal("it is a program's remote memory, no replica (state MEMORY)");
        }
        if (slot.state() == ReplicaState.SYNCING) {
            throw refusal(
                    "it is half a copy (state SYNCING): let the pool's program, started again,"
                            + " finish it, or promote another one");
        }
        if (slot.foreignOpen()) {
            throw refusal(
                    "a program has opened its files on the target, past the agent (run_id "
                            + slot.headerRunId()
                            + "): they are a pool already, without the "
                            + slot.tailRecords()
                            + " records that were not applied then; check it (farheap check), or"
                            + " promote another copy");
        }
        if (!report.faults().isEmpty()) {
            throw refusal("it is broken: " + String.join("; ", report.faults()));
        }
    }

    /**
     * @throws FarheapException category REPLICA when an agent has it
     */
    void requireFree() {
        if (isHeld()) {
            throw refusal(
                    "it is attached to "
                            + report.holder()
                            + ", which lives; end that program, or end its right (--take-over):"
                            + " from then on it can't commit any more");
        }
    }

    /** The highest of a writer under automatic fail-over that it has heard; 0: none. */
    long term() {
        return report.slot().term();
    }

    /**
     * @throws FarheapException category REPLICA when a record in a store says who writes the pool
     */
    void requireNoRecord() {
        if (term() != 0) {
            throw refusal(
                    "its pool is under automatic fail-over (it has heard a writer of term "
                            + term()
                            + "), and the next writer would copy over what is committed past the"
                            + " record in the store; start the program on a node that the record"
                            + " has in its set (farheap ha status), or have another node write"
                            + " (farheap ha switchover); where no copy of its set is left, farheap ha"
                            + " force, and where the record is lost, farheap ha rebase; only to"
                            + " leave fail-over: --despite-record");
        }
    }

    private FarheapException refusal(String why) {
        return FarheapException.replica("%s cannot be promoted: %s", name, why);
    }
}
