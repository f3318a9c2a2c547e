package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The commits that returned, on all nodes, and what must be so then. Thread-safe. */
final class Acknowledgements {
    private final List<One> all = new ArrayList<>();

    /** A commit that returned; times of the machine's monotonic clock. */
    record One(String node, long number, long term, long begun, long returned) {}

    /**
     * @param words as a {@link TurnProgram} says them
     */
    void add(String node, String[] words) {
        One one =
                new One(
                        node,
                        Long.parseLong(words[1]),
                        Long.parseLong(words[2]),
                        Long.parseLong(words[3]),
                        Long.parseLong(words[4]));
        synchronized (all) {
            all.add(one);
        }
    }

    /** The last one. */
    One last() {
        synchronized (all) {
            return all.get(all.size() - 1);
        }
    }

    int count() {
        synchronized (all) {
            return all.size();
        }
    }

    List<One> all() {
        synchronized (all) {
            return List.copyOf(all);
        }
    }

    /** The longest time between two commits since then. */
    Duration longestGapSince(long nanos) {
        long before = nanos;
        long longest = 0;
        for (One one : all()) {
            if (one.returned() > nanos) {
                longest = Math.max(longest, one.returned() - before);
                before = Math.max(before, one.returned());
            }
        }
        return Duration.ofNanos(longest);
    }

    /**
     * Each acknowledged number once, in the order of terms, none begun when a later writer had
     * acknowledged; and all of them, with the terms they were acknowledged in, are in this content.
     *
     * @param acknowledged before the content was asked for
     */
    static void judge(List<One> acknowledged, String content) {
        List<One> all = new ArrayList<>(acknowledged);
        all.sort(Comparator.comparingLong(One::number));
        assertThat(all).extracting(One::number).doesNotHaveDuplicates();
        assertThat(all).extracting(One::term).isSorted();
        Map<Long, String> writers = new HashMap<>();
        TreeMap<Long, Long> firstReturns = new TreeMap<>();
        TreeMap<Long, Long> lastBegins = new TreeMap<>();
        for (One one : all) {
            assertThat(writers.computeIfAbsent(one.term(), term -> one.node()))
                    .as("who has %s", one)
                    .isEqualTo(one.node());
            firstReturns.merge(one.term(), one.returned(), Math::min);
            lastBegins.merge(one.term(), one.begun(), Math::max);
        }
        long later = Long.MAX_VALUE;
        for (long term : firstReturns.descendingKeySet()) {
            assertThat(lastBegins.get(term))
                    .as("term %s goes on when a later one has acknowledged", term)
                    .isLessThan(later);
            later = Math.min(later, firstReturns.get(term));
        }
        assertThat(content).doesNotContain("hole");
        TreeMap<Long, Long> termsByLast = new TreeMap<>();
        String[] words = content.split(" ");
        for (int i = 1; i < words.length; i++) {
            String[] range = words[i].split("[:-]");
            termsByLast.put(Long.parseLong(range[2]), Long.parseLong(range[0]));
        }
        assertThat(all)
                .as("with their terms in %s", content)
                .allMatch(
                        one -> {
                            Map.Entry<Long, Long> range = termsByLast.ceilingEntry(one.number());
                            return range != null && range.getValue() == one.term();
                        });
    }
}
