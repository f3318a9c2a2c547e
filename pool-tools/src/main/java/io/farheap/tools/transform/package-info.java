/**
 * {@code farheap transform}: what two poolset files differ in is a {@link PoolChange}; {@link
 * LocalTransformation} and {@link RemoteTransformation} are what follows from it here and on
 * targets, and {@link TransformRun} does both. New parts are complete beside their places, and a
 * durable {@link SwitchNote} says what is left to do, before the first file of the old pool
 * changes.
 */
package io.farheap.tools.transform;
