package io.farheap.base;

import java.nio.file.Path;

/**
 * A disk journal as a file.
 *
 * @param file beside the first part of a local replica
 * @param bytes that it has, always
 * @param direct whether a sync is one write past the page cache ({@code O_DIRECT} and {@code
 *     O_DSYNC}); else a write and {@code fdatasync}. Found out by trying
 */
public record DiskJournalFacts(Path file, long bytes, boolean direct) {}
