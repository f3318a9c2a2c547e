package io.farheap.tools.placement;

import io.farheap.base.FarheapException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where the copies of a pool go that is not there yet.
 *
 * @param pool its name
 * @param machines one for each copy; the first one is its writer's place
 * @param leftOut machines that take no copy of it, with the reason
 */
public record NewPool(String pool, List<Machine> machines, Map<String, String> leftOut) {
    /** Copies what may change. */
    public NewPool {
        machines = List.copyOf(machines);
        leftOut = new LinkedHashMap<>(leftOut);
    }

    /**
     * Places each of them, in this order: what one takes is not there for the next.
     *
     * @throws FarheapException WRONG_USE where the machines have fewer labels than there are to be
     *     copies, ENVIRONMENT where fewer of them can take a copy: never are there fewer copies
     */
    public static List<NewPool> place(
            List<String> names, List<Machine> machines, PlacementRules rules) {
        requireLabels(machines, rules);
        Rooms rooms = new Rooms(rules);
        List<NewPool> placed = new ArrayList<>();
        for (String name : names) {
            Map<String, String> leftOut = rooms.leftOut(machines);
            List<Contender> contenders = new ArrayList<>();
            for (Machine machine : machines) {
                if (!leftOut.containsKey(machine.node())) {
                    double score = Rendezvous.score(name, machine.node(), machine.claim(0));
                    contenders.add(new Contender(machine, score));
                }
            }
            List<Machine> chosen = Contender.best(contenders, rules.copies(), rules);
            if (chosen.size() < rules.copies()) {
                throw FarheapException.environment(
                        "%s: no place for %s: %s%s; nothing is placed",
                        name,
                        rules.apart(rules.copies()),
                        Contender.shortage(contenders, rules),
                        reasons(leftOut));
            }
            chosen.forEach(rooms::plan);
            placed.add(new NewPool(name, chosen, leftOut));
        }
        return placed;
    }

    private static void requireLabels(List<Machine> machines, PlacementRules rules) {
        List<String> labels =
                machines.stream()
                        .map(rules::labelOf)
                        .filter(Objects::nonNull)
                        .distinct()
                        .sorted()
                        .toList();
        if (labels.size() < rules.copies()) {
            throw FarheapException.wrongUse(
                    "for %s there are %d %s (%s): name more machines, or ask for fewer copies",
                    rules.apart(rules.copies()),
                    labels.size(),
                    rules.kinds(),
                    labels.isEmpty() ? "none" : String.join(", ", labels));
        }
    }

    private static String reasons(Map<String, String> leftOut) {
        StringBuilder text = new StringBuilder();
        leftOut.forEach((node, why) -> text.append("; ").append(node).append(": ").append(why));
        return text.toString();
    }
}
