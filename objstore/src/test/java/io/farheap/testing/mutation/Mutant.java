package io.farheap.testing.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/** Product and tests once more, with one flush, fence or checksum comparison left out. */
final class Mutant extends ClassLoader {
    private static final String OURS = "io.farheap.";
    private static final ClassDesc WITHOUT = ClassDesc.of("io.farheap.testing.mutation.Without");

    private final CallSite site;

    /**
     * @param site what is left out; null: nothing
     */
    Mutant(CallSite site) {
        super(Mutant.class.getClassLoader());
        this.site = site;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
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
            byte[] used = site != null && file.equals(site.owner()) ? changed(bytes) : bytes;
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] changed(byte[] original) {
        ClassModel model = ClassFile.of().parse(original);
        int[] found = {0};
        ClassTransform transform =
                (builder, element) -> {
                    if (element instanceof MethodModel method && isTheMethod(method)) {
                        if (site.number() == 0) {
                            found[0]++;
                            var unused =
                                    builder.withMethodBody(
                                            method.methodName(),
                                            method.methodType(),
                                            method.flags().flagsMask(),
                                            code -> code.iconst_1().ireturn());
                        } else {
                            var unused =
                                    builder.transformMethod(
                                            method,
                                            MethodTransform.transformingCode(leaveOut(found)));
                        }
                    } else {
                        var unused = builder.with(element);
                    }
                };
        byte[] result = ClassFile.of().transformClass(model, transform);
        if (found[0] != 1) {
            throw new IllegalStateException(site + " was found " + found[0] + " times");
        }
        return result;
    }

    private boolean isTheMethod(MethodModel method) {
        return method.methodName().equalsString(site.method())
                && method.methodType().equalsString(site.descriptor());
    }

    private CodeTransform leaveOut(int[] found) {
        int[] number = {0};
        return (builder, element) -> {
            if (element instanceof InvokeInstruction call
                    && CallSite.isPersistence(call)
                    && ++number[0] == site.number()) {
                found[0]++;
                MethodTypeDesc type =
                        call.typeSymbol().insertParameterTypes(0, call.owner().asSymbol());
                var unused = builder.invokestatic(WITHOUT, replacement(), type);
            } else {
                var unused = builder.with(element);
            }
        };
    }

    private String replacement() {
        return switch (site.called()) {
            case "persist", "persistLong" ->
                    site.called()
                            + (site.without().equals("flush") ? "WithoutFlush" : "WithoutFence");
            default -> site.called();
        };
    }
}
