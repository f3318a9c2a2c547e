package io.farheap.availability.coordinator;

/** Decides what becomes of the requests that one client sends to a {@link MemoryStore}. */
@FunctionalInterface
public interface StoreFaults {
    /** Every request is answered. */
    StoreFaults NONE = () -> Fate.ANSWERED;

    /** What becomes of a request. */
    enum Fate {
        /** It is carried out and answered. */
        ANSWERED,
        /** It never reaches the store. */
        CUT,
        /** It is carried out, and the answer is lost. */
        ANSWER_LOST,
        /**
         * No answer; it waits until {@link MemoryStore#deliverLate} or {@link
         * MemoryStore#dropLate}.
         */
        LATE
    }

    /** Of the next request. */
    Fate next();
}
