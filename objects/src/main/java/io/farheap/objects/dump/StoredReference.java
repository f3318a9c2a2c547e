package io.farheap.objects.dump;

/** A reference of a dump: the number of the object that it leads to. */
public record StoredReference(long id) {}
