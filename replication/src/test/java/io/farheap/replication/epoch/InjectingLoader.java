package io.farheap.replication.epoch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Loads Farheap once more, with a call of {@link Injection#hit} at the entry of each method, before
 * each {@code new}, and before threads are put to sleep or woken, of the packages that attach
 * replicas; what tests lay into these packages is as it was.
 */
final class InjectingLoader extends ClassLoader {
    private static final String REPLICATION = "io.farheap.replication";

    private static final Set<String> PACKAGES =
            Set.of(
                    REPLICATION,
                    REPLICATION + ".config",
                    REPLICATION + ".control",
                    REPLICATION + ".dirty",
                    REPLICATION + ".epoch",
                    REPLICATION + ".fabric",
                    REPLICATION + ".fabric.tcp",
                    REPLICATION + ".journal",
                    REPLICATION + ".scrub",
                    REPLICATION + ".session",
                    REPLICATION + ".stream");

    private static final ClassDesc INJECTION = ClassDesc.of(Injection.class.getName());
    private static final ClassDesc SLEEP = ClassDesc.of(LockSupport.class.getName());
    private static final MethodTypeDesc HIT =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    private final ClassFile files =
            ClassFile.of(
                    ClassFile.ClassHierarchyResolverOption.of(
                            ClassHierarchyResolver.ofResourceParsing(getParent())
                                    .orElse(ClassHierarchyResolver.defaultResolver())));

    InjectingLoader() {
        super(InjectingLoader.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("io.farheap.") || name.equals(Injection.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes;
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            bytes = in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (PACKAGES.contains(name.substring(0, name.lastIndexOf('.'))) && !isOfTests(name)) {
            bytes = instrumented(files.parse(bytes), name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private boolean isOfTests(String name) {
        URL tests = InjectingLoader.class.getProtectionDomain().getCodeSource().getLocation();
        return getParent()
                .getResource(name.replace('.', '/') + ".class")
                .toString()
                .startsWith(tests.toString());
    }

    private byte[] instrumented(ClassModel model, String name) {
        return files.transformClass(
                model,
                (builder, element) -> {
                    if (element instanceof MethodModel method
                            && !method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME)) {
                        String where = name + "." + method.methodName().stringValue();
                        builder.transformMethod(
                                method, MethodTransform.transformingCode(hits(where)));
                    } else {
                        builder.with(element);
                    }
                });
    }

    private static CodeTransform hits(String where) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                hit(code);
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                if (element instanceof NewObjectInstruction
                        || element instanceof NewPrimitiveArrayInstruction
                        || element instanceof NewReferenceArrayInstruction
                        || element instanceof InvokeInstruction call
                                && call.owner().asSymbol().equals(SLEEP)) {
                    hit(code);
                }
                code.with(element);
            }

            private void hit(CodeBuilder code) {
                code.ldc(where).invokestatic(INJECTION, "hit", HIT);
            }
        };
    }
}
