package io.farheap.tools.sync;

/**
 * Why replicas can't be put together, and whether a person may be able to mend that.
 *
 * @param text one sentence; empty: there is no doubt
 */
record Doubt(String text, boolean isMendable) {
    static final Doubt NONE = new Doubt("", false);

    /** Null where there is no sentence. */
    static Doubt of(String text) {
        return text == null ? null : new Doubt(text, false);
    }

    static Doubt mendable(String... text) {
        return new Doubt(String.join("", text), true);
    }
}
