package io.farheap.objects;

import io.farheap.base.FarheapException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A collection of an object whose version has no such field: empty, and not to be changed. In a
 * read that of an object which has none yet, and in an older program that of a newer object, which
 * stays as it is. Once the object has the field it is the collection there.
 */
final class AbsentCollection implements InvocationHandler {
    private static final List<Class<?>> JDK_TYPES =
            List.of(
                    NavigableMap.class,
                    Map.class,
                    NavigableSet.class,
                    Set.class,
                    Deque.class,
                    List.class);

    /** What would change a collection, by name. */
    private static final Pattern CHANGE =
            Pattern.compile(
                    "(put|add|offer|push|pop|poll|take|remove|replace|compute|merge|clear|set|sort"
                            + "|retain|drain|increment|decrement|newOutput)\\w*");

    /** What is no collection of the JDK has nothing. */
    private static final Object NOTHING = new Object();

    private final ObjectSpace space;
    private final long place;
    private final ObjectField field;
    private final Object empty;

    private AbsentCollection(ObjectSpace space, long place, ObjectField field, Object empty) {
        this.space = space;
        this.place = place;
        this.field = field;
        this.empty = empty;
    }

    static Object of(ObjectSpace space, long place, ObjectField field) {
        Class<?> type = field.property().rawType();
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                new AbsentCollection(
                        space, place, field, empty(type, () -> space.changeOfAbsent(field))));
    }

    private static Object empty(Class<?> type, Supplier<FarheapException> change) {
        if (NavigableMap.class.isAssignableFrom(type)) {
            return new NoEntries(change); // whose views are of the types that are declared
        }
        if (Map.class.isAssignableFrom(type)) {
            return Map.of();
        }
        if (NavigableSet.class.isAssignableFrom(type)) {
            return Collections.unmodifiableNavigableSet(new TreeSet<>());
        }
        if (Set.class.isAssignableFrom(type)) {
            return Set.of();
        }
        if (Queue.class.isAssignableFrom(type)) {
            return new ArrayDeque<>(0);
        }
        return List.class.isAssignableFrom(type) ? List.of() : NOTHING;
    }

    /** A map that its views can't be used to change, either. */
    private static final class NoEntries extends ConcurrentSkipListMap<Object, Object> {
        private static final long serialVersionUID = 1L;

        private final transient Supplier<FarheapException> change;

        NoEntries(Supplier<FarheapException> change) {
            this.change = change;
        }

        @Override
        public Object put(Object key, Object value) {
            throw change.get();
        }

        @Override
        public Object putIfAbsent(Object key, Object value) {
            return put(key, value);
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Object present = space.get(place, field);
        boolean isAbsent = isAbsent(present);
        if (isAbsent && CHANGE.matcher(method.getName()).matches()) {
            throw space.changeOfAbsent(field);
        }
        Object target = isAbsent ? empty : present;
        Method ofTarget = isAbsent ? ofEmpty(method) : method;
        try {
            return ofTarget == null
                    ? ofNone(method, arguments)
                    : ofTarget.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static boolean isAbsent(Object collection) {
        return Proxy.isProxyClass(collection.getClass())
                && Proxy.getInvocationHandler(collection) instanceof AbsentCollection;
    }

    /** The same method of an interface that the empty one has, too; null for none. */
    private Method ofEmpty(Method method) {
        if (method.getDeclaringClass() == Object.class) {
            return method;
        }
        for (Class<?> type : JDK_TYPES) {
            if (type.isInstance(empty)) {
                try {
                    return type.getMethod(method.getName(), method.getParameterTypes());
                } catch (NoSuchMethodException e) {
                    continue;
                }
            }
        }
        return null;
    }

    /** What a method that the JDK's collections lack gives for an empty one. */
    private static Object ofNone(Method method, Object[] arguments) {
        Class<?> result = method.getReturnType();
        if (result == boolean.class) {
            return false;
        }
        if (result == InputStream.class) {
            return InputStream.nullInputStream();
        }
        if (result == long.class) {
            return arguments == null ? 0L : arguments[arguments.length - 1];
        }
        throw new UnsupportedOperationException(
                method.getName() + " of a collection that the object does not have yet");
    }
}
