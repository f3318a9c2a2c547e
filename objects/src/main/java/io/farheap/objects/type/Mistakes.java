package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The mistakes in a program's types, each a sentence that begins with the place. */
final class Mistakes {
    private final Set<String> sentences = new LinkedHashSet<>();
    private final Set<String> refused = new HashSet<>();

    /** The sentence is the method's name and what follows. */
    void add(Method method, String format, Object... values) {
        add(name(method), format, values);
    }

    void add(String place, String format, Object... values) {
        sentences.add(place + " " + String.format(Locale.ROOT, format, values) + ".");
    }

    /** A type has no mistake, and is refused as it is: that is told elsewhere. */
    void refuse(String place) {
        refused.add(place);
    }

    /** Whether a mistake of a type itself is told: its use is none besides. */
    boolean isToldOf(String place) {
        return refused.contains(place)
                || sentences.stream().anyMatch(sentence -> sentence.startsWith(place + " "));
    }

    static String name(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(
                        Collectors.joining(
                                ", ",
                                method.getDeclaringClass().getSimpleName()
                                        + "."
                                        + method.getName()
                                        + "(",
                                ")"));
    }

    /**
     * @throws FarheapException WRONG_USE with all mistakes, if there are any
     */
    void throwIfAny(String what) {
        if (!sentences.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s%n  %s", what, String.join(System.lineSeparator() + "  ", sentences));
        }
    }
}
