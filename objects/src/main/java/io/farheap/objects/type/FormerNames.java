package io.farheap.objects.type;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names that fields had before: a stored field is one field of the program, and no two. */
final class FormerNames {
    private FormerNames() {}

    /** Adds a mistake for each former name that another of the fields has or had. */
    static void check(List<Property> properties, Mistakes mistakes) {
        Map<String, Property> byName = new HashMap<>();
        properties.forEach(property -> byName.put(property.name(), property));
        Map<String, Property> byFormer = new HashMap<>();
        for (Property property : properties) {
            for (String former : Set.copyOf(property.formerNames())) {
                Property now = byName.get(former);
                if (now != null && now != property && areOfOneType(now, property)) {
                    add(mistakes, property, former, "which %s is now", now);
                }
                Property before = byFormer.putIfAbsent(former, property);
                if (before != null && areOfOneType(before, property)) {
                    add(mistakes, property, former, "and so was %s", before);
                }
            }
        }
    }

    /** Of two types that another one extends, a pool may have had both fields ever since. */
    private static boolean areOfOneType(Property one, Property other) {
        return one.getters().get(0).getDeclaringClass()
                == other.getters().get(0).getDeclaringClass();
    }

    private static void add(
            Mistakes mistakes, Property one, String former, String how, Property other) {
        mistakes.add(
                place(one),
                "was %s before, %s: in older objects and records both would be the same field."
                        + " Give the newer one another name",
                former,
                String.format(how, place(other)));
    }

    private static String place(Property property) {
        return Mistakes.name(property.getters().get(0));
    }
}
