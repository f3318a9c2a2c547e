/**
 * All copies of a pool, looked at once: where each is, what it holds, and which one holds what
 * others lack. Every command that says how copies are, or changes one because of another, judges by
 * this.
 */
package io.farheap.tools.survey;
