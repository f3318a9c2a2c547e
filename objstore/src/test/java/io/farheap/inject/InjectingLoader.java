package io.farheap.inject;

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

/**
 * Loads Farheap once more, with a call of {@link Injection#hit} at the entry of each method, before
 * each {@code new}, and before threads are put to sleep or woken, of the packages that run
 * transactions.
 *
 * <p>Not at the entry of the few methods by which everything is ended: they need no memory, and
 * their stack was asked for before. What they call is instrumented.
 */
final class InjectingLoader extends ClassLoader {
    private static final Set<String> PACKAGES =
            Set.of(
                    "io.farheap",
                    "io.farheap.base",
                    "io.farheap.pmemobj",
                    "io.farheap.engine",
                    "io.farheap.heap",
                    "io.farheap.ulog",
                    "io.farheap.list",
                    "io.farheap.memory");

    private static final Set<String> ENDS =
            Set.of(
                    "io.farheap.ManualTransaction.close",
                    "io.farheap.list.ListHead.unlock",
                    "io.farheap.engine.LaneTransaction.abort",
                    "io.farheap.engine.LaneTransaction.abortLevel",
                    "io.farheap.engine.PoolEngine.unpin",
                    "io.farheap.engine.LaneAssignment.unpin",
                    "io.farheap.engine.LaneAssignment.release",
                    "io.farheap.engine.LanePool.release",
                    "io.farheap.engine.ActionList.cancel",
                    "io.farheap.engine.StackReserve.require");

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
        if (PACKAGES.contains(name.substring(0, name.lastIndexOf('.')))) {
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
                                        hits(where, !ENDS.contains(where))));
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
