package io.farheap.pool;

import java.nio.file.Path;

/**
 * Bytes of a part file that are to be replaced.
 *
 * @param path the file
 * @param offset where in it
 * @param bytes what is to be there; not to be changed
 * @param text why, for a person
 */
public record PartPatch(Path path, long offset, byte[] bytes, String text) {}
