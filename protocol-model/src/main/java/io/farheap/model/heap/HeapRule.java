package io.farheap.model.heap;

import java.util.Locale;

/** What makes the transactions of typed objects right, each with the script that needs it. */
enum HeapRule {
    SECOND_LOOK(Script.BOTH),
    CLOCK_TELLS_WHAT_BEGAN(Script.BOTH),
    WATERMARK_NOT_CLOCK(Script.BOTH),
    FINISH_IN_ORDER(Script.CHAIN),
    RETURN_WHEN_SEEN(Script.CHAIN),
    OLD_BYTES(Script.BOTH),
    OLD_BYTES_BEFORE_THE_FIRST_STORE(Script.BOTH),
    OLD_BYTES_KEPT_FOR_READS(Script.BOTH),
    READS_LOOKED_AT_AGAIN(Script.SKEW),
    LOCK_FROM_THE_WORD_SEEN(Script.BOTH),
    NEW_VERSION_AFTER_A_FAILURE(Script.BOTH),
    FREED_BYTES_ARE_OLD_BYTES(Script.REUSE),
    REUSE_AFTER_THE_COMMIT(Script.REUSE),
    GLANCE_BEGINS_AGAIN(Script.BOTH);

    private final Script script;

    HeapRule(Script script) {
        this.script = script;
    }

    /** As the command names it. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    Script script() {
        return script;
    }
}
