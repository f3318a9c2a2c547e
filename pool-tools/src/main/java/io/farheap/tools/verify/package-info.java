/**
 * {@code farheap verify}: compares the copies that do not change meanwhile ({@link LocalImages},
 * and remote ones that are held for it) by checksums ({@link Comparison}), concludes from what they
 * have in common which copy is right ({@link Judgement}), and reports all of it ({@link
 * Verification}).
 */
package io.farheap.tools.verify;
