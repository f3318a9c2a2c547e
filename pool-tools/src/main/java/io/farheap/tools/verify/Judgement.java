package io.farheap.tools.verify;

import io.farheap.replication.control.ByteRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which of the copies that must be equal is right. A copy whose own structure is damaged is wrong
 * where others' is not; among the rest those win that agree, if they are two at least and more than
 * any others that agree. Else bytes alone don't tell.
 *
 * @param right places in the poolset file; empty: it can't be told
 * @param wrong places in the poolset file
 * @param why how it was told, or why not
 */
record Judgement(List<Integer> right, List<Integer> wrong, String why) {

    /**
     * A copy that must be equal to the others.
     *
     * @param place its place in the poolset file
     * @param copy its content
     * @param differs where it differs from the reference; empty: it is equal to it
     * @param damage what is wrong with its structure, or null
     */
    record Voter(int place, Copy copy, List<ByteRange> differs, String damage) {
        private List<Object> content() {
            List<Object> content = new ArrayList<>(differs);
            for (ByteRange range : differs) {
                long chunk = Math.max(64, range.length());
                content.add(copy.sums(range.offset(), range.length(), chunk)[0]);
            }
            return content;
        }
    }

    static Judgement of(List<Voter> voters) {
        List<Voter> sound = voters.stream().filter(voter -> voter.damage() == null).toList();
        Map<List<Object>, List<Integer>> parties = new LinkedHashMap<>();
        for (Voter voter : sound) {
            parties.computeIfAbsent(voter.content(), content -> new ArrayList<>())
                    .add(voter.place());
        }
        List<List<Integer>> bySize =
                parties.values().stream()
                        .sorted((a, b) -> Integer.compare(b.size(), a.size()))
                        .toList();
        List<Integer> damaged =
                voters.stream().filter(v -> v.damage() != null).map(Voter::place).toList();
        if (sound.isEmpty()) {
            return new Judgement(List.of(), damaged, "no copy that could be compared is sound");
        }
        if (bySize.size() == 1) {
            return new Judgement(bySize.get(0), damaged, damagedText(damaged));
        }
        boolean majority =
                bySize.size() > 1
                        && bySize.get(0).size() > 1
                        && bySize.get(0).size() > bySize.get(1).size();
        if (!majority) {
            return new Judgement(
                    List.of(),
                    damaged,
                    "which copy is right can't be told from their bytes: of those here none is"
                            + " damaged in its structure, and there is no majority of equal ones");
        }
        List<Integer> wrong = new ArrayList<>(damaged);
        bySize.stream().skip(1).forEach(wrong::addAll);
        return new Judgement(
                bySize.get(0), wrong, bySize.get(0).size() + " copies agree: the others are wrong");
    }

    private static String damagedText(List<Integer> damaged) {
        return damaged.isEmpty() ? "all of them are equal" : "the copies without damage are right";
    }
}
