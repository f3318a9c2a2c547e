package io.farheap.tools.verify;

/**
 * What a copy holds where it differs from the reference: equal for copies that are equal in all
 * that means something, however many places that are.
 *
 * @param runs how many runs of bytes differ
 * @param sum of their offsets and of their checksums, all of them, in rising order
 */
record Content(long runs, long sum) {
    /** Of the reference, and of every copy that is equal to it. */
    static final Content SAME = new Content(0, 0);

    private static final long SPREAD = 0x9E3779B97F4A7C15L; // odd, its bits without a pattern

    /** One more run. */
    Content and(long offset, int checksum) {
        long added = (sum ^ offset) * SPREAD;
        added = (added ^ added >>> 29 ^ Integer.toUnsignedLong(checksum)) * SPREAD;
        return new Content(runs + 1, added ^ added >>> 32);
    }
}
