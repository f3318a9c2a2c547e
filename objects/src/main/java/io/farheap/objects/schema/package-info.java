/**
 * What a program writes its persistent types with: annotations, and collections as fields. {@code
 * io.farheap.objects.PersistentHeap} opens a heap of them.
 */
package io.farheap.objects.schema;
