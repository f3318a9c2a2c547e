package io.farheap.objects.type;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;

/** The order of a class' methods as its class file has them: reflection promises none. */
final class DeclarationOrder {
    private DeclarationOrder() {}

    /** Keys of the methods in their order; empty where there is no class file to read. */
    static List<String> of(Class<?> type) {
        String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream in = type.getResourceAsStream(file)) {
            if (in == null) {
                return List.of();
            }
            return ClassFile.of().parse(in.readAllBytes()).methods().stream()
                    .map(
                            method ->
                                    method.methodName().stringValue()
                                            + method.methodType().stringValue())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String key(Method method) {
        return method.getName()
                + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                        .toMethodDescriptorString();
    }
}
