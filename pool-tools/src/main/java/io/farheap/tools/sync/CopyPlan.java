package io.farheap.tools.sync;

/**
 * What will be done to one copy.
 *
 * @param replica its place in the poolset file, from 0
 * @param host where it is, as in the REPLICA line; empty: on this machine
 * @param name its first part here, its poolset there
 * @param action what becomes of it
 * @param text the same in a sentence, with the reason
 */
record CopyPlan(int replica, String host, String name, Action action, String text) {

    /** The words of the report, which stay as they are. */
    enum Action {
        /** Nothing of it is changed. */
        STAYS,
        /** Nothing of its content is changed; others are made from it. */
        SOURCE,
        /** Some of its parts, or all of them, are made anew. */
        RESTORED,
        /** It gets all of the pool. */
        COPIED,
        /** It gets what it lacks. */
        BROUGHT_UP,
        /** It can't be reached, and is left out. */
        LEFT_OUT
    }

    /** Whether what it holds gives way to what another copy holds. */
    boolean isOverwritten() {
        return action == Action.RESTORED || action == Action.COPIED || action == Action.BROUGHT_UP;
    }

    String line() {
        return "replica "
                + replica
                + ", "
                + (host.isEmpty() ? "here" : host)
                + ", "
                + name
                + ": "
                + text;
    }
}
