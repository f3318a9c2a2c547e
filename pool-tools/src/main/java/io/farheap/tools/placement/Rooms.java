package io.farheap.tools.placement;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the machines still take: each copy that is planned takes of it. */
final class Rooms {
    private static final double GIB = 1L << 30;

    private final PlacementRules rules;
    private final Map<String, Long> planned = new HashMap<>();

    Rooms(PlacementRules rules) {
        this.rules = rules;
    }

    void plan(Machine machine) {
        if (machine.room() != null) {
            planned.merge(machine.node(), rules.size(), Long::sum); // it has room for it
        }
    }

    /** Whether a machine takes a copy that it does not have yet. */
    boolean takes(Machine machine) {
        return rules.labelOf(machine) != null
                && !machine.isRetired()
                && machine.silence().isEmpty()
                && machine.hasClaim()
                && (machine.room() == null || isFree(machine));
    }

    private boolean isFree(Machine machine) {
        return machine.room() - planned(machine) - rules.margin() >= rules.size();
    }

    private long planned(Machine machine) {
        return planned.getOrDefault(machine.node(), 0L);
    }

    /** Why a machine takes no copy that it does not have yet; empty: it does. */
    String refusal(Machine machine) {
        if (takes(machine)) {
            return "";
        }
        if (rules.labelOf(machine) == null) {
            return "it has no label " + rules.spread();
        }
        if (machine.isRetired()) {
            return "its weight is 0";
        }
        if (!machine.silence().isEmpty()) {
            return "its agent does not answer: " + machine.silence();
        }
        if (machine.room() == null) {
            return "how much is free there is not known, and it has no weight";
        }
        long taken = planned(machine);
        return String.format(
                "%s are free%s, and a copy takes %s with the margin",
                text(machine.room()),
                taken == 0 ? "" : ", of which the copies above take " + text(taken),
                text((double) rules.size() + rules.margin()));
    }

    /** Those that take none, and why. */
    Map<String, String> leftOut(List<Machine> machines) {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (Machine machine : machines) {
            String why = refusal(machine);
            if (!why.isEmpty()) {
                reasons.put(machine.node(), why);
            }
        }
        return reasons;
    }

    /** Bytes for a person. */
    static String text(double bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / GIB);
    }
}
