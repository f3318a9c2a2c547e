package io.farheap.testing;

import io.farheap.testing.CrashSimulation.Unsettled;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * A machine at one moment, to make states of: how its durable image differs from an earlier one,
 * and which of its words are not certain.
 */
public final class CrashPoint {
    /** What a medium holds: an earlier image, with these words instead of that image's. */
    public record State(Words durable, Words chosen, long hash) {
        /** Gives it to a machine that is as that earlier image. */
        public void restore(CrashSimulation machine) {
            durable.restore(machine);
            chosen.restore(machine);
        }
    }

    /** Words with their values. */
    public record Words(long[] offsets, long[] values) {
        private void restore(CrashSimulation machine) {
            for (int i = 0; i < offsets.length; i++) {
                machine.restoreWord(offsets[i], values[i]);
            }
        }
    }

    private final MemorySegment base;
    private final List<Unsettled> words;
    private final Words durable;
    private final long durableHash;

    /**
     * @param base the earlier image
     * @param durable how the machine's durable image differs from it
     * @param words what is not certain
     */
    public CrashPoint(MemorySegment base, Words durable, List<Unsettled> words) {
        this.base = base;
        this.durable = durable;
        this.words = words;
        long sum = 0;
        for (int i = 0; i < durable.offsets.length; i++) {
            sum ^= hash(durable.offsets[i], durable.values[i]);
        }
        durableHash = sum;
    }

    /**
     * How a machine's durable image differs from an earlier one: what the machine was restored to
     * last, or a later one of its own.
     */
    public static Words difference(CrashSimulation machine, MemorySegment base) {
        MemorySegment now = machine.durable();
        LongStream.Builder found = LongStream.builder();
        machine.touchedPages()
                .forEach(
                        page ->
                                differing(
                                        base,
                                        now,
                                        machine.pageAt(page),
                                        machine.pageAt(page + 1),
                                        found));
        long[] offsets = found.build().toArray();
        long[] values = new long[offsets.length];
        for (int i = 0; i < offsets.length; i++) {
            values[i] = now.get(ValueLayout.JAVA_LONG, offsets[i]);
        }
        return new Words(offsets, values);
    }

    private static void differing(
            MemorySegment base, MemorySegment now, long from, long to, LongConsumer found) {
        long at = from;
        while (at < to) {
            long same = MemorySegment.mismatch(base, at, to, now, at, to);
            if (same < 0) {
                return;
            }
            at = (at + same) & -8L;
            found.accept(at);
            at += Long.BYTES;
        }
    }

    /** The hash of the state that {@code choice} makes: equal states have equal ones. */
    public long hash(int[] choice) {
        long sum = durableHash;
        for (int i = 0; i < choice.length; i++) {
            if (choice[i] > 0) {
                Unsettled word = words.get(i);
                sum ^= ifChanged(word.offset(), word.values()[0]);
                sum ^= ifChanged(word.offset(), word.values()[choice[i]]);
            }
        }
        return sum;
    }

    /** What the medium holds by {@code choice}, whose hash is {@code hash}. */
    public State state(int[] choice, long hash) {
        int kept = 0;
        for (int index : choice) {
            kept += index > 0 ? 1 : 0;
        }
        long[] offsets = new long[kept];
        long[] values = new long[kept];
        for (int i = 0, to = 0; i < choice.length; i++) {
            if (choice[i] > 0) {
                offsets[to] = words.get(i).offset();
                values[to++] = words.get(i).values()[choice[i]];
            }
        }
        return new State(durable, new Words(offsets, values), hash);
    }

    private long ifChanged(long offset, long value) {
        return value == base.get(ValueLayout.JAVA_LONG, offset) ? 0 : hash(offset, value);
    }

    private static long hash(long offset, long value) {
        long mixed =
                (offset ^ Long.rotateLeft(value * 0x9E3779B97F4A7C15L, 29)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 31) * 0x94D049BB133111EBL + offset;
        return mixed ^ mixed >>> 29;
    }
}
