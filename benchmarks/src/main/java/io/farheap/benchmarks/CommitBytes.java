package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.util.function.IntConsumer;

/**
 * What a commit sends to a replica and writes to a disk journal, by the pool's own counters, one
 * thread. No times: these bytes are the same on any machine.
 */
final class CommitBytes {
    @Persistent
    interface Bank {
        PersistentMap<String, Account> accounts();
    }

    @Persistent
    interface Account {
        long balance();

        void balance(long value);
    }

    private final ObjectPool pool;
    private final int commits;

    private CommitBytes(ObjectPool pool, int commits) {
        this.pool = pool;
        this.commits = commits;
    }

    static void run(Site site, int commits) {
        PoolOptions journal = PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        try (PersistentHeap<Bank> heap =
                PersistentHeap.open(site.replicatedSet(), journal, Bank.class)) {
            new CommitBytes(heap.pool(), commits).commits(heap);
        }
    }

    private void commits(PersistentHeap<Bank> heap) {
        Account ada =
                heap.compute(
                        bank -> {
                            Account one = heap.create(Account.class);
                            bank.accounts().put("Ada", one);
                            return one;
                        });
        measure("a long of a typed object", i -> heap.transaction(bank -> ada.balance(i)));
        measure(
                "a new typed object, in a map of strings",
                i ->
                        heap.transaction(
                                bank -> {
                                    Account one = heap.create(Account.class);
                                    bank.accounts().put("account " + i, one);
                                }));
        for (int bytes : new int[] {64, 1024, 65536}) {
            byte[] value = new byte[bytes];
            Ref object = pool.compute(tx -> tx.allocate(bytes, 1));
            measure(
                    bytes + " bytes of one object, raw API",
                    i -> {
                        value[i % bytes]++;
                        pool.transaction(tx -> tx.writeBytes(object, 0, value));
                    });
        }
    }

    private void measure(String what, IntConsumer commit) {
        commit.accept(0);
        PoolCounters before = pool.counters();
        for (int i = 1; i <= commits; i++) {
            commit.accept(i);
        }
        PoolCounters after = pool.counters();
        Figures.text(
                "%-42s to the replica %8.0f B, to the disk journal %8.0f B in %.2f syncs",
                what,
                (after.replicaBytes() - before.replicaBytes()) / (double) commits,
                (after.diskBytes() - before.diskBytes()) / (double) commits,
                (after.diskSyncs() - before.diskSyncs()) / (double) commits);
    }
}
