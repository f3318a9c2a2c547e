package io.farheap.model;

/** A system that is explored: an initial state, and what may happen in each. */
public interface Model {
    /** Longs of a packed state. */
    int longs();

    void initial(long[] state);

    /** Tells every event that is possible in a state. */
    void next(long[] state, Events events);

    /** Whether everything that should happen in the end has happened. */
    boolean isDone(long[] state);

    /** One line for a person. */
    String show(long[] state);

    /** Takes events. */
    interface Events {
        /**
         * @param event what happens; in capitals: a fault
         * @param detail of it: which replica, thread, word
         * @param state packed; may be reused by the caller
         */
        void then(String event, int detail, long[] state);

        /** The same, and the state is one that must not be. */
        void wrong(String event, int detail, long[] state, String why);
    }
}
