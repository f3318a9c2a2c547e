package io.farheap.agent.store;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.reflect.InvocationTargetException;

/**
 * This product's classes once more, with one check that always passes: what a test would look like
 * in a program that has lost it. The sources have no switch for that.
 */
final class WithoutCheck extends ClassLoader {
    private static final String OURS = "io.farheap.";

    private final String owner;
    private final String check;
    private boolean found;

    /**
     * @param owner the class that has the check
     * @param check the name of a method of it that returns whether something is in order; null: all
     *     checks are there
     */
    WithoutCheck(Class<?> owner, String check) {
        super(WithoutCheck.class.getClassLoader());
        this.owner = owner.getName();
        this.check = check;
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
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = getParent().getResourceAsStream(file)) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            byte[] used = check != null && name.equals(owner) ? passing(bytes) : bytes;
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private byte[] passing(byte[] original) {
        ClassModel model = ClassFile.of().parse(original);
        ClassTransform transform =
                (builder, element) -> {
                    if (element instanceof MethodModel method
                            && method.methodName().equalsString(check)) {
                        found = true;
                        var unused =
                                builder.withMethodBody(
                                        method.methodName(),
                                        method.methodType(),
                                        method.flags().flagsMask(),
                                        code -> code.iconst_1().ireturn());
                    } else {
                        var unused = builder.with(element);
                    }
                };
        return ClassFile.of().transformClass(model, transform);
    }

    /** Runs a scenario of {@link CheckScenarios} on these classes; what it throws comes out. */
    void run(String scenario) throws Throwable {
        Class<?> scenarios = loadClass(CheckScenarios.class.getName());
        try {
            Object unused = scenarios.getDeclaredMethod(scenario).invoke(null);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            if (check != null && !found) {
                throw new IllegalStateException(owner + " has no check " + check);
            }
        }
    }
}
