package io.farheap.it.lab;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.Ref;
import java.nio.file.Path;

/** Commits in batches, and says of each what it took. */
public final class DoorbellProgram {
    static final int BATCHES = 10;
    static final int COMMITS = 40;

    private DoorbellProgram() {}

    /**
     * @param args the pool
     */
    public static void main(String[] args) {
        try (ObjectPool pool = ObjectPool.openOrCreate(Path.of(args[0]), "doorbells")) {
            Ref root = pool.root(64);
            commit(pool, root);
            for (int batch = 0; batch < BATCHES; batch++) {
                PoolCounters before = pool.counters();
                KernelDoorbells.reset();
                commit(pool, root);
                KernelDoorbells.Count rung = KernelDoorbells.read();
                PoolCounters after = pool.counters();
                System.out.printf(
                        "%d %d %d %d %d%n",
                        rung.own(),
                        rung.others(),
                        after.doorbells() - before.doorbells(),
                        after.workRequests() - before.workRequests(),
                        after.durabilityWaits() - before.durabilityWaits());
            }
        }
    }

    private static void commit(ObjectPool pool, Ref root) {
        for (int i = 0; i < COMMITS; i++) {
            long value = i;
            pool.transaction(tx -> tx.setLong(root, 0, value));
        }
    }
}
