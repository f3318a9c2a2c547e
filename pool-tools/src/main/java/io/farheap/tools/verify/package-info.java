/**
 * {@code farheap verify}: the copies that stand still ({@link LocalImages}, and remote ones that
 * are taken for it) are compared by checksums ({@link Comparison}), which copy is right follows
 * from what they have in common ({@link Judgement}), and {@link Verification} says all of it.
 */
package io.farheap.tools.verify;
