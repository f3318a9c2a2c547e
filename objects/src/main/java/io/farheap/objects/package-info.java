/**
 * Heaps of typed persistent objects: open one, run transactions and reads. The types themselves are
 * written with {@code io.farheap.objects.schema}.
 */
package io.farheap.objects;
