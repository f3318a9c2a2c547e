package io.farheap.objects.type;

/**
 * The objects of one type that the root does not reach.
 *
 * @param type the name of the type in the pool; of what no object owns, its type number
 * @param objects how many
 * @param bytes that they take in the pool
 */
public record UnreachableObjects(String type, long objects, long bytes) {}
