package io.farheap.testing.inject;

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
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Loads Farheap once more, with a call of {@link Injection#hit} at the entry of each method, before
 * each {@code new}, and before threads are put to sleep or woken, of chosen classes.
 */
public final class InjectingLoader extends ClassLoader {
    private static final ClassDesc INJECTION = ClassDesc.of(Injection.class.getName());
    private static final ClassDesc SLEEP = ClassDesc.of(LockSupport.class.getName());
    private static final MethodTypeDesc HIT =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    private final Predicate<String> instrumented;
    private final Set<String> ends;

    private final ClassFile files =
            ClassFile.of(
                    ClassFile.ClassHierarchyResolverOption.of(
                            ClassHierarchyResolver.ofResourceParsing(getParent())
                                    .orElse(ClassHierarchyResolver.defaultResolver())));

    /**
     * @param instrumented whether a class meets errors, by its name
     * @param ends methods ({@code package.Class.method}) by which everything is ended: they need no
     *     memory, their stack was asked for before, and so no error comes at their entry. What they
     *     call is instrumented
     */
    public InjectingLoader(Predicate<String> instrumented, Set<String> ends) {
        super(InjectingLoader.class.getClassLoader());
        this.instrumented = instrumented;
        this.ends = ends;
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
        if (instrumented.test(name)) {
            bytes = instrumented(files.parse(bytes), name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] instrumented(ClassModel model, String name) {
        return files.transformClass(
                model,
                (builder, element) -> {
                    if (element instanceof MethodModel method
                            && !method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME)) {
                        String where = name + "." + method.methodName().stringValue();
                        builder.transformMethod(
                                method,
                                MethodTransform.transformingCode(
                                        hits(where, !ends.contains(where))));
                    } else {
                        builder.with(element);
                    }
                });
    }

    private static CodeTransform hits(String where, boolean entry) {
        return new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                if (entry) {
                    hit(code);
                }
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
