package io.farheap.objects;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Full access to the package of an interface, as hidden classes need it. What another module gets
 * by {@code opens} is less; so a small class of that package, defined there once, gives its own.
 */
final class PackageLookup {
    private static final String NAME = "Farheap$Lookup";
    private static final String METHOD = "lookup";

    private PackageLookup() {}

    static MethodHandles.Lookup of(Class<?> type) throws Throwable {
        MethodHandles.Lookup opened = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        if (opened.hasFullPrivilegeAccess()) {
            return opened;
        }
        return (MethodHandles.Lookup)
                opened.findStatic(
                                giver(opened, type),
                                METHOD,
                                MethodType.methodType(MethodHandles.Lookup.class))
                        .invokeExact();
    }

    private static Class<?> giver(MethodHandles.Lookup opened, Class<?> type)
            throws IllegalAccessException, ClassNotFoundException {
        String prefix = type.getPackageName().isEmpty() ? "" : type.getPackageName() + ".";
        try {
            return opened.defineClass(bytes(ClassDesc.of(prefix + NAME)));
        } catch (LinkageError e) { // another heap has defined it
            return Class.forName(prefix + NAME, false, type.getClassLoader());
        }
    }

    private static byte[] bytes(ClassDesc name) {
        MethodTypeDesc method =
                MethodType.methodType(MethodHandles.Lookup.class).describeConstable().orElseThrow();
        ClassDesc handles = MethodHandles.class.describeConstable().orElseThrow();
        return ClassFile.of()
                .build(
                        name,
                        builder ->
                                builder.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                                        .withMethodBody(
                                                METHOD,
                                                method,
                                                ClassFile.ACC_STATIC,
                                                code ->
                                                        code.invokestatic(handles, "lookup", method)
                                                                .areturn()));
    }
}
