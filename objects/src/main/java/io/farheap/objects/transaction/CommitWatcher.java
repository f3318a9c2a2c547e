package io.farheap.objects.transaction;

/**
 * Is told what commits are about to change and free, by the threads that commit. What it does must
 * be short and must not throw. Must be thread-safe.
 */
public interface CommitWatcher {
    /**
     * @param object one that was there before, of those that are not shared by lines, or that the
     *     commit deletes; freed ones are told so, too
     */
    void changes(long object);

    /**
     * @param object shared by lines or not; until this returns nobody else is given its place
     */
    void frees(long object);
}
