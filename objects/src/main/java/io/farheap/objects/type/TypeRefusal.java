package io.farheap.objects.type;

import io.farheap.objects.type.TypeDescriptor.Field;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A changed type that the pool's values can't follow, both shapes side by side. */
final class TypeRefusal {
    private static final String LINE = "%n    %-38s %-38s%s";

    private TypeRefusal() {}

    /**
     * @param reasons by name of a field
     */
    static String of(TypeDescriptor stored, TypeDescriptor program, Map<String, String> reasons) {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        "%s has changed, and what is in the pool can't follow:", stored.name()));
        text.append(
                String.format(
                        LINE, "in the pool, version " + stored.version(), "in this program", ""));
        Set<String> names = new LinkedHashSet<>();
        stored.fields().forEach(field -> names.add(field.name()));
        program.fields().forEach(field -> names.add(field.name()));
        for (String name : names) {
            String reason = reasons.get(name);
            text.append(
                    String.format(
                            LINE,
                            shown(stored.field(name)),
                            shown(program.field(name)),
                            reason == null ? "" : "<- " + reason));
        }
        return text.toString()
                .lines()
                .map(String::stripTrailing)
                .reduce((a, b) -> a + "\n" + b)
                .orElseThrow();
    }

    private static String shown(Field field) {
        if (field == null) {
            return "-";
        }
        List<String> words = new ArrayList<>(List.of(field.name()));
        words.add(field.type());
        if (field.nullBit() >= 0) {
            words.add("or null");
        }
        if (field.isRequired()) {
            words.add("required");
        }
        return String.join(" ", words);
    }
}
