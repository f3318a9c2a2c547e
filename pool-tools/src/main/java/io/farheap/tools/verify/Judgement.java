package io.farheap.tools.verify;

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
     * @param content what it holds where it differs from the reference
     * @param damage what is wrong with its structure, or null
     */
    record Voter(int place, Content content, String damage) {}

    static Judgement of(List<Voter> voters) {
        List<Voter> sound = voters.stream().filter(voter -> voter.damage() == null).toList();
        Map<Content, List<Integer>> parties = new LinkedHashMap<>();
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
            return new Judgement(
                    List.of(),
                    damaged,
                    damaged.size() == 1
                            ? damagedText(damaged)
                            : "each of them is damaged in its structure");
        }
        if (bySize.size() == 1) {
            return new Judgement(bySize.get(0), damaged, damagedText(damaged));
        }
        boolean majority = bySize.get(0).size() > 1 && bySize.get(0).size() > bySize.get(1).size();
        if (!majority) {
            return new Judgement(
                    List.of(),
                    damaged,
                    "the structure of those here is sound, and there is no majority of equal ones");
        }
        List<Integer> wrong = new ArrayList<>(damaged);
        bySize.stream().skip(1).forEach(wrong::addAll);
        return new Judgement(bySize.get(0), wrong, bySize.get(0).size() + " copies agree");
    }

    private static String damagedText(List<Integer> damaged) {
        if (damaged.isEmpty()) {
            return "all of them are equal";
        }
        return damaged.size() == 1 ? "its structure is damaged" : "their structures are damaged";
    }
}
