package io.farheap.tools.backup;

/**
 * What one backup has.
 *
 * @param pool as it was named
 * @param file the backup
 * @param base what it builds on; null: it is full
 * @param state CLOSED, OPEN or NOT_CLOSED
 * @param runId the pool's number
 * @param commits since the pool was opened; null where it was not open
 * @param imageBytes of the pool
 * @param contentBytes that it has of it, unpacked
 * @param fileBytes of the file
 * @param heldMillis for how long no commit could begin, at most; 0 where the pool was not open
 */
record BackupResult(
        String pool,
        String file,
        String base,
        String state,
        long runId,
        Long commits,
        long imageBytes,
        long contentBytes,
        long fileBytes,
        double heldMillis) {}
