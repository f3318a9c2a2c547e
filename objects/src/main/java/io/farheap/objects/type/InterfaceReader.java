package io.farheap.objects.type;

import io.farheap.objects.schema.Named;
import io.farheap.objects.schema.Required;
import io.farheap.objects.schema.SortedBy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the fields of an interface: what its abstract methods get and set. */
final class InterfaceReader {
    private static final Set<String> OF_OBJECT = Set.of("equals", "hashCode", "toString");

    private final Class<?> type;
    private final Mistakes mistakes;
    private final Generics generics;
    private final Map<String, List<Method>> getters = new LinkedHashMap<>();
    private final Map<String, List<Method>> setters = new LinkedHashMap<>();

    private InterfaceReader(Class<?> type, Mistakes mistakes) {
        this.type = type;
        this.mistakes = mistakes;
        this.generics = new Generics(type);
    }

    static List<Property> read(Class<?> type, Mistakes mistakes) {
        return new InterfaceReader(type, mistakes).properties();
    }

    private List<Property> properties() {
        abstractMethods().forEach(this::sort);
        List<Property> properties = new ArrayList<>();
        getters.forEach((name, methods) -> properties.add(property(name, methods)));
        setters.forEach(
                (name, methods) -> {
                    if (!getters.containsKey(name)) {
                        mistakes.add(
                                methods.get(0),
                                "sets %s, which no method gets: add a getter",
                                name);
                    }
                });
        FormerNames.check(properties, mistakes);
        return properties;
    }

    /** Those above first; of one interface in the order of its source where that is known. */
    private List<Method> abstractMethods() {
        Set<Class<?>> interfaces = new LinkedHashSet<>();
        collect(type, interfaces);
        List<Method> methods = new ArrayList<>();
        for (Class<?> one : interfaces) {
            List<String> order = DeclarationOrder.of(one);
            Arrays.stream(one.getDeclaredMethods())
                    .filter(method -> Modifier.isAbstract(method.getModifiers()))
                    .filter(method -> !isOfObject(method) && !hasBody(method))
                    .sorted(
                            Comparator.<Method>comparingInt(
                                            method -> order.indexOf(DeclarationOrder.key(method)))
                                    .thenComparing(Method::getName)
                                    .thenComparing(Method::toGenericString))
                    .forEach(methods::add);
        }
        return methods;
    }

    private static void collect(Class<?> type, Set<Class<?>> into) {
        for (Class<?> above : type.getInterfaces()) {
            collect(above, into);
        }
        into.add(type);
    }

    private static boolean isOfObject(Method method) {
        return OF_OBJECT.contains(method.getName())
                && (method.getParameterCount() == 0
                        || method.getParameterTypes()[0] == Object.class);
    }

    /** Whether an interface further down gives it a default body. */
    private boolean hasBody(Method method) {
        try {
            return type.getMethod(method.getName(), method.getParameterTypes()).isDefault();
        } catch (NoSuchMethodException e) {
            return false; // not public: then it has none
        }
    }

    private void sort(Method method) {
        boolean isVoid = method.getReturnType() == void.class;
        if (method.getTypeParameters().length > 0) {
            mistakes.add(method, "has type parameters of its own, so it is no field");
        } else if (method.getParameterCount() == 0 && !isVoid) {
            getters.computeIfAbsent(getterName(method), name -> new ArrayList<>()).add(method);
        } else if (method.getParameterCount() == 1 && isVoid) {
            setters.computeIfAbsent(beanName(method, "set"), name -> new ArrayList<>()).add(method);
        } else {
            mistakes.add(
                    method,
                    "neither gets a field (no parameter, a result) nor sets one (one parameter, no"
                            + " result): give it a body with default");
        }
    }

    private static String getterName(Method method) {
        boolean isBoolean = method.getReturnType() == boolean.class;
        String name = beanName(method, "get");
        return isBoolean && name.equals(method.getName()) ? beanName(method, "is") : name;
    }

    private static String beanName(Method method, String prefix) {
        String name = method.getName();
        int at = prefix.length();
        boolean isBean =
                name.length() > at
                        && name.startsWith(prefix)
                        && Character.isUpperCase(name.charAt(at));
        if (!isBean) {
            return name;
        }
        boolean isAcronym = name.length() > at + 1 && Character.isUpperCase(name.charAt(at + 1));
        return isAcronym
                ? name.substring(at)
                : Character.toLowerCase(name.charAt(at)) + name.substring(at + 1);
    }

    private Property property(String name, List<Method> ofGet) {
        Method last = ofGet.get(ofGet.size() - 1);
        Type found = generics.resolve(last.getGenericReturnType());
        for (Method one : ofGet) {
            if (!one.getName().equals(last.getName())) {
                mistakes.add(
                        one,
                        "gets %s, and so does %s: keep one of them",
                        name,
                        Mistakes.name(last));
            }
        }
        List<Method> ofSet = setters.getOrDefault(name, List.of());
        Class<?> raw = Generics.raw(found);
        for (Method one : ofSet) {
            Class<?> taken = Generics.raw(generics.resolve(one.getGenericParameterTypes()[0]));
            if (taken != raw) {
                mistakes.add(
                        one,
                        "sets %s where %s gets %s",
                        taken.getSimpleName(),
                        Mistakes.name(last),
                        raw.getSimpleName());
            }
        }
        return new Property(
                name,
                found,
                raw,
                ofGet,
                ofSet,
                formerNames(ofGet),
                isRequired(ofGet),
                sortedBy(ofGet));
    }

    private static Class<?> sortedBy(List<Method> methods) {
        return methods.stream()
                .map(method -> method.getAnnotation(SortedBy.class))
                .filter(sortedBy -> sortedBy != null)
                .<Class<?>>map(SortedBy::value)
                .reduce((above, below) -> below)
                .orElse(null);
    }

    private static List<String> formerNames(List<Method> methods) {
        return methods.stream()
                .map(method -> method.getAnnotation(Named.class))
                .filter(named -> named != null)
                .flatMap(named -> Arrays.stream(named.value()))
                .toList();
    }

    private static boolean isRequired(List<Method> methods) {
        return methods.stream().anyMatch(method -> method.isAnnotationPresent(Required.class));
    }
}
