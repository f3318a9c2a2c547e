/**
 * {@code farheap transform}: what two poolset files differ in is a {@link PoolChange}; a {@link
 * TransformPlan} says what follows from it and from the files that are there; {@link TransformRun}
 * does that. New parts are complete beside their places, and a durable {@link SwitchNote} says what
 * is left to do, before the first file of the old pool changes.
 */
package io.farheap.tools.transform;
