package io.farheap.metrics;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.HeapSpace;
import io.farheap.base.PoolPosition;
import io.farheap.base.ReplicaStatus;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A pool's bean in the platform's server, {@code io.farheap:type=Pool,name=NAME}, until it is
 * closed. Thread-safe.
 */
public final class PoolBean implements AutoCloseable {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final ObjectName name;

    private PoolBean(ObjectName name) {
        this.name = name;
    }

    /**
     * Registers it.
     *
     * @param name any text; it is quoted in the bean's name
     * @throws IllegalStateException when there is a bean of that name
     */
    public static PoolBean register(ObjectPool pool, String name) {
        try {
            PoolBean bean =
                    new PoolBean(
                            new ObjectName("io.farheap:type=Pool,name=" + ObjectName.quote(name)));
            bean.server.registerMBean(new View(pool), bean.name);
            return bean;
        } catch (JMException e) {
            throw new IllegalStateException(
                    "the pool's bean " + name + " can't be registered: " + e.getMessage(), e);
        }
    }

    /** Removes it. Idempotent. */
    @Override
    public void close() {
        try {
            server.unregisterMBean(name);
        } catch (InstanceNotFoundException gone) {
            return;
        } catch (JMException e) {
            throw new IllegalStateException(name + " can't be removed", e);
        }
    }

    private record View(LivePool live, SpaceLooks looks, String layout, String domain)
            implements PoolMXBean {
        View(ObjectPool pool) {
            this(new LivePool(pool), pool);
        }

        private View(LivePool live, ObjectPool pool) {
            this(live, new SpaceLooks(live), pool.layout(), pool.persistenceDomain().name());
        }

        private PoolCounters counters() {
            return live.counters();
        }

        private <T> Map<String, T> replicas(Function<ReplicaStatus, T> of) {
            Map<String, T> all = new TreeMap<>();
            live.replicas().forEach(each -> all.put(each.replica(), of.apply(each)));
            return all;
        }

        @Override
        public String getLayout() {
            return layout;
        }

        @Override
        public String getPersistenceDomain() {
            return domain;
        }

        @Override
        public long getCommits() {
            return counters().commits();
        }

        @Override
        public long getReadOnlyTransactions() {
            return counters().readOnlyTransactions();
        }

        @Override
        public long getAborts() {
            return counters().aborts();
        }

        @Override
        public long getNumber() {
            return live.position().map(PoolPosition::number).orElse(-1L);
        }

        @Override
        public long getFlushes() {
            return counters().flushes();
        }

        @Override
        public long getFences() {
            return counters().fences();
        }

        @Override
        public long getRecords() {
            return counters().records();
        }

        @Override
        public long getDurabilityWaits() {
            return counters().durabilityWaits();
        }

        @Override
        public long getDoorbells() {
            return counters().doorbells();
        }

        @Override
        public long getReplicaBytes() {
            return counters().replicaBytes();
        }

        @Override
        public long getDiskSyncs() {
            return counters().diskSyncs();
        }

        @Override
        public long getDiskBytes() {
            return counters().diskBytes();
        }

        @Override
        public long getCheckpoints() {
            return counters().checkpoints();
        }

        @Override
        public long getCheckpointPages() {
            return counters().checkpointPages();
        }

        @Override
        public long getDiskWaits() {
            return counters().diskWaits();
        }

        @Override
        public long getComparedTimeSeconds() {
            return live.compared().map(Instant::getEpochSecond).orElse(-1L);
        }

        private long space(int number, ToLongFunction<HeapSpace> of) {
            return looks.value(number).map(of::applyAsLong).orElse(-1L);
        }

        @Override
        public long getHeapUsedBytes() {
            return space(0, HeapSpace::usedBytes);
        }

        @Override
        public long getHeapFreeBytes() {
            return space(1, HeapSpace::freeBytes);
        }

        @Override
        public long getHeapLargestFreeBytes() {
            return space(2, HeapSpace::largestFreeBytes);
        }

        @Override
        public Map<String, String> getReplicas() {
            return replicas(each -> each.state() + ": " + each.reason());
        }

        @Override
        public Map<String, Long> getReplicaLagBytes() {
            return replicas(ReplicaStatus::lagBytes);
        }

        @Override
        public Map<String, Double> getReplicaLagSeconds() {
            return replicas(each -> each.lag().toMillis() / 1000.0);
        }

        @Override
        public Map<String, Integer> getReplicaDifferences() {
            return replicas(each -> each.differences().size());
        }
    }
}
