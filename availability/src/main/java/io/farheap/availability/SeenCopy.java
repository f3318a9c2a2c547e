package io.farheap.availability;

import io.farheap.layout.PoolHeader;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A node's copy of a pool, as a person's command sees it.
 *
 * @param number that it has; 0: none that is known
 * @param next that it was prepared for, and has the content of; 0: none
 * @param records the last one of its number; of copies with one number, more means a later end
 * @param term the highest that is known of it; 0: none
 * @param mayLag commits may have returned without it
 * @param holder who has it; empty: nobody
 * @param uuid of its first part; empty: not known
 * @param pool whose copy it is; empty: not known
 * @param text what it holds, for people
 */
record SeenCopy(
        String node,
        Kind kind,
        long number,
        long next,
        long records,
        long term,
        boolean mayLag,
        String holder,
        String uuid,
        String pool,
        String text) {
    /** What can be said of it. */
    enum Kind {
        /** One number's content, up to its end. */
        WHOLE,
        /** Half copied, or never copied to. */
        NOT_WHOLE,
        /** Its node answers, and has no file of it. */
        NOTHING,
        /** A pool that was never a replica, and may be whole: its own node can tell. */
        UNTOLD,
        /**
         * Its node answers, and what the files hold is not known: they are damaged, or not ours.
         */
        UNKNOWN,
        /** Nobody answers. */
        UNREACHED
    }

    static SeenCopy unreached(String node, String why) {
        return without(node, Kind.UNREACHED, "", "", "", "not reached: " + why);
    }

    private static SeenCopy without(
            String node, Kind kind, String holder, String uuid, String pool, String text) {
        return new SeenCopy(node, kind, 0, 0, 0, 0, false, holder, uuid, pool, text);
    }

    static SeenCopy of(String node, ReplicaReport report) {
        SlotReport slot = report.slot();
        Optional<PoolHeader> header = header(report);
        String uuid = header.map(one -> one.uuid().toString()).orElse("");
        String pool = header.map(one -> one.poolsetUuid().toString()).orElse("");
        if (slot == null) {
            Kind kind = kindWithoutSlot(report, !uuid.isEmpty());
            return without(
                    node,
                    kind,
                    report.holder(),
                    uuid,
                    pool,
                    kind == Kind.UNTOLD
                            ? "a pool that was never a replica, whose number only its own node"
                                    + " can tell"
                            : report.text());
        }
        boolean promoted = slot.state() == ReplicaState.PROMOTED;
        return new SeenCopy(
                node,
                kind(report),
                promoted ? slot.headerRunId() : slot.cur(),
                slot.next(),
                slot.lastSequence(),
                slot.term(),
                slot.mayLag(),
                report.holder(),
                uuid,
                pool,
                "term " + slot.term() + ", " + report.text() + marks(report));
    }

    /** Without a slot one fault is the journal's: the only one of a pool that was no replica. */
    private static Kind kindWithoutSlot(ReplicaReport report, boolean isPool) {
        if (report.faults().isEmpty() && report.holder().isEmpty()) {
            return Kind.NOTHING;
        }
        boolean lacksJournal =
                report.faults().size() == 1 && report.faults().get(0).contains(" is missing");
        return isPool && lacksJournal ? Kind.UNTOLD : Kind.UNKNOWN;
    }

    private static Kind kind(ReplicaReport report) {
        if (report.slot().foreignOpen() || !report.faults().isEmpty()) {
            return Kind.UNKNOWN;
        }
        return report.isComplete() ? Kind.WHOLE : Kind.NOT_WHOLE;
    }

    private static String marks(ReplicaReport report) {
        String marks = report.slot().next() == 0 ? "" : ", prepared for " + report.slot().next();
        marks += report.slot().mayLag() ? ", may lack the last commits that returned" : "";
        marks += report.slot().foreignOpen() ? ", opened by another program" : "";
        marks += report.faults().isEmpty() ? "" : ", broken: " + report.faults().get(0);
        return marks + (report.holder().isEmpty() ? "" : ", in use by " + report.holder());
    }

    private static Optional<PoolHeader> header(ReplicaReport report) {
        if (report.header().length() == 0) {
            return Optional.empty();
        }
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(report.header().toByteArray()));
        return header.hasSignature() ? Optional.of(header) : Optional.empty();
    }

    /** The same of this node's own, whose term file says more. */
    SeenCopy withKept(long keptTerm, long preparedFor) {
        return new SeenCopy(
                node,
                kind,
                number,
                preparedFor == 0 ? next : preparedFor,
                records,
                Math.max(term, keptTerm),
                mayLag,
                holder,
                uuid,
                pool,
                text);
    }

    /** The same of this node's own pool, which was never a replica. */
    SeenCopy withNumber(long own) {
        return new SeenCopy(
                node,
                Kind.WHOLE,
                own,
                next,
                records,
                term,
                mayLag,
                holder,
                uuid,
                pool,
                "a pool that was never a replica, number "
                        + own
                        + (holder.isEmpty() ? "" : ", in use by " + holder));
    }

    /**
     * The number whose commits it has, up to the last one that returned; 0: none. What it is
     * prepared for says nothing of commits: they begin when each copy of the set has that number.
     */
    long latest() {
        return kind == Kind.WHOLE && !mayLag ? number : 0;
    }

    OwnCopy own() {
        return new OwnCopy(kind == Kind.WHOLE && !mayLag, number, isKnown() ? next : 0);
    }

    /** Whether what it holds is known. */
    boolean isKnown() {
        return switch (kind) {
            case WHOLE, NOT_WHOLE, NOTHING -> true;
            case UNTOLD, UNKNOWN, UNREACHED -> false;
        };
    }

    /**
     * Whether it may have commits that the other one lacks: also one that lags may, where the other
     * one was left out for longer.
     */
    boolean mayHaveMoreThan(SeenCopy other) {
        return switch (kind) {
            case NOTHING, NOT_WHOLE -> false;
            case UNTOLD, UNKNOWN, UNREACHED -> true;
            case WHOLE ->
                    number > other.number()
                            || number == other.number() && records > other.records();
        };
    }
}
