package io.farheap.model;

/**
 * The rules of docs/protocol.md that can be taken away, each with bounds in which the model must go
 * wrong without it.
 */
enum Rule {
    UNDO_BEFORE_STORE("raw, 1 program-power, 1 faults"),
    DATA_BEFORE_COMMIT("1 program-power, 1 faults"),
    REMOTE_FIRST("1 program-power, 1 promotion, 2 faults"),
    COMMITTED_ONLY("0 faults"),
    IMAGE_BEFORE_APPLIED("1 target-power, 1 promotion, 2 faults"),
    FREE_ONLY_APPLIED("2 transactions, 1 target-power, 1 promotion, 2 faults"),
    RECORD_EPOCH("2 transactions, 1 program-crash, 1 promotion, 2 faults"),
    END_OLD_CONNECTION("1 promotion, 1 faults"),
    FLUSH_BEFORE_REPORT("1 agent-crash, 1 target-power, 1 promotion, 3 faults"),
    FREEZE_ANSWERS("1 connection, 1 faults"),
    ALL_INTO_NEW_EPOCH("1 connection, 1 faults"),
    NUMBER_USED_ONCE("2 replicas, 1 connection, 1 faults"),
    FOOTPRINT("1 program-crash, 1 faults"),
    FLUSH_CONTENT("1 program-crash, 1 target-power, 1 promotion, 3 faults"),
    PREPARE_BEFORE_SWITCH("2 program-crash, 2 faults"),
    NEXT_BESIDE_CUR("2 program-crash, 2 faults"),
    ADOPT_NEXT("3 program-crash, 3 faults"),
    CONFIRM_BEFORE_COMMIT("1 program-crash, 1 promotion, 2 faults"),
    FRESH_NUMBER("degrade, 3 program-crash, 1 unreachable, 3 faults"),
    NEW_NUMBER_ON_DROP("degrade, 2 program-crash, 1 connection, 3 faults"),
    SWITCH_BEFORE_DEGRADED_COMMIT("degrade, 1 connection, 1 program-crash, 2 faults"),
    SYNCING_DURABLE("degrade, 1 unreachable, 1 program-crash, 1 promotion, 2 faults"),
    SYNCING_NOT_PROMOTABLE("degrade, 1 unreachable, 1 program-crash, 1 promotion, 2 faults"),
    COMMITTED_VIEW("raw, degrade, 2 transactions, 1 thread, 1 connection, 1 faults"),
    MARK_AFTER_COMMIT("degrade, 1 unreachable, 1 program-crash, 1 faults"),
    MAP_WITH_TAIL("degrade, 1 connection, 1 program-crash, 2 faults"),
    MAP_STAMP("degrade, 1 connection, 1 program-crash, 1 foreign-open, 1 unreachable, 3 faults"),
    MAP_BEFORE_COMMIT("degrade, 1 connection, 2 program-crash, 3 faults"),
    GAP_FORGETS("2 replicas, degrade, 1 thread, 2 connection, 1 map-fails, 3 faults"),
    QUIET_BEFORE_SWITCH("1 connection, 1 faults"),
    CLAIM_AGAIN("2 replicas, degrade, 1 connection, 1 promotion, 2 faults"),
    APPLY_STOPS("2 transactions, 1 thread, 1 program-crash, 1 faults"),
    CONFIRM_ONLY_PREPARED("1 program-crash, 1 promotion, 1 second-initiator, 3 faults"),
    FAILBACK_MARKER("degrade, 2 program-power, 1 promotion, 2 failback, 1 unreachable, 3 faults"),
    FAILBACK_FLUSH("2 program-power, 1 promotion, 2 failback, 3 faults"),
    SYNC_NEEDS_PROOF("degrade, 1 second-initiator, 2 program-crash, 1 unreachable, 3 faults"),
    ROOM_FOR_EMPTY(null),
    EMPTY_FREES_ITSELF(null),
    WATERMARK_WHEN_IDLE(null);

    /** Bounds of a mutation; null: the ring's model. */
    private final String bounds;

    Rule(String bounds) {
        this.bounds = bounds;
    }

    /** As the page names it. */
    String title() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    boolean isOfRing() {
        return bounds == null;
    }

    Bounds bounds() {
        return Bounds.of(title(), bounds);
    }
}
