package io.farheap.objects.type;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;

/**
 * A field as an interface declares it, or a component of a record.
 *
 * @param type with its arguments; no variable is left in it
 * @param rawType the same without arguments
 * @param getters at least one; more where interfaces above declare it with other types
 * @param setters none, or more, likewise
 * @param formerNames what it was called before
 * @param sortedBy the class of a comparator; null for none
 */
public record Property(
        String name,
        Type type,
        Class<?> rawType,
        List<Method> getters,
        List<Method> setters,
        List<String> formerNames,
        boolean isRequired,
        Class<?> sortedBy) {}
