package io.farheap.simulation.loader;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Rules of the replication protocol that the product could have broken, each broken in a class. */
public enum Mistake implements PlantedMistake {
    APPLY_UNCOMMITTED(
            "the agent applies what the initiator may still roll back",
            "io.farheap.agent.ReplicaStore",
            "applyBatch",
            (code, element) -> swap(code, element, "committedUpTo", "sequence")),

    ANSWER_BEFORE_FLUSH(
            "the agent answers before it has flushed",
            "io.farheap.agent.Tail",
            "extend",
            (code, element) -> leaveOut(code, element, "persist")),

    ACCEPT_OLD_RECORDS(
            "records of an earlier epoch count",
            "io.farheap.replication.journal.RecordReader",
            "isOfEpoch",
            (code, element) -> always(code, element)),

    DROP_FOOTPRINT_RANGE(
            "a range of the tail's footprint is not reconciled",
            "io.farheap.replication.Member",
            "eachFootprintPage",
            (code, element) -> spoil(code, element, "ranges")),

    FORGET_HEAP_STORES(
            "the heap's stores that no log covers don't go to the replicas",
            "io.farheap.tx.ReplicationGate",
            "submit",
            (code, element) -> nothing(code, element, "sink")),

    LOCAL_BEFORE_REMOTE(
            "the initiator commits before its replicas have the record",
            "io.farheap.replication.CommitStream",
            "isDurable",
            (code, element) -> {
                if (isCall(element, "awaitDecided")) {
                    leaveOut(code, element, "awaitDecided");
                } else {
                    always(code, element);
                }
            }),

    UNKNOWN_IS_DURABLE(
            "a record that was waited for in vain counts as durable",
            "io.farheap.replication.CommitStream",
            "isDurable",
            (code, element) -> always(code, element)),

    APPLIED_BEFORE_IMAGE(
            "the agent's slot says \"applied\" before the image is durable",
            "io.farheap.agent.ReplicaStore",
            "applySome",
            (code, element) -> leaveOut(code, element, "fence")),

    STORE_BEFORE_UNDO(
            "undo entries are not durable before the first store in place",
            "io.farheap.tx.CommitPipeline",
            "persistUndoEntries",
            (code, element) -> leaveOut(code, element, "persist")),

    PREPARED_BEFORE_FLUSH(
            "the agent says that it is prepared before the content is durable",
            "io.farheap.agent.ImageTransfer",
            "makeDurable",
            (code, element) -> leaveOut(code, element, "fence")),

    SKIP_BUMP_WHEN_ALONE(
            "the pool goes on without its replicas, and its number does not change",
            "io.farheap.replication.EpochSwitch",
            "switchTo",
            (code, element) -> switchUnlessAlone(code, element)),

    TAKE_OVER_WITHOUT_FENCING(
            "whoever takes a replica over, or promotes it, does not end who had it",
            "io.farheap.agent.SimulatedFiles",
            "acquire",
            (code, element) -> swap(code, element, "end", "ignore")),

    PROMOTE_COMMITTED_ONLY(
            "promotion applies no more than is known to be committed",
            "io.farheap.agent.ReplicaStore",
            "promote",
            (code, element) -> swap(code, element, "sequence", "committedUpTo")),

    ACCEPT_OLD_EPOCH(
            "a replica of another epoch passes for current",
            "io.farheap.replication.control.SlotReport",
            "isCurrent",
            (code, element) -> always(code, element));

    private static final String SPOILED = "io.farheap.simulation.engine.Spoiled";

    private final String text;
    private final String owner;
    private final String method;
    private final BiConsumer<CodeBuilder, CodeElement> change;

    Mistake(String text, String owner, String method, BiConsumer<CodeBuilder, CodeElement> change) {
        this.text = text;
        this.owner = owner;
        this.method = method;
        this.change = change;
    }

    /** What is wrong then. */
    public String text() {
        return text;
    }

    @Override
    public byte[] plantInto(String name, byte[] original) {
        if (!name.equals(owner)) {
            return original;
        }
        ClassModel model = ClassFile.of().parse(original);
        byte[] changed =
                ClassFile.of()
                        .transformClass(
                                model,
                                (builder, element) -> {
                                    if (element instanceof MethodModel found
                                            && found.methodName().equalsString(method)) {
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
            throw new IllegalStateException(this + " was not planted: " + owner + " has changed");
        }
        return changed;
    }

    private List<String> instructions(byte[] bytes) {
        List<String> found = new ArrayList<>();
        for (MethodModel each : ClassFile.of().parse(bytes).methods()) {
            if (each.methodName().equalsString(method)) {
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

    private static boolean isCall(CodeElement element, String name) {
        return element instanceof InvokeInstruction call && call.name().equalsString(name);
    }

    /** Another method of the same owner and type. */
    private static void swap(CodeBuilder code, CodeElement element, String name, String other) {
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
    private static void leaveOut(CodeBuilder code, CodeElement element, String name) {
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
    private static void spoil(CodeBuilder code, CodeElement element, String name) {
        var unused = code.with(element);
        if (isCall(element, name)) {
            ClassDesc list = ClassDesc.of("java.util.List");
            unused =
                    code.invokestatic(
                            ClassDesc.of(SPOILED), "withoutFirst", MethodTypeDesc.of(list, list));
        }
    }

    /** The number changes only if the list of those that take part, local 3, is not empty. */
    private static void switchUnlessAlone(CodeBuilder code, CodeElement element) {
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
    private static void nothing(CodeBuilder code, CodeElement element, String name) {
        if (element instanceof FieldInstruction field && field.name().equalsString(name)) {
            var unused = code.pop();
            unused = code.aconst_null();
        } else {
            var unused = code.with(element);
        }
    }

    /** A check that always passes. */
    private static void always(CodeBuilder code, CodeElement element) {
        if (element instanceof ReturnInstruction) {
            var unused = code.pop();
            unused = code.iconst_1();
        }
        var unused = code.with(element);
    }
}
