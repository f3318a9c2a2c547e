/**
 * {@code farheap sync}: {@link FoundReplicas} has what was found, a {@link Planner} decides what to
 * do, and {@link SyncRun} does it, except with {@code --dry-run}.
 */
package io.farheap.tools.sync;
