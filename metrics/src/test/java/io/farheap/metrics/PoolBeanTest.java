package io.farheap.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.HeapSpace;
import io.farheap.base.Ref;
import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pool's bean shows what the pool counts, to whoever knows JMX only. */
class PoolBeanTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    @TempDir private Path directory;

    private ObjectPool pool() {
        return ObjectPool.at(directory.resolve("a.pool")).layout("bank").size(8 << 20).create();
    }

    private static ObjectName name(String name) throws JMException {
        return new ObjectName("io.farheap:type=Pool,name=" + ObjectName.quote(name));
    }

    @Test
    void attributesAreThoseOfThePool() throws JMException {
        ObjectName bank = name("a, \"b\"");
        ObjectPool pool = pool();
        try (PoolBean bean = PoolBean.register(pool, "a, \"b\"")) {
            Ref root = pool.root(8);
            pool.transaction(tx -> tx.setLong(root, 0, 1));
            assertThat(server.getAttribute(bank, "Commits")).isEqualTo(pool.counters().commits());
            assertThat(server.getAttribute(bank, "Layout")).isEqualTo("bank");
            assertThat(server.getAttribute(bank, "PersistenceDomain"))
                    .isEqualTo(pool.persistenceDomain().name());
            assertThat((Map<?, ?>) (TabularData) server.getAttribute(bank, "Replicas")).isEmpty();
            assertThat(server.getAttribute(bank, "Number")).isEqualTo(pool.position().number());
            assertThat(server.getAttribute(bank, "Flushes")).isEqualTo(pool.counters().flushes());
            assertThat(server.getAttribute(bank, "HeapUsedBytes"))
                    .isEqualTo(pool.heap().space().usedBytes());
            assertThat(server.getAttribute(bank, "HeapFreeBytes"))
                    .isEqualTo(pool.heap().space().freeBytes());
            assertThat(server.getAttribute(bank, "HeapLargestFreeBytes"))
                    .isEqualTo(pool.heap().space().largestFreeBytes());
            assertThat(server.getAttribute(bank, "ComparedTimeSeconds")).isEqualTo(-1L);
            pool.close();
            assertThat(server.getAttribute(bank, "ComparedTimeSeconds")).isEqualTo(-1L);
            assertThat(server.getAttribute(bank, "HeapFreeBytes")).isEqualTo(-1L);
            assertThat(server.getAttribute(bank, "Number")).isEqualTo(-1L);
            assertThat((Long) server.getAttribute(bank, "Commits")).isPositive();
            bean.close();
            assertThat(server.isRegistered(bank)).isFalse();
        }
    }

    /** All that Micrometer is told, too. */
    @Test
    void everyCounterIsAnAttribute() throws Exception {
        ObjectName bank = name("a");
        try (ObjectPool pool = pool();
                PoolBean bean = PoolBean.register(pool, "a")) {
            assertThat(bean).isNotNull();
            Ref root = pool.root(8);
            pool.transaction(tx -> tx.setLong(root, 0, 1));
            for (RecordComponent counter : PoolCounters.class.getRecordComponents()) {
                String name = counter.getName();
                if (!name.equals("workRequests")) {
                    assertThat(
                                    server.getAttribute(
                                            bank,
                                            Character.toUpperCase(name.charAt(0))
                                                    + name.substring(1)))
                            .as(name)
                            .isEqualTo(counter.getAccessor().invoke(pool.counters()));
                }
            }
        }
    }

    @Test
    void whoReadsTheHeapsAttributesHasItCountedOnce() throws JMException {
        ObjectName bank = name("a");
        try (ObjectPool pool = pool();
                PoolBean bean = PoolBean.register(pool, "a")) {
            assertThat(bean).isNotNull();
            HeapSpace first = pool.heap().space();
            assertThat(server.getAttribute(bank, "HeapUsedBytes")).isEqualTo(first.usedBytes());
            pool.transaction(tx -> tx.allocate(1 << 20, 1));
            HeapSpace second = pool.heap().space();
            assertThat(server.getAttribute(bank, "HeapFreeBytes")).isEqualTo(first.freeBytes());
            assertThat(server.getAttribute(bank, "HeapLargestFreeBytes"))
                    .isEqualTo(first.largestFreeBytes());
            assertThat(server.getAttribute(bank, "HeapFreeBytes"))
                    .as("again")
                    .isEqualTo(second.freeBytes());
        }
    }

    @Test
    void twoOfOneNameAreRefused() {
        try (ObjectPool pool = pool();
                PoolBean bean = PoolBean.register(pool, "a")) {
            assertThat(bean).isNotNull();
            assertThatThrownBy(() -> PoolBean.register(pool, "a"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the pool's bean a can't be registered");
        }
    }
}
