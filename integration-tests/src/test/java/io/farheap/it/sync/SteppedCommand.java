package io.farheap.it.sync;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;

/**
 * The farheap command, whose classes take a {@linkplain Steps step} before whatever they do to
 * files, to mapped memory and to an agent: so that it can be ended at each of these, and not only
 * where it spends most of its time.
 */
public final class SteppedCommand extends ClassLoader {
    private static final String OURS = "io.farheap.";
    private static final String SYNC = "io/farheap/tools/sync/SyncRun";
    private static final String TRANSFORM = "io/farheap/tools/transform/TransformRun";

    /** Steps are counted from the beginning of {@code run} in one of these. */
    private static final Set<String> WORK =
            Set.of(System.getProperty("farheap.steps.from", SYNC + ":" + TRANSFORM).split(":"));

    private static final ClassDesc STEPS = ClassDesc.of(Steps.class.getName());
    private static final MethodTypeDesc VOID = MethodTypeDesc.of(ConstantDescs.CD_void);

    /** Methods of these have an effect outside of the process. */
    private static final Set<String> EFFECTS =
            Set.of(
                    "java/nio/file/Files",
                    "java/lang/foreign/MemorySegment",
                    "java/nio/channels/FileChannel",
                    "io/farheap/memory/NativeFile",
                    "io/farheap/memory/MappedImage",
                    "io/farheap/memory/Persistence",
                    "io/farheap/replication/control/ControlClient",
                    "io/farheap/replication/fabric/Connection");

    /** What merely reads would be most of the steps. */
    private static final Set<String> READERS =
            Set.of(
                    "get",
                    "asSlice",
                    "byteSize",
                    "address",
                    "ofArray",
                    "toArray",
                    "asReadOnly",
                    "asByteBuffer",
                    "mismatch",
                    "exists",
                    "isRegularFile",
                    "size",
                    "path",
                    "reinterpret",
                    "equals",
                    "segment",
                    "persistence",
                    "readAllBytes",
                    "readString");

    private SteppedCommand() {
        super(SteppedCommand.class.getClassLoader());
    }

    /** {@code FILE WORD...}: the file gets the number of steps; the words are farheap's. */
    public static void main(String[] args) throws ReflectiveOperationException {
        SteppedCommand loader = new SteppedCommand();
        Class<?> steps = loader.loadClass(Steps.class.getName());
        steps.getDeclaredMethod("report", Path.class).invoke(null, Path.of(args[0]));
        loader.loadClass("io.farheap.tools.Main")
                .getMethod("main", String[].class)
                .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
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
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            byte[] used = isStepped(name) ? stepped(bytes) : bytes;
            return defineClass(name, used, 0, used.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static boolean isStepped(String name) {
        return name.startsWith("io.farheap.tools.sync.")
                || name.startsWith("io.farheap.tools.transform.")
                || name.startsWith("io.farheap.pool.")
                || name.startsWith("io.farheap.replication.");
    }

    private static byte[] stepped(byte[] original) {
        ClassTransform steps =
                (builder, element) -> {
                    if (element instanceof MethodModel method) {
                        builder.transformMethod(
                                method, MethodTransform.transformingCode(new Stepping(method)));
                    } else {
                        builder.with(element);
                    }
                };
        return ClassFile.of().transformClass(ClassFile.of().parse(original), steps);
    }

    /** What a method does before each effect; before it carries the plan out there is none. */
    private record Stepping(MethodModel method) implements CodeTransform {
        @Override
        public void atStart(CodeBuilder builder) {
            String owner = method.parent().orElseThrow().thisClass().asInternalName();
            if (WORK.contains(owner) && method.methodName().equalsString("run")) {
                builder.invokestatic(STEPS, "begin", VOID);
            }
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof InvokeInstruction call && hasEffect(call)) {
                builder.invokestatic(STEPS, "step", VOID);
            }
            builder.with(element);
        }
    }

    private static boolean hasEffect(InvokeInstruction call) {
        return EFFECTS.contains(call.owner().asInternalName())
                && !READERS.contains(call.name().stringValue());
    }
}
