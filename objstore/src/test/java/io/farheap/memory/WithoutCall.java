package io.farheap.memory;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/** The product's classes once more, one call left out in one method. */
final class WithoutCall extends ClassLoader {
    private static final ClassDesc CHECKPOINTER = ClassDesc.of("io.farheap.memory.Checkpointer");
    private static final ClassDesc JOURNAL = ClassDesc.of("io.farheap.memory.DiskJournal");

    private final String owner;
    private final String method;
    private final String called;

    /**
     * @param owner class that calls, as {@code io/farheap/...}
     * @param method its method
     * @param called the name of what is called there; it returns nothing. Or {@code position}: the
     *     position of a checkpoint, which then is the journal's end
     */
    WithoutCall(String owner, String method, String called) {
        super(WithoutCall.class.getClassLoader());
        this.owner = owner;
        this.method = method;
        this.called = called;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("io.farheap.memory.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/');
        try (InputStream in = getParent().getResourceAsStream(file + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            byte[] used = file.equals(owner) ? changed(bytes) : bytes;
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] changed(byte[] original) {
        int[] found = {0};
        CodeTransform transform =
                (builder, element) -> {
                    if (!(element instanceof InvokeInstruction call)
                            || !call.name().equalsString(called)) {
                        var unused = builder.with(element);
                        return;
                    }
                    found[0]++;
                    if (called.equals("position")) {
                        // the position of a checkpoint is where the journal ends by now
                        var unused =
                                builder.pop()
                                        .aload(0)
                                        .getfield(CHECKPOINTER, "journal", JOURNAL)
                                        .invokevirtual(
                                                JOURNAL,
                                                "synced",
                                                MethodTypeDesc.of(ConstantDescs.CD_long));
                        return;
                    }
                    List<ClassDesc> parameters = call.typeSymbol().parameterList();
                    for (ClassDesc parameter : parameters.reversed()) {
                        var unused =
                                TypeKind.from(parameter).slotSize() == 2
                                        ? builder.pop2()
                                        : builder.pop();
                    }
                    var unused = builder.pop();
                };
        byte[] result =
                ClassFile.of()
                        .transformClass(
                                ClassFile.of().parse(original),
                                ClassTransform.transformingMethodBodies(
                                        m -> m.methodName().equalsString(method), transform));
        if (found[0] == 0) {
            throw new IllegalStateException(called + " is not called in " + owner + "." + method);
        }
        return result;
    }
}
