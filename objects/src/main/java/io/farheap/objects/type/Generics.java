package io.farheap.objects.type;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What the variables of the interfaces above an interface stand for. */
final class Generics {
    private final Map<TypeVariable<?>, Type> arguments = new HashMap<>();

    Generics(Class<?> type) {
        collect(type);
    }

    private void collect(Class<?> type) {
        for (Type above : type.getGenericInterfaces()) {
            if (above instanceof ParameterizedType) {
                ParameterizedType with = (ParameterizedType) above;
                TypeVariable<?>[] variables = raw(with).getTypeParameters();
                for (int i = 0; i < variables.length; i++) {
                    arguments.put(variables[i], with.getActualTypeArguments()[i]);
                }
            }
            collect(raw(above));
        }
    }

    /** The type with its variables replaced; a variable stays where nothing is known of it. */
    Type resolve(Type type) {
        if (type instanceof TypeVariable) {
            Type argument = arguments.get(type);
            return argument == null ? type : resolve(argument);
        }
        if (type instanceof ParameterizedType) {
            ParameterizedType with = (ParameterizedType) type;
            Type[] resolved =
                    Arrays.stream(with.getActualTypeArguments())
                            .map(this::resolve)
                            .toArray(Type[]::new);
            return new Parameterized(raw(with), resolved);
        }
        return type;
    }

    /** The class of a type; Object for one that is not known. */
    static Class<?> raw(Type type) {
        if (type instanceof Class) {
            return (Class<?>) type;
        }
        if (type instanceof ParameterizedType) {
            return (Class<?>) ((ParameterizedType) type).getRawType();
        }
        if (type instanceof GenericArrayType) {
            return raw(((GenericArrayType) type).getGenericComponentType()).arrayType();
        }
        return Object.class;
    }

    /** A type as a program's source has it. */
    static String name(Type type) {
        if (!(type instanceof ParameterizedType)) {
            return type instanceof Class ? ((Class<?>) type).getSimpleName() : type.getTypeName();
        }
        return Arrays.stream(((ParameterizedType) type).getActualTypeArguments())
                .map(Generics::name)
                .collect(Collectors.joining(", ", raw(type).getSimpleName() + "<", ">"));
    }

    /** A type with the arguments that were found for its variables. */
    private record Parameterized(Class<?> raw, Type[] arguments) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return arguments.clone();
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public Type getOwnerType() {
            return raw.getDeclaringClass();
        }
    }
}
