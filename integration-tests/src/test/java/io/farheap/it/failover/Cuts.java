package io.farheap.it.failover;

/** Which nodes do not reach which, or the store, at the moment. */
interface Cuts {
    /** What does not arrive. */
    enum Way {
        BOTH,
        OUT,
        IN
    }

    /** Of what does not arrive. */
    enum Fate {
        /** Nobody is told, and it arrives when that is mended, if it is still sent. */
        HELD,

        /** It is gone, and its sender hears of that. */
        LOST
    }

    /**
     * A node that is cut off.
     *
     * @param from another node or {@link TurnNodes#STORE}; empty: all of them
     * @param way as the node sees it
     */
    record Cut(String node, String from, Way way, Fate fate) {
        @Override
        public String toString() {
            return node + " | " + (from.isEmpty() ? "all" : from) + ", " + way + " " + fate;
        }
    }

    void make(Cut cut);

    void mend(Cut cut);
}
