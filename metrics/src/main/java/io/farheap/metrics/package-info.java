/**
 * An open pool as monitoring sees it (docs/monitoring.md): {@link io.farheap.metrics.PoolMetrics}
 * and {@link io.farheap.metrics.PoolTimes} for Micrometer, {@link io.farheap.metrics.PoolBean} for
 * JMX. Nothing here is on the path of a commit.
 */
package io.farheap.metrics;
