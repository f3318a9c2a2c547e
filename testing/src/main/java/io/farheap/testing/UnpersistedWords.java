package io.farheap.testing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * The 8-byte words of an image whose content after a power loss is not certain: for each the values
 * it was given, in order, since the one that is durable for sure.
 *
 * <p>Not thread-safe.
 */
final class UnpersistedWords {
    private final MemorySegment image;
    private final MemorySegment durable;
    private final LongConsumer found;
    private final TreeMap<Long, Word> words = new TreeMap<>();

    /** One word; what was flushed of it is named by how many values it had been given by then. */
    static final class Word {
        final long offset;
        private final List<Long> values = new ArrayList<>(2);

        /** How many values were given to it before the first that is still in the list. */
        private long settled;

        private Word(long offset) {
            this.offset = offset;
        }

        private long given() {
            return settled + values.size();
        }
    }

    /** A word as it was when some thread flushed it; which flush it was. */
    record Flushed(Word word, long given, int flush) {
        long value() {
            return word.values.get((int) (given - word.settled) - 1);
        }

        boolean isUnsettled() {
            return given > word.settled;
        }
    }

    /**
     * @param found called for each word that becomes unsettled
     */
    UnpersistedWords(MemorySegment image, MemorySegment durable, LongConsumer found) {
        this.image = image;
        this.durable = durable;
        this.found = found;
    }

    /** Takes note of what {@code [from, to)} holds now; both are multiples of 8. */
    void note(long from, long to) {
        if (to - from == Long.BYTES) {
            noteWord(from);
            return;
        }
        for (long known : List.copyOf(words.subMap(from, to).keySet())) {
            noteWord(known);
        }
        long at = from;
        while (at < to) {
            long same = MemorySegment.mismatch(image, at, to, durable, at, to);
            if (same < 0) {
                return;
            }
            at = (at + same) & -8L;
            noteWord(at);
            at += Long.BYTES;
        }
    }

    private void noteWord(long offset) {
        long value = image.get(ValueLayout.JAVA_LONG, offset);
        Word word = words.get(offset);
        if (word == null) {
            if (value == durable.get(ValueLayout.JAVA_LONG, offset)) {
                return;
            }
            word = new Word(offset);
            words.put(offset, word);
            found.accept(offset);
        } else if (word.values.get(word.values.size() - 1) == value) {
            return;
        }
        word.values.add(value);
    }

    /** The unsettled words of a range as they are now, added to {@code flushed}. */
    void flush(long from, long to, int flush, Collection<Flushed> flushed) {
        for (Word word : words.subMap(from, to).values()) {
            flushed.add(new Flushed(word, word.given(), flush));
        }
    }

    /** Makes what was flushed durable. */
    void settle(Flushed flushed) {
        if (!flushed.isUnsettled()) {
            return;
        }
        Word word = flushed.word;
        durable.set(ValueLayout.JAVA_LONG, word.offset, flushed.value());
        word.values.subList(0, (int) (flushed.given - word.settled)).clear();
        word.settled = flushed.given;
        if (word.values.isEmpty()) {
            words.remove(word.offset);
        }
    }

    /** Each word with the values it may have: the durable one, then the later ones in order. */
    List<CrashSimulation.Unsettled> list() {
        List<CrashSimulation.Unsettled> list = new ArrayList<>(words.size());
        for (Word word : words.values()) {
            long[] values = new long[1 + word.values.size()];
            values[0] = durable.get(ValueLayout.JAVA_LONG, word.offset);
            for (int i = 1; i < values.length; i++) {
                values[i] = word.values.get(i - 1);
            }
            list.add(new CrashSimulation.Unsettled(word.offset, values));
        }
        return list;
    }

    int count() {
        return words.size();
    }

    void clear() {
        words.clear();
    }
}
