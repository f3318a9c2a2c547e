/**
 * Inspects all copies of a pool at once: where each is, what it holds, and which one holds what
 * others lack. Every command that reports on copies, or changes one because of another, uses this
 * package.
 */
package io.farheap.tools.survey;
