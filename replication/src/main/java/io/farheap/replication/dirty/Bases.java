package io.farheap.replication.dirty;

import io.farheap.replication.control.SlotReport;
import java.util.ArrayList;
import java.util.List;

/**
 * The numbers in which a replica's content was the pool's, and the last record of each that the
 * replica is known to have had. A number by itself tells epochs apart, not two moments of one:
 * files that were put back to an earlier moment have the number and lack records
 * (docs/protocol.md#base-sequence). Immutable.
 */
public final class Bases {
    /** More of them say no more; the first one stays. */
    public static final int MOST = 8;

    public static final Bases NONE = new Bases(List.of());

    private final List<Base> all;

    private record Base(long number, long sequence) {}

    private Bases(List<Base> all) {
        this.all = List.copyOf(all);
    }

    /** Nothing is known of records in these numbers. */
    public static Bases of(long... numbers) {
        Bases bases = NONE;
        for (long number : numbers) {
            bases = bases.with(number, 0);
        }
        return bases;
    }

    /** One more, whose last known record is {@code sequence}. */
    Bases with(long number, long sequence) {
        List<Base> more = new ArrayList<>(all);
        if (more.size() == MOST) {
            more.remove(1);
        }
        more.add(new Base(number, sequence));
        return new Bases(more);
    }

    /** One more, of whose records nothing is known yet. */
    public Bases with(long number) {
        return with(number, 0);
    }

    /** The replica is known to have had a record of a number; of another number: nothing new. */
    public Bases reached(long number, long sequence) {
        List<Base> raised = new ArrayList<>(all);
        raised.replaceAll(
                base ->
                        base.number == number && base.sequence < sequence
                                ? new Base(number, sequence)
                                : base);
        return raised.equals(all) ? this : new Bases(raised);
    }

    /** The last record of a number that the replica is known to have had; 0: none. */
    public long sequenceIn(long number) {
        return all.stream()
                .filter(base -> base.number == number)
                .mapToLong(Base::sequence)
                .max()
                .orElse(0);
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    int size() {
        return all.size();
    }

    long number(int index) {
        return all.get(index).number;
    }

    long sequence(int index) {
        return all.get(index).sequence;
    }

    /** The last one's. */
    long lastNumber() {
        return all.getLast().number;
    }

    public List<Long> numbers() {
        return all.stream().map(Base::number).toList();
    }

    /** Whether a replica has what it had in one of them. */
    public boolean isOneOf(SlotReport slot) {
        return all.stream().anyMatch(base -> slot.has(base.number, base.sequence));
    }

    @Override
    public String toString() {
        return all.toString();
    }
}
