package io.farheap.tools.placement;

import java.util.List;

/**
 * One thing that a person does to move a copy, after the one before it.
 *
 * @param action what kind of thing
 * @param node where; empty: anywhere
 * @param what in a sentence
 * @param lines of poolset files that it is about; empty: none
 * @param command what to type there; empty: no command of farheap
 */
public record MoveStep(
        Action action, String node, String what, List<String> lines, String command) {
    /** Copies what may change. */
    public MoveStep {
        lines = List.copyOf(lines);
    }

    /** In this order: no copy is taken away before what comes in its place is in sync. */
    public enum Action {
        /** Makes the new copy's place. */
        PREPARE,
        /** Has the writer make the copy. */
        ADD,
        /** Waits until what was ordered is so. */
        WAIT,
        /** Has the other nodes know it. */
        NAME,
        /** Has its program wait for its turn. */
        START,
        /** Has another node write. */
        SWITCH_OVER,
        /** Has the writer go on without the old copy. */
        REMOVE,
        /** Has nobody know that any more; its files stay until a person removes them. */
        RETIRE
    }
}
