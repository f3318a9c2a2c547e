package io.farheap.objects.type;

import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The records in keys of maps and elements of sets. The hash of such a key lies in the pool, and is
 * made of all its components. What holds a flat record names its version, and changes with it.
 */
final class HashedKeys {
    private static final Pattern KEY = Pattern.compile("(?:map|set)<([^,>]+)[,>].*");
    private static final Pattern RECORD = Pattern.compile("(?:record|sealed) ([^#\\[]+)");

    private HashedKeys() {}

    /** By name of a record, a field that has it in its keys. */
    static Map<String, String> of(List<TypeDescriptor> table) {
        Map<String, String> fields = new HashMap<>();
        Deque<String> waiting = new ArrayDeque<>();
        for (TypeDescriptor type : table) {
            for (Field field : type.fields()) {
                Matcher key = KEY.matcher(field.type());
                if (key.matches()) {
                    add(key.group(1), type.name() + "." + field.name(), fields, waiting);
                }
            }
        }
        while (!waiting.isEmpty()) {
            String name = waiting.remove();
            for (TypeDescriptor type : table) {
                if (type.name().equals(name) && type.kind() == Kind.RECORD) {
                    type.fields()
                            .forEach(one -> add(one.type(), fields.get(name), fields, waiting));
                } else if (type.name().equals(name) && type.kind() == Kind.SEALED) {
                    type.fields()
                            .forEach(
                                    one ->
                                            add(
                                                    "record " + one.name(),
                                                    fields.get(name),
                                                    fields,
                                                    waiting));
                }
            }
        }
        return fields;
    }

    private static void add(
            String type, String field, Map<String, String> fields, Deque<String> waiting) {
        Matcher record = RECORD.matcher(type);
        if (record.lookingAt() && fields.putIfAbsent(record.group(1), field) == null) {
            waiting.add(record.group(1));
        }
    }
}
