package io.farheap.simulation;

/**
 * What one thread's commits have left in the pool. Every commit changes it as a whole, so that a
 * copy that holds half a commit shows that.
 *
 * @param count commits of this thread
 * @param attempt the last one's number: attempts that failed have theirs, too
 * @param shared how many of them counted the word that all threads share
 * @param objectOf the attempt that made the thread's object; 0: there is none
 */
record Row(long count, long attempt, long shared, long objectOf) {
    static final Row NOTHING = new Row(0, 0, 0, 0);

    /** What is stored beside it. */
    long check() {
        long mixed = count * 31 + attempt;
        mixed = mixed * 31 + shared;
        return (mixed * 31 + objectOf) * 0x9E3779B97F4A7C15L;
    }
}
