package io.farheap.simulation.loader;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.BiPredicate;

/**
 * One method of the product as it runs in a simulation: its clocks, waits, threads and monitors are
 * the world's, and wherever other threads might notice the order of what it does they may take
 * over.
 */
final class Rewriting implements CodeTransform {
    private static final ClassDesc TIME = ClassDesc.of("io.farheap.simulation.engine.SimTime");
    private static final ClassDesc THREADS =
            ClassDesc.of("io.farheap.simulation.engine.SimThreads");
    private static final ClassDesc MONITOR =
            ClassDesc.of("io.farheap.simulation.engine.SimMonitor");
    private static final MethodTypeDesc VOID = MethodTypeDesc.of(ConstantDescs.CD_void);
    private static final MethodTypeDesc OF_OBJECT =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);
    private static final ClassDesc WORLD = ClassDesc.of("io.farheap.simulation.engine.World");
    private static final MethodTypeDesc OF_STRING =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);
    private static final String THREAD = "java/lang/Thread";

    /** What a synchronized method is synchronized on. */
    enum Guard {
        NONE,
        THIS,
        CLASS
    }

    private final Redirects redirects;
    private final BiPredicate<String, String> isVolatile;
    private final ClassDesc owner;
    private final Guard guard;
    private final boolean switches;
    private final String counted;
    private Label begin;
    private boolean dropNextDup;

    /**
     * @param isVolatile whether the field of an owner is
     * @param switches whether other threads may take over in it
     * @param counted what is counted at its begin; null: nothing
     */
    Rewriting(
            Redirects redirects,
            BiPredicate<String, String> isVolatile,
            ClassDesc owner,
            Guard guard,
            boolean switches,
            String counted) {
        this.redirects = redirects;
        this.counted = counted;
        this.isVolatile = isVolatile;
        this.owner = owner;
        this.guard = guard;
        this.switches = switches;
    }

    @Override
    public void atStart(CodeBuilder code) {
        if (counted != null) {
            var unused = code.loadConstant(counted).invokestatic(WORLD, "reached", OF_STRING);
        }
        if (guard != Guard.NONE) {
            monitor(code, "enter");
            begin = code.newLabel();
            var unused = code.labelBinding(begin);
        }
    }

    @Override
    public void atEnd(CodeBuilder code) {
        if (guard != Guard.NONE) {
            Label end = code.newLabel();
            var unused = code.labelBinding(end);
            unused = code.exceptionCatchAll(begin, end, end);
            monitor(code, "exit");
            unused = code.athrow();
        }
    }

    private void monitor(CodeBuilder code, String what) {
        if (guard == Guard.THIS) {
            var unused = code.aload(0);
        } else {
            var unused = code.loadConstant(owner);
        }
        var unused = code.invokestatic(MONITOR, what, OF_OBJECT);
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
        boolean dup = dropNextDup;
        dropNextDup = false;
        if (element instanceof InvokeInstruction call) {
            invoke(code, call);
        } else if (element instanceof MonitorInstruction monitor) {
            String what = monitor.opcode() == Opcode.MONITORENTER ? "enter" : "exit";
            var unused = code.invokestatic(MONITOR, what, OF_OBJECT);
        } else if (element instanceof ReturnInstruction && guard != Guard.NONE) {
            monitor(code, "exit");
            var unused = code.with(element);
        } else if (element instanceof NewObjectInstruction made
                && made.className().asInternalName().equals(THREAD)) {
            dropNextDup = true;
        } else if (dup && element instanceof StackInstruction stack) {
            if (stack.opcode() != Opcode.DUP) {
                throw new IllegalStateException("new Thread without dup in " + owner);
            }
        } else {
            if (element instanceof FieldInstruction field
                    && isVolatile.test(
                            field.owner().asInternalName(), field.name().stringValue())) {
                point(code);
            }
            var unused = code.with(element);
            dropNextDup = dup;
        }
    }

    private void invoke(CodeBuilder code, InvokeInstruction call) {
        String callee = call.owner().asInternalName();
        Redirects.Target target = redirects.of(call);
        if (callee.equals(THREAD) && call.name().equalsString("<init>")) {
            MethodTypeDesc type =
                    call.typeSymbol().changeReturnType(ClassDesc.of("java.lang.Thread"));
            var unused = code.invokestatic(THREADS, "make", type);
        } else if (target != null) {
            MethodTypeDesc type = Redirects.typeOf(call, call.opcode() == Opcode.INVOKESTATIC);
            var unused = code.invokestatic(target.owner(), target.name(), type);
        } else {
            if (isNoticed(callee)) {
                point(code);
            }
            var unused = code.with(call);
        }
    }

    private static boolean isNoticed(String callee) {
        return callee.startsWith("java/util/concurrent/")
                || callee.equals("java/lang/invoke/VarHandle")
                || callee.equals(THREAD);
    }

    private void point(CodeBuilder code) {
        if (switches) {
            var unused = code.invokestatic(TIME, "point", VOID);
        }
    }
}
