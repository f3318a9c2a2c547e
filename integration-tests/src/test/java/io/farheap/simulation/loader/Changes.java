package io.farheap.simulation.loader;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** What is done to a method's code to plant a {@link Mistake}. */
final class Changes {
    private static final String SPOILED = "io.farheap.simulation.engine.Spoiled";

    private Changes() {}

    static boolean isCall(CodeElement element, String name) {
        return element instanceof InvokeInstruction call && call.name().equalsString(name);
    }

    /** Another method of the same owner and type. */
    static void swap(CodeBuilder code, CodeElement element, String name, String other) {
        if (isCall(element, name)) {
            InvokeInstruction call = (InvokeInstruction) element;
            var unused =
                    code.invoke(
                            call.opcode(),
                            call.owner().asSymbol(),
                            other,
                            call.typeSymbol(),
                            call.isInterface());
        } else {
            var unused = code.with(element);
        }
    }

    /** No call of a method that returns nothing. */
    static void leaveOut(CodeBuilder code, CodeElement element, String name) {
        if (isCall(element, name)) {
            MethodTypeDesc type = ((InvokeInstruction) element).typeSymbol();
            for (int i = type.parameterCount() - 1; i >= 0; i--) {
                boolean wide = TypeKind.from(type.parameterType(i)).slotSize() == 2;
                var unused = wide ? code.pop2() : code.pop();
            }
            var unused = code.pop();
        } else {
            var unused = code.with(element);
        }
    }

    /** The first item of a list is missing. */
    static void spoil(CodeBuilder code, CodeElement element, String name) {
        var unused = code.with(element);
        if (isCall(element, name)) {
            ClassDesc list = ClassDesc.of("java.util.List");
            unused =
                    code.invokestatic(
                            ClassDesc.of(SPOILED), "withoutFirst", MethodTypeDesc.of(list, list));
        }
    }

    /** The number changes only if the list of those that take part, local 3, is not empty. */
    static void switchUnlessAlone(CodeBuilder code, CodeElement element) {
        if (isCall(element, "switchRunId")) {
            var unused = code.aload(3);
            unused =
                    code.invokestatic(
                            ClassDesc.of(SPOILED),
                            "switchRunId",
                            MethodTypeDesc.of(
                                    ConstantDescs.CD_void,
                                    ((InvokeInstruction) element).owner().asSymbol(),
                                    ConstantDescs.CD_long,
                                    ConstantDescs.CD_List));
        } else {
            var unused = code.with(element);
        }
    }

    /** A field is read as null. */
    static void nothing(CodeBuilder code, CodeElement element, String name) {
        if (element instanceof FieldInstruction field && field.name().equalsString(name)) {
            var unused = code.pop();
            unused = code.aconst_null();
        } else {
            var unused = code.with(element);
        }
    }

    /** A call's answer is null. */
    static void nothingOf(CodeBuilder code, CodeElement element, String name) {
        var unused = code.with(element);
        if (isCall(element, name)) {
            unused = code.pop().aconst_null();
        }
    }

    /** What a call throws that returns nothing is forgotten. */
    static void trying(CodeBuilder code, CodeElement element, String name, String trying) {
        if (isCall(element, name)) {
            InvokeInstruction call = (InvokeInstruction) element;
            var unused =
                    code.invokestatic(
                            ClassDesc.of(SPOILED),
                            trying,
                            call.typeSymbol().insertParameterTypes(0, call.owner().asSymbol()));
        } else {
            var unused = code.with(element);
        }
    }

    /** A check that always passes. */
    static void always(CodeBuilder code, CodeElement element) {
        if (element instanceof ReturnInstruction) {
            var unused = code.pop();
            unused = code.iconst_1();
        }
        var unused = code.with(element);
    }

    /** A call's answer is not what it says, but this. */
    static void answer(CodeBuilder code, CodeElement element, String name, int answer) {
        var unused = code.with(element);
        if (isCall(element, name)) {
            TypeKind kind = TypeKind.from(((InvokeInstruction) element).typeSymbol().returnType());
            if (kind == TypeKind.LONG) {
                unused = code.pop2().loadConstant((long) answer);
            } else {
                unused = code.pop().loadConstant(answer);
            }
        }
    }

    /** A limit is none. */
    static void unlimited(CodeBuilder code, CodeElement element) {
        if (element instanceof ReturnInstruction) {
            var unused = code.pop2().loadConstant(Long.MAX_VALUE);
        }
        var unused = code.with(element);
    }
}
