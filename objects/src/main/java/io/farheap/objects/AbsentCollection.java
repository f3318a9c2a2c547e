package io.farheap.objects;

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
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * In a read, a collection of an object whose version has no such field yet: empty. Outside of the
 * read it is the collection that the object has then.
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
                new AbsentCollection(space, place, field, empty(type)));
    }

    private static Object empty(Class<?> type) {
        if (NavigableMap.class.isAssignableFrom(type)) {
            return Collections.unmodifiableNavigableMap(new TreeMap<>());
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
        return Queue.class.isAssignableFrom(type) ? new EmptyDeque() : List.of();
    }

    /** Refuses what the JDK's other empty collections refuse. */
    private static final class EmptyDeque extends ArrayDeque<Object> {
        private static final long serialVersionUID = 1L;

        EmptyDeque() {
            super(0);
        }

        @Override
        public void addFirst(Object element) {
            throw new UnsupportedOperationException("a read can't change the heap");
        }

        @Override
        public void addLast(Object element) {
            addFirst(element);
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        boolean isInRead = space.current() != null && !space.current().isWriter();
        Object present = isInRead ? proxy : space.get(place, field);
        boolean isAbsent = isInRead || isAbsent(present); // of a replica also outside of reads
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
        if (result == long.class) {
            return arguments == null ? 0L : arguments[arguments.length - 1];
        }
        throw new UnsupportedOperationException(
                method.getName() + " of a collection that the object does not have yet");
    }
}
