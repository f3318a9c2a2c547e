package io.farheap.availability;

import io.farheap.layout.PoolHeader;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.lang.foreign.MemorySegment;

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
        String text) {
    /** What can be said of it. */
    enum Kind {
        /** One number's content, up to its end. */
        WHOLE,
        /** Half copied, or never copied to. */
        NOT_WHOLE,
        /** Its node answers, and has no file of it. */
        NOTHING,
        /** Its node answers, and what the files hold is not known from here. */
        UNKNOWN,
        /** Nobody answers. */
        UNREACHED
    }

    static SeenCopy unreached(String node, String why) {
        return without(node, Kind.UNREACHED, "", "", "", "not reached: " + why);
    }

    private static SeenCopy without(
            String node, Kind kind, String holder, String uuid, String holds, String text) {
        return new SeenCopy(node, kind, 0, 0, 0, 0, false, holder, uuid, holds + text);
    }

    static SeenCopy of(String node, ReplicaReport report) {
        SlotReport slot = report.slot();
        String uuid = uuid(report);
        if (slot == null) {
            boolean nothing = report.faults().isEmpty() && report.holder().isEmpty();
            return without(
                    node,
                    nothing ? Kind.NOTHING : Kind.UNKNOWN,
                    report.holder(),
                    uuid,
                    "",
                    uuid.isEmpty()
                            ? report.text()
                            : "a pool that was never a replica, whose number only its own node"
                                    + " can tell");
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
                "term " + slot.term() + ", " + report.text() + marks(report));
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

    private static String uuid(ReplicaReport report) {
        if (report.header().length() == 0) {
            return "";
        }
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(report.header().toByteArray()));
        return header.hasSignature() ? header.uuid().toString() : "";
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
        return new OwnCopy(kind == Kind.WHOLE && !mayLag, number, kind == Kind.UNKNOWN ? 0 : next);
    }

    /** Whether it may have commits that the other one lacks. */
    boolean mayHaveMoreThan(SeenCopy other) {
        return switch (kind) {
            case NOTHING -> false;
            case UNKNOWN, UNREACHED -> true;
            case WHOLE, NOT_WHOLE ->
                    latest() > other.latest()
                            || kind == Kind.WHOLE
                                    && number == other.number()
                                    && records > other.records();
        };
    }
}
