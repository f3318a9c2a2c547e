package io.farheap.simulation.loader;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodBuilder;
import java.lang.classfile.MethodElement;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * This product's classes once more, for a simulation: see {@link Rewriting}. The sources have no
 * switch for that. Everything else, the simulation itself included, is defined as it is.
 */
public final class SimulationLoader extends ClassLoader {
    static {
        boolean unused = registerAsParallelCapable();
    }

    private static final String OURS = "io.farheap.";
    private static final String SIMULATION = "io.farheap.simulation.";
    private static final String TOYS = SIMULATION + "toys.";

    private final Redirects redirects;
    private final PlantedMistake mistake;
    private final Map<String, Set<String>> volatiles = new HashMap<>();
    private final ClassFile classFile;

    /** The product as it is, or with a mistake in it. */
    public SimulationLoader(PlantedMistake mistake) {
        this(mistake, new Redirects());
    }

    private SimulationLoader(PlantedMistake mistake, Redirects redirects) {
        super(SimulationLoader.class.getClassLoader());
        // What an assertion looks at is part of the history, whatever the virtual machine is told.
        setDefaultAssertionStatus(true);
        this.mistake = mistake;
        this.redirects = redirects;
        this.classFile =
                ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(getParent())
                                        .orElse(ClassHierarchyResolver.defaultResolver())
                                        .cached()));
    }

    /** Fail-over as it is, over copies that are played. */
    public static SimulationLoader ofCells() {
        return new SimulationLoader(null, Redirects.ofCells());
    }

    /** Whether the loader changes classes of that name. */
    static boolean isRewritten(String name) {
        return name.startsWith(OURS)
                && (!name.startsWith(SIMULATION) || name.startsWith(TOYS))
                && !name.startsWith("io.farheap.testing.");
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith("io.farheap.simulation.loader.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = bytes(name.replace('.', '/'));
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] used = isRewritten(name) ? rewritten(name, bytes) : bytes;
        return defineClass(name, used, 0, used.length);
    }

    private byte[] bytes(String internalName) {
        try (InputStream in = getParent().getResourceAsStream(internalName + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] rewritten(String name, byte[] original) {
        byte[] planted = mistake == null ? original : mistake.plantInto(name, original);
        ClassModel model = classFile.parse(planted);
        ClassDesc owner = model.thisClass().asSymbol();
        return classFile.transformClass(
                model,
                (builder, element) -> {
                    if (element instanceof MethodModel method) {
                        rewrite(builder, method, owner);
                    } else {
                        var unused = builder.with(element);
                    }
                });
    }

    private void rewrite(ClassBuilder builder, MethodModel method, ClassDesc owner) {
        CodeTransform transform = transform(method, owner, guard(method));
        var unused =
                builder.withMethod(
                        method.methodName(),
                        method.methodType(),
                        method.flags().flagsMask() & ~ClassFile.ACC_SYNCHRONIZED,
                        to -> method.forEach(element -> copy(to, element, transform)));
    }

    private static void copy(MethodBuilder to, MethodElement element, CodeTransform transform) {
        if (element instanceof CodeModel code) {
            var unused = to.transformCode(code, transform);
        } else if (!(element instanceof AccessFlags)) {
            var unused = to.with(element);
        }
    }

    private CodeTransform transform(MethodModel method, ClassDesc owner, Rewriting.Guard guard) {
        boolean switches = !method.methodName().equalsString("<clinit>");
        String counted = Counted.at(owner, method.methodName().stringValue());
        return new Rewriting(redirects, this::isVolatile, owner, guard, switches, counted);
    }

    private static Rewriting.Guard guard(MethodModel method) {
        if (!method.flags().has(AccessFlag.SYNCHRONIZED)) {
            return Rewriting.Guard.NONE;
        }
        return method.flags().has(AccessFlag.STATIC) ? Rewriting.Guard.CLASS : Rewriting.Guard.THIS;
    }

    private boolean isVolatile(String owner, String field) {
        if (!owner.startsWith("io/farheap/")) {
            return false;
        }
        synchronized (volatiles) {
            return volatiles.computeIfAbsent(owner, this::volatileFields).contains(field);
        }
    }

    private Set<String> volatileFields(String owner) {
        Set<String> fields = new HashSet<>();
        for (var field : classFile.parse(bytes(owner)).fields()) {
            if (field.flags().has(AccessFlag.VOLATILE)) {
                fields.add(field.fieldName().stringValue());
            }
        }
        return fields;
    }
}
