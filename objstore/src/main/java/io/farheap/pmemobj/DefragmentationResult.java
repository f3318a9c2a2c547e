package io.farheap.pmemobj;

/**
 * What a defragmentation did ({@code struct pobj_defrag_result}).
 *
 * @param total objects that were looked at
 * @param relocated how many of them have been moved
 */
public record DefragmentationResult(long total, long relocated) {}
