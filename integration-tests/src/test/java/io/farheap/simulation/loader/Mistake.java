package io.farheap.simulation.loader;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.util.List;
import java.util.function.BiConsumer;

/** Rules of the replication protocol that the product could have broken, each broken in a class. */
public enum Mistake implements PlantedMistake {
    APPLY_UNCOMMITTED(
            "the agent applies what the initiator may still roll back",
            "io.farheap.agent.store.ReplicaStore",
            "applyBatch",
            (code, element) -> Changes.swap(code, element, "committedUpTo", "sequence")),

    ANSWER_BEFORE_FLUSH(
            "the agent answers before it has flushed",
            "io.farheap.agent.records.Tail",
            "extend",
            (code, element) -> Changes.leaveOut(code, element, "persist")),

    ACCEPT_OLD_RECORDS(
            "records of an earlier epoch count",
            "io.farheap.replication.journal.RecordReader",
            "isOfEpoch",
            (code, element) -> Changes.always(code, element)),

    DROP_FOOTPRINT_RANGE(
            "a range of the tail's footprint is not reconciled",
            "io.farheap.replication.session.MemberImage",
            "eachFootprintPage",
            (code, element) -> Changes.spoil(code, element, "ranges")),

    FORGET_HEAP_STORES(
            "the heap's stores that no log covers don't go to the replicas",
            "io.farheap.engine.ReplicatedHeapStores",
            "submit",
            (code, element) -> Changes.nothing(code, element, "sink")),

    LOCAL_BEFORE_REMOTE(
            "the initiator commits before its replicas have the record",
            "io.farheap.replication.stream.CommitStream",
            "awaitOutcome",
            (code, element) -> {
                if (Changes.isCall(element, "awaitDecided")) {
                    Changes.leaveOut(code, element, "awaitDecided");
                } else {
                    Changes.always(code, element);
                }
            }),

    UNKNOWN_IS_DURABLE(
            "a record that was waited for in vain counts as durable",
            "io.farheap.replication.stream.CommitStream",
            "awaitOutcome",
            (code, element) -> Changes.always(code, element)),

    APPLIED_BEFORE_IMAGE(
            "the agent's slot says \"applied\" before the image is durable",
            "io.farheap.agent.store.StoredReplica",
            "applySome",
            (code, element) -> Changes.leaveOut(code, element, "fence")),

    STORE_BEFORE_UNDO(
            "undo entries are not durable before the first store in place",
            "io.farheap.engine.CommitPipeline",
            "persistUndoEntries",
            (code, element) -> Changes.leaveOut(code, element, "persist")),

    UNSETTLED_COMMIT(
            "a commit returns, and replicas are told of it, before the disk journal has it",
            "io.farheap.engine.CommitPipeline",
            "commitLocally",
            (code, element) -> Changes.leaveOut(code, element, "settle")),

    UNSETTLED_NUMBER(
            "the pool's new number is not in the disk journal when its replicas take it",
            "io.farheap.memory.PoolMemory",
            "persist",
            (code, element) -> Changes.swap(code, element, "fence", "order")),

    PREPARED_BEFORE_FLUSH(
            "the agent says that it is prepared before the content is durable",
            "io.farheap.agent.store.ImageTransfer",
            "makeDurable",
            (code, element) -> Changes.leaveOut(code, element, "fence")),

    SKIP_BUMP_WHEN_ALONE(
            "the pool goes on without its replicas, and its number does not change",
            "io.farheap.replication.epoch.EpochSwitch",
            "switchTo",
            (code, element) -> Changes.switchUnlessAlone(code, element)),

    TAKE_OVER_WITHOUT_FENCING(
            "whoever takes a replica over, or promotes it, does not end who had it",
            "io.farheap.agent.replica.SimulatedFiles",
            "acquire",
            (code, element) -> Changes.swap(code, element, "end", "ignore")),

    PROMOTE_COMMITTED_ONLY(
            "promotion applies no more than is known to be committed",
            "io.farheap.agent.store.StoredReplica",
            "replayTail",
            (code, element) -> Changes.swap(code, element, "sequence", "committedUpTo")),

    ACCEPT_OLD_EPOCH(
            "a replica of another epoch passes for current",
            "io.farheap.replication.control.SlotReport",
            "isCurrent",
            (code, element) -> Changes.always(code, element)),

    NUMBER_ALONE_PROVES(
            "the pool's number proves that a replica has everything, though it may lag",
            "io.farheap.replication.control.SlotReport",
            "hasAll",
            (code, element) -> Changes.always(code, element)),

    FORGET_LAG(
            "a replica's slot does not say that it may lag",
            "io.farheap.replication.journal.SlotLayout",
            "versionOf",
            (code, element) -> Changes.answer(code, element, "mayLag", 0)),

    CLEAR_TOO_EARLY(
            "what is noted for replicas that may lag is cleared before they have it",
            "io.farheap.replication.dirty.LagDirtyMaps",
            "tidy",
            (code, element) -> Changes.answer(code, element, "getAsLong", 0)),

    NOTE_NOTHING(
            "what commits change is not noted for replicas that may lag",
            "io.farheap.replication.epoch.Epoch",
            "appendNoted",
            (code, element) -> Changes.leaveOut(code, element, "mark")),

    LAG_WITHOUT_BOUND(
            "commits go on however far a replica lags",
            "io.farheap.replication.stream.AsyncFeed",
            "limit",
            Changes::unlimited),

    ROLL_BACK_THOUGH_OPTIONAL(
            "commits roll back when a replica is lost that the pool can do without",
            "io.farheap.replication.epoch.Epoch",
            "goesOn",
            (code, element) -> Changes.answer(code, element, "allMatch", 0)),

    FENCE_LATE(
            "who had a replica is ended after its journal was scanned, and not before",
            "io.farheap.agent.replica.SimulatedFiles",
            "acquire",
            (code, element) -> Changes.swap(code, element, "end", "endLater")),

    BEGIN_AFTER_A_GAP(
            "a new map begins for a replica of which a map could not be kept",
            "io.farheap.replication.epoch.SwitchMaps",
            "noteAbsence",
            (code, element) -> Changes.answer(code, element, "hasGap", 0)),

    USE_A_TOLD_NUMBER(
            "the pool gets a number that a map was told of and could not be flushed with",
            "io.farheap.replication.epoch.SwitchMaps",
            "note",
            (code, element) -> Changes.nothingOf(code, element, "map")),

    COMMIT_UNMARKED(
            "a commit goes on though a map of it can't be marked",
            "io.farheap.replication.dirty.DirtyBits",
            "mark|fence",
            (code, element) -> {
                if (Changes.isCall(element, "flush")) {
                    Changes.trying(code, element, "flush", "tryFlush");
                } else {
                    Changes.trying(code, element, "fence", "tryFence");
                }
            }),

    COMPARE_WHAT_CHANGES(
            "what commits change while it is compared counts as different",
            "io.farheap.replication.scrub.PieceComparison",
            "attempt",
            (code, element) -> Changes.answer(code, element, "isMarked", 0));

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
    public List<Planting> plantings() {
        return List.of(new Planting(owner, method, change));
    }

    @Override
    public byte[] plantInto(String name, byte[] original) {
        return name.equals(owner) ? plantings().get(0).into(original) : original;
    }
}
