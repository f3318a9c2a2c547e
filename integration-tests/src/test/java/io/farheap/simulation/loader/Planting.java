package io.farheap.simulation.loader;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A change of some methods of one class.
 *
 * @param method a pattern of their names
 */
record Planting(String owner, String method, BiConsumer<CodeBuilder, CodeElement> change) {

    /**
     * The class with the change.
     *
     * @throws IllegalStateException nothing has changed: the class is not what it was
     */
    byte[] into(byte[] original) {
        byte[] changed =
                ClassFile.of()
                        .transformClass(
                                ClassFile.of().parse(original),
                                (builder, element) -> {
                                    if (element instanceof MethodModel found && isMeant(found)) {
                                        var unused =
                                                builder.transformMethod(
                                                        found,
                                                        MethodTransform.transformingCode(
                                                                change::accept));
                                    } else {
                                        var unused = builder.with(element);
                                    }
                                });
        if (instructions(changed).equals(instructions(original))) {
            throw new IllegalStateException("not planted: " + owner + " has changed");
        }
        return changed;
    }

    private boolean isMeant(MethodModel found) {
        return found.methodName().stringValue().matches(method);
    }

    private List<String> instructions(byte[] bytes) {
        List<String> found = new ArrayList<>();
        for (MethodModel each : ClassFile.of().parse(bytes).methods()) {
            if (isMeant(each)) {
                for (CodeElement element : each.code().orElseThrow()) {
                    if (element instanceof InvokeInstruction call) {
                        found.add(call.name().stringValue());
                    } else if (element instanceof Instruction other) {
                        found.add(other.opcode().name());
                    }
                }
            }
        }
        return found;
    }
}
