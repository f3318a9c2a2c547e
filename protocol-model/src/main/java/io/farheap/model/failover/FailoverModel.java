package io.farheap.model.failover;

import io.farheap.model.Bits;
import io.farheap.model.Explorer;
import io.farheap.model.Explorer.Result;
import io.farheap.model.Model;
import io.farheap.model.failover.Cluster.Copy;
import io.farheap.model.failover.Cluster.Record;
import io.farheap.model.failover.FailoverBounds.Chance;
import java.util.EnumSet;
import java.util.Set;

/** Automatic fail-over within some bounds, less the rules that are removed. */
final class FailoverModel implements Model {
    private static final int MOST_STATES = 20_000_000;
    private static final String[] AT = {
        "-",
        "named",
        "fenced",
        "preparing",
        "unanswered",
        "recorded",
        "confirming",
        "OPEN",
        "deposed"
    };

    private final FailoverBounds bounds;
    private final int longs;
    private final Cluster cluster = new Cluster();
    private final Telling telling;
    private final OpenAdmission openAdmission;
    private final SetChange setChange;
    private final TakeOver takeOver;
    private final Mishaps mishaps;

    private FailoverModel(FailoverBounds bounds, Set<FailoverRule> removed) {
        this.bounds = bounds;
        Bits counting = Bits.counting();
        cluster.fields(counting);
        this.longs = counting.longs();
        this.telling = new Telling(bounds, removed, longs);
        this.openAdmission = new OpenAdmission(telling);
        this.setChange = new SetChange(telling);
        this.takeOver = new TakeOver(telling);
        this.mishaps = new Mishaps(telling);
    }

    static Result explore(FailoverBounds bounds) {
        return explore(bounds, EnumSet.noneOf(FailoverRule.class));
    }

    /** Without one rule, within the bounds that show it. */
    static Result without(FailoverRule rule) {
        return explore(rule.bounds(), EnumSet.of(rule));
    }

    private static Result explore(FailoverBounds bounds, Set<FailoverRule> removed) {
        Model model = new FailoverModel(bounds, removed);
        return new Explorer(model, bounds.live(), MOST_STATES).explore();
    }

    @Override
    public int longs() {
        return longs;
    }

    /** The first node writes, with open admission; who is not in the set has no content. */
    @Override
    public void initial(long[] state) {
        Cluster first = new Cluster();
        first(first.record, bounds);
        first.lastNumber = first.openTerm = 1;
        for (int node = 0; node < Cluster.NODES; node++) {
            Copy copy = first.copies[node];
            boolean member = node < bounds.members();
            copy.syncing = member ? 0 : 1;
            copy.epoch = copy.session = member ? 1 : 0;
            copy.term = copy.asked = 1;
        }
        Writer writer = first.writers[0];
        writer.at = Writer.OPEN;
        writer.term = writer.version = writer.epoch = 1;
        writer.set = first.record.set;
        for (Chance chance : Chance.values()) {
            first.left[chance.ordinal()] = bounds.most()[chance.ordinal()];
        }
        first.fields(Bits.writing(state));
    }

    static void first(Record record, FailoverBounds bounds) {
        record.set(1, 1, 0, (1 << bounds.members()) - 1, 1);
    }

    @Override
    public void next(long[] state, Events events) {
        cluster.fields(Bits.reading(state));
        telling.begin(state, events);
        for (int node = 0; node < Cluster.NODES; node++) {
            openAdmission.events(cluster, node);
            takeOver.events(cluster, node);
            setChange.events(cluster, node);
            mishaps.events(cluster, node);
        }
        mishaps.events(cluster);
    }

    /** The writer of the record has open admission, or nobody may take over within the bounds. */
    @Override
    public boolean isDone(long[] state) {
        cluster.fields(Bits.reading(state));
        for (Writer writer : cluster.writers) {
            if (writer.at == Writer.OPEN && writer.term == cluster.record.term) {
                return true;
            }
        }
        return !cluster.has(Chance.TAKE_OVER);
    }

    @Override
    public String show(long[] state) {
        Cluster shown = new Cluster();
        shown.fields(Bits.reading(state));
        Record record = shown.record;
        StringBuilder line =
                new StringBuilder(
                        String.format(
                                "record v%d: term %d, writer %d, set %s, number %d",
                                record.version,
                                record.term,
                                record.writer,
                                set(record.set),
                                record.number));
        for (int node = 0; node < Cluster.NODES; node++) {
            Copy copy = shown.copies[node];
            line.append(
                    String.format(
                            " | %d %s term %d %s%d+%d",
                            node,
                            AT[shown.writers[node].at],
                            copy.term,
                            copy.syncing != 0 ? "SYNCING " : "",
                            copy.epoch,
                            copy.records));
            line.append(copy.next == 0 ? "" : " next " + copy.next);
            line.append(" has ").append(set(shown.content(copy.epoch, copy.records)));
        }
        return line.append(" | returned ").append(set(shown.acknowledged)).toString();
    }

    private static String set(int set) {
        StringBuilder members = new StringBuilder("{");
        for (int i = 0; i < Cluster.NODES; i++) {
            if (Cluster.has(set, i)) {
                members.append(members.length() > 1 ? " " : "").append(i);
            }
        }
        return members.append('}').toString();
    }
}
