/**
 * {@code farheap sync}: what is there is looked at ({@link FoundReplicas}), a {@link Planner}
 * decides what follows from it, and {@link SyncRun} does that, or with {@code --dry-run} does not.
 */
package io.farheap.tools.sync;
