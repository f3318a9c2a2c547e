package io.farheap.simulation.loader;

import static io.farheap.simulation.loader.Changes.answer;
import static io.farheap.simulation.loader.Changes.isCall;
import static io.farheap.simulation.loader.Changes.leaveOut;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The rules of docs/high-availability.md, each taken out of the product's classes as they are
 * loaded. Where another rule would do the same, that one is taken out with it.
 */
public enum BrokenRule implements PlantedMistake {
    RECORD_BEFORE_ACK(inSwitchTo("onlyAtOpen")),
    NO_LEASE_AS_PROOF(inSwitchTo("asksInRun")),
    COMPARE(
            in(
                    Owners.RECORD,
                    "record",
                    (code, element) -> {
                        var unused = code.with(element);
                        if (isCall(element, "version")) {
                            unused = code.pop2().aload(0);
                            unused =
                                    code.getfield(
                                            ClassDesc.of(Owners.RECORD),
                                            "myVersion",
                                            ConstantDescs.CD_long);
                        }
                    }),
            in(Owners.RECORD, "askOnce", (code, element) -> set(code, element, "unconditional"))),
    KNOWN_CAS(in(Owners.RECORD, "askOnce", (code, element) -> set(code, element, "taken"))),
    SETTLE_FIRST(
            in(
                    Owners.RECORD,
                    "create|takeOver|record",
                    (code, element) -> leaveOut(code, element, "requireSettled")),
            in(
                    Owners.EPOCH + "RecordedStep",
                    "settleEarlier",
                    (code, element) -> {
                        if (isCall(element, "isRecorded")) {
                            var unused = code.pop2().iconst_0();
                        } else {
                            var unused = code.with(element);
                        }
                    })),
    KEEP_SET(in(Owners.RECORD, "takeOver", (code, element) -> taken(code, element, "alone"))),

    /** And a copy that may lag is a whole one: else its own slot keeps it from taking over. */
    ONLY_MEMBERS(
            in(
                    Owners.RECORD,
                    "takeOver",
                    (code, element) -> {
                        if (isCall(element, "contains")) {
                            answer(code, element, "contains", 1);
                        } else {
                            taken(code, element, "withMe");
                        }
                    }),
            in(
                    Owners.AVAILABILITY + "StandingRules",
                    "decide",
                    (code, element) -> answer(code, element, "contains", 1)),
            in(
                    Owners.AVAILABILITY + "AwaitedTurn",
                    "sight",
                    (code, element) -> answer(code, element, "contains", 1)),
            in(
                    Owners.AVAILABILITY + "WritersTurn",
                    "takeReplica",
                    (code, element) -> answer(code, element, "mayLag", 0))),

    /** Of both who asks for the record and who has the copy. */
    NUMBER_CHECK(
            in(Owners.RECORD, "takeOver", (code, element) -> answer(code, element, "mayBecome", 1)),
            in(
                    Owners.AGENT + "store.ReplicaOwnership",
                    "takeOver",
                    (code, element) -> {
                        var unused = code.with(element);
                        if (isCall(element, "cur")) {
                            unused = code.pop2().lload(1);
                        }
                    })),
    STORE_WENT_BACK(in(Owners.RECORD, "isTrusted", Changes::always)),
    PREPARE_SELF(
            in(
                    Owners.EPOCH + "RecordedStep",
                    "record",
                    (code, element) -> leaveOut(code, element, "prepare"))),
    RECORD_BEFORE_OPEN(inSwitchTo("onlyInRun")),
    FENCE_FIRST(
            in(
                    Owners.AGENT + "replica.SimulatedFiles",
                    "acquire",
                    (code, element) -> Changes.swap(code, element, "end", "endMuchLater"))),

    /**
     * No slot has the term, nor what the store has told. Where the slot of who takes over alone
     * lacks it, nothing goes wrong: that it is PROMOTED keeps the earlier writer out.
     */
    FENCE_DURABLE(
            in(
                    Owners.AGENT + "store.ReplicaStore",
                    "greet",
                    (code, element) -> {
                        if (isCall(element, "write")) {
                            var unused = code.pop2();
                        } else {
                            var unused = code.with(element);
                        }
                    })),

    /** The second greeting of two, the first one is what the store has told. */
    TERM_IN_HELLO(in(Owners.AGENT + "session.SessionReplica", "greet", everySecond("greet"))),
    ASK_AFTER_START(unasked()),
    EQUALISE(
            in(
                    Owners.EPOCH + "SwitchAtOpen",
                    "lacksRecords",
                    (code, element) -> answer(code, element, "isWhole", 1))),
    JOIN_COMPLETE(
            in(
                    Owners.EPOCH + "CatchUp",
                    "step|finish",
                    (code, element) -> {
                        if (isCall(element, "step") || isCall(element, "copyPiece")) {
                            var unused = code.pop().iconst_0();
                        } else {
                            answer(code, element, "isComplete", 1);
                        }
                    }));

    /** Packages and classes. */
    private static final class Owners {
        static final String AVAILABILITY = "io.farheap.availability.";
        static final String RECORD = AVAILABILITY + "PoolRecord";
        static final String EPOCH = "io.farheap.replication.epoch.";
        static final String AGENT = "io.farheap.agent.";

        private Owners() {}
    }

    private final List<Planting> plantings;

    BrokenRule(Planting... plantings) {
        this.plantings = List.of(plantings);
    }

    private static Planting in(
            String owner, String method, BiConsumer<CodeBuilder, CodeElement> change) {
        return new Planting(owner, method, change);
    }

    /** What becomes of the recorded step; local 4 says which switch it is. */
    private static Planting inSwitchTo(String instead) {
        return in(
                Owners.EPOCH + "EpochSwitch",
                "switchTo",
                (code, element) -> {
                    if (isCall(element, "record")) {
                        InvokeInstruction call = (InvokeInstruction) element;
                        ClassDesc mode = ClassDesc.of(Owners.EPOCH + "SwitchMode");
                        MethodTypeDesc type =
                                call.typeSymbol().insertParameterTypes(0, call.owner().asSymbol());
                        type = type.insertParameterTypes(type.parameterCount(), mode);
                        var unused = code.aload(4);
                        unused =
                                code.invokestatic(
                                        ClassDesc.of(Owners.EPOCH + "SpoiledSwitch"),
                                        instead,
                                        type);
                    } else {
                        var unused = code.with(element);
                    }
                });
    }

    private static BiConsumer<CodeBuilder, CodeElement> everySecond(String name) {
        int[] calls = {0};
        return (code, element) -> {
            if (isCall(element, name) && ++calls[0] % 2 == 0) {
                leaveOut(code, element, name);
            } else {
                var unused = code.with(element);
            }
        };
    }

    private static Planting unasked() {
        return in(
                Owners.AGENT + "config.AskedStore",
                "termOf",
                (code, element) -> {
                    if (isCall(element, "term")) {
                        var unused = code.pop().lconst_0();
                    } else {
                        var unused = code.with(element);
                    }
                });
    }

    private static void set(CodeBuilder code, CodeElement element, String instead) {
        spoil(code, element, "compareAndSet", instead);
    }

    private static void taken(CodeBuilder code, CodeElement element, String instead) {
        spoil(code, element, "takenOver", instead);
    }

    /** Another method takes the place of a call, and the object first. */
    private static void spoil(CodeBuilder code, CodeElement element, String name, String instead) {
        if (isCall(element, name)) {
            InvokeInstruction call = (InvokeInstruction) element;
            var unused =
                    code.invokestatic(
                            ClassDesc.of(Owners.AVAILABILITY + "SpoiledRecord"),
                            instead,
                            call.typeSymbol().insertParameterTypes(0, call.owner().asSymbol()));
        } else {
            var unused = code.with(element);
        }
    }

    /** As the page names it. */
    public String title() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    @Override
    public List<Planting> plantings() {
        return plantings;
    }

    @Override
    public byte[] plantInto(String name, byte[] original) {
        byte[] changed = original;
        for (Planting planting : plantings) {
            if (planting.owner().equals(name)) {
                changed = planting.into(changed);
            }
        }
        return changed;
    }
}
