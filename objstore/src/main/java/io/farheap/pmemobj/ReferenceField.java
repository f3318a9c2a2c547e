package io.farheap.pmemobj;

import io.farheap.base.Ref;

/**
 * A place in a pool where a reference is kept.
 *
 * @param object the object that the field is part of
 * @param offset bytes from the start of its user data, a multiple of 8; {@value Ref#BYTES} bytes
 */
public record ReferenceField(Ref object, long offset) {}
