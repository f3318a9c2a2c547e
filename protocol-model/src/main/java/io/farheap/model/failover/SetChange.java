package io.farheap.model.failover;

import io.farheap.model.failover.Cluster.Copy;
import io.farheap.model.failover.Cluster.Record;
import io.farheap.model.failover.FailoverBounds.Chance;

/**
 * The switch of docs/protocol.md with the step that records it: members are prepared, the record
 * says who they are, the pool's number changes, members confirm, admission opens.
 */
final class SetChange {
    private static final String OVERWRITTEN =
            "a deposed writer overwrites a copy of the recorded set";
    private static final String LOST = "an acknowledged commit is missing behind open admission";

    private final Telling telling;

    SetChange(Telling telling) {
        this.telling = telling;
    }

    void events(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        choose(cluster, node);
        switch (writer.at) {
            case Writer.PREPARING -> {
                for (int member = 0; member < Cluster.NODES; member++) {
                    if (member != node && Cluster.has(writer.wanted & ~writer.prepared, member)) {
                        prepare(cluster, node, member);
                    }
                }
                if (writer.prepared == writer.wanted) {
                    record(cluster, node);
                }
            }
            case Writer.UNANSWERED -> settle(cluster, node);
            case Writer.RECORDED -> switchNumber(node);
            case Writer.CONFIRMING -> confirm(cluster, node);
            default -> {}
        }
    }

    /** Admission shut; who is to be in the set: again when a member fails, with another number. */
    private void choose(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        boolean first = writer.at == Writer.FENCED;
        boolean again =
                writer.at == Writer.OPEN
                        || writer.at == Writer.PREPARING
                        || writer.at == Writer.CONFIRMING
                        || writer.at == Writer.UNANSWERED
                                && !telling.holds(FailoverRule.SETTLE_FIRST);
        boolean settled = writer.unsettled == 0 || !telling.holds(FailoverRule.SETTLE_FIRST);
        if (cluster.lastNumber == Cluster.EPOCHS
                || !(first || again && settled && cluster.has(Chance.CHANGE))) {
            return;
        }
        int now = writer.at == Writer.OPEN ? writer.set : writer.wanted;
        for (int wanted = 1; wanted <= Cluster.ALL; wanted++) {
            if (Cluster.has(wanted, node) && (first || wanted != now)) {
                Cluster after = first ? telling.change() : telling.with(Chance.CHANGE);
                begin(after, node, wanted);
                telling.then("admission shut: chooses members", Telling.pair(node, wanted), after);
            }
        }
    }

    private void begin(Cluster after, int node, int wanted) {
        Writer writer = after.writers[node];
        writer.at = Writer.PREPARING;
        writer.wanted = wanted;
        writer.number = ++after.lastNumber;
        writer.prepared = writer.confirmed = Cluster.bit(node);
        writer.checked = 0;
        after.epoch(writer.number).before = after.content(writer.epoch, writer.committed);
        if (telling.holds(FailoverRule.PREPARE_SELF)) {
            after.copies[node].next = writer.number;
        }
    }

    private void prepare(Cluster cluster, int node, int member) {
        Writer writer = cluster.writers[node];
        Copy copy = cluster.copies[member];
        if (!telling.listens(cluster, member, writer.term) || copy.session > writer.term) {
            return;
        }
        boolean known =
                copy.syncing == 0 && copy.epoch == writer.epoch || copy.next == writer.epoch;
        if (!Cluster.has(writer.set, member)) {
            join(cluster, node, member);
        } else if (known) {
            Cluster after = telling.change();
            Copy prepared = greeted(after, node, member);
            if (prepared.epoch != writer.epoch) {
                prepared.adoptNext();
            }
            if (prepared.records < writer.committed) {
                // The records it lacks go first: content alone is between two commits.
                if (telling.holds(FailoverRule.EQUALISE)) {
                    prepared.records = writer.committed;
                } else {
                    prepared.mixed = 1;
                }
            }
            prepared.next = writer.number;
            after.writers[node].prepared |= Cluster.bit(member);
            telling.then("prepared", Telling.pair(node, member), after);
        }
    }

    private Copy greeted(Cluster after, int node, int member) {
        Copy copy = after.copies[member];
        int term = after.writers[node].term;
        if (telling.holds(FailoverRule.TERM_IN_HELLO)) {
            copy.term = Math.max(copy.term, term);
        }
        copy.session = term;
        return copy;
    }

    /** A copy that is not in the set gets all content, and is prepared when it has it. */
    private void join(Cluster cluster, int node, int member) {
        Writer writer = cluster.writers[node];
        Copy copy = cluster.copies[member];
        Record record = cluster.record;
        boolean early = !telling.holds(FailoverRule.JOIN_COMPLETE);
        Cluster after = telling.change();
        if (copy.syncing != 0 && copy.session == writer.term) {
            Copy complete = after.copies[member];
            complete.mixed = 0;
            complete.next = writer.number;
            after.writers[node].prepared |= Cluster.bit(member);
            telling.then("copy complete, prepared", Telling.pair(node, member), after);
            return;
        }
        Copy begun = greeted(after, node, member);
        begun.syncing = begun.mixed = begun.asked = 1;
        begun.epoch = begun.records = begun.next = 0;
        if (early) {
            begun.next = writer.number;
            after.writers[node].prepared |= Cluster.bit(member);
        }
        boolean overwrites =
                Cluster.has(record.set, member)
                        && record.term > writer.term
                        && copy.mayBecome(record.number);
        telling.judged(
                "copying begins",
                Telling.pair(node, member),
                after,
                overwrites ? OVERWRITTEN : null);
    }

    private void record(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        Record record = cluster.record;
        if (goesOnWithoutRecord(cluster, writer)) {
            told("goes on without a record", node, record.version, false);
        } else if (record.version == writer.version && telling.trusts(cluster)
                || !telling.holds(FailoverRule.COMPARE)) {
            swap(cluster, node);
        } else if (record.term != writer.term) {
            deposed("the record is another's", node);
        } else {
            // Only a late request of its own can have moved the version within its term.
            boolean thisOne = record.number == writer.number;
            told("reads its late record", node, record.version, !thisOne);
        }
    }

    private void swap(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        Cluster after = telling.change();
        int version = cluster.record.version + 1;
        after.record.set(version, writer.term, node, writer.wanted, writer.number);
        after.writers[node].version = version;
        after.writers[node].at = Writer.RECORDED;
        telling.then("recorded", node, after);
        if (cluster.has(Chance.NO_ANSWER)) {
            Cluster late = telling.with(Chance.NO_ANSWER);
            late.late[node].set(writer.version, writer.term, writer.wanted, writer.number);
            boolean waits = telling.holds(FailoverRule.KNOWN_CAS);
            late.writers[node].at = waits ? Writer.UNANSWERED : Writer.RECORDED;
            late.writers[node].unsettled = waits ? 1 : 0;
            telling.then("NO ANSWER FROM THE STORE", node, late);
        }
    }

    private boolean goesOnWithoutRecord(Cluster cluster, Writer writer) {
        boolean shrinks = cluster.openTerm == writer.term && (writer.set & ~writer.wanted) != 0;
        boolean opens = cluster.openTerm < writer.term;
        return shrinks
                        && (!telling.holds(FailoverRule.RECORD_BEFORE_ACK)
                                || !telling.holds(FailoverRule.NO_LEASE_AS_PROOF))
                || opens && !telling.holds(FailoverRule.RECORD_BEFORE_OPEN);
    }

    /** After no answer: reads what became of the request. */
    private void settle(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        Record record = cluster.record;
        if (record.version == writer.version) {
            Cluster after = telling.change();
            after.writers[node].at = Writer.PREPARING;
            telling.then("not recorded yet: the same again", node, after);
        } else if (record.term == writer.term && record.number == writer.number) {
            told("reads that it is recorded", node, record.version, false);
        } else {
            deposed("reads another's record", node);
        }
    }

    private void told(String event, int node, int version, boolean again) {
        Cluster after = telling.change();
        after.writers[node].version = version;
        after.writers[node].at = again ? Writer.PREPARING : Writer.RECORDED;
        telling.then(event, node, after);
    }

    private void deposed(String event, int node) {
        Cluster after = telling.change();
        after.writers[node].depose();
        telling.then(event, node, after);
    }

    private void switchNumber(int node) {
        Cluster after = telling.change();
        Writer writer = after.writers[node];
        Copy copy = after.copies[node];
        copy.epoch = writer.number;
        copy.records = copy.next = 0;
        writer.enter();
        writer.confirmed = Cluster.bit(node);
        writer.at = Writer.CONFIRMING;
        telling.then("the pool's number is the new one", node, after);
    }

    private void confirm(Cluster cluster, int node) {
        Writer writer = cluster.writers[node];
        for (int member = 0; member < Cluster.NODES; member++) {
            Copy copy = cluster.copies[member];
            if (Cluster.has(writer.wanted & ~writer.confirmed, member)
                    && copy.session == writer.term
                    && copy.next == writer.number) {
                Cluster after = telling.change();
                Copy confirmed = after.copies[member];
                confirmed.adoptNext();
                confirmed.asked = 1;
                if (telling.holds(FailoverRule.JOIN_COMPLETE)) {
                    confirmed.mixed = 0;
                }
                after.writers[node].confirmed |= Cluster.bit(member);
                telling.then("confirmed", Telling.pair(node, member), after);
            }
        }
        if (writer.confirmed == writer.wanted) {
            open(cluster, node);
        }
    }

    private void open(Cluster cluster, int node) {
        Cluster after = telling.change();
        Writer writer = after.writers[node];
        writer.at = Writer.OPEN;
        writer.wanted = writer.number = writer.prepared = writer.confirmed = 0;
        boolean newest = writer.term >= cluster.openTerm;
        int content = cluster.content(writer.epoch, 0);
        if (newest) {
            after.openTerm = writer.term;
            after.openContent = content;
        }
        boolean lost = newest && (cluster.acknowledged & ~content) != 0;
        telling.judged("admission opens", node, after, lost ? LOST : null);
    }
}
