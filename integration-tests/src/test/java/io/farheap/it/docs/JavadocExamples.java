package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.availability.CataloguedPool;
import io.farheap.availability.HighAvailability;
import io.farheap.availability.Leadership;
import io.farheap.availability.PoolCatalogue;
import io.farheap.base.Ref;
import io.farheap.memory.PoolMemory;
import io.farheap.metrics.PoolMetrics;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.TransactionHandle;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.FailingCalls.Call;
import io.farheap.testing.PowerLoss;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * The examples of the public types' comments and of the overview, word for word, and what they
 * name.
 */
abstract class JavadocExamples {
    private static final long ACCOUNT = 1;
    private static final long BALANCE = 0;
    private static final long FIRST = 0;
    private static final long TO = 8;

    abstract void serve(ObjectPool pool);

    abstract void openAccounts(ObjectPool pool, long balance);

    abstract void transfer(ObjectPool pool, long amount);

    abstract long balance(ObjectPool pool, long account);

    abstract long sum(ObjectPool pool);

    abstract void recover(PoolMemory memory);

    abstract void check(PoolMemory memory);

    abstract void workload(PoolMemory memory);

    abstract void workload();

    static final class Overview {
        private Overview() {}

        @Persistent
        interface Bank {
            PersistentMap<String, Long> balances();
        }

        static long run(Path bankSet) {
            try (PersistentHeap<Bank> heap = PersistentHeap.open(bankSet, Bank.class)) {
                heap.transaction(
                        bank -> {
                            bank.balances().merge("Ada", 100L, Long::sum);
                        }); // returned: durable here and on every replica
                return heap.read(bank -> bank.balances().get("Ada"));
            }
        }
    }

    interface Server {
        void stop();
    }

    @Persistent
    interface Totals {
        void total(long value);
    }

    List<CataloguedPool> poolCatalogue() {
        List<CataloguedPool> pools =
                PoolCatalogue.of("etcd:https://e1:2379,https://e2:2379").look();
        return pools;
    }

    void highAvailability(Server server) {
        HighAvailability here =
                HighAvailability.of("etcd:https://e1:2379,https://e2:2379,https://e3:2379", "bank")
                        .node("a")
                        .copy(Path.of("copy.set"))
                        .minCopies(2);
        try (Leadership<ObjectPool> turn =
                here.open(() -> ObjectPool.open(Path.of("bank.set"), "bank"))) {
            turn.onLost(why -> server.stop());
            serve(turn.pool());
        }
    }

    void poolMetrics(MeterRegistry registry) {
        try (ObjectPool pool = ObjectPool.open(Path.of("bank.set"), "bank");
                PoolMetrics metrics = new PoolMetrics(pool, "bank")) {
            metrics.bindTo(registry);
            serve(pool);
        }
    }

    ObjectPool poolBuilder() {
        return ObjectPool.at(Path.of("bank.pool")).layout("bank").size(64 << 20).openOrCreate();
    }

    void manualTransaction(ObjectPool pool, Ref account) {
        try (ManualTransaction manual = pool.begin()) {
            manual.transaction().setLong(account, BALANCE, 100);
            manual.commit();
        } // without commit(): rolled back
    }

    void transactionHandle(PersistentHeap<Totals> heap, long sum) {
        try (TransactionHandle transaction = heap.begin()) {
            heap.root().total(sum);
            transaction.commit();
        } // without commit(): rolled back
    }

    void actions(ObjectPool pool, Ref root) {
        try (Actions actions = pool.actions()) {
            NewObject account = actions.reserve(64, ACCOUNT);
            account.setLong(BALANCE, 100);
            actions.deferFree(pool.getRef(root, FIRST));
            actions.setRef(root, FIRST, account.ref());
            actions.publish();
        }
    }

    void crashSimulation(Random random) {
        CrashSimulation machine = new CrashSimulation(1 << 20);
        machine.beforeEachStep(
                () -> {
                    CrashSimulation restarted = machine.crash(Loss.RANDOM, random);
                    recover(restarted.memory());
                    check(restarted.memory());
                });
        workload(machine.memory());
    }

    void failingCalls(Path directory) {
        try (FailingCalls disk = FailingCalls.under(directory)) {
            disk.fail(3, FailingCalls.EIO); // the third call from now on
            disk.fail(Call.SYNC_PAGES, 1, FailingCalls.EIO); // or the next of its kind
            workload();
        }
    }

    void powerLoss() throws Exception {
        PowerLoss.during(pool -> transfer(pool, 30))
                .startingWith(pool -> openAccounts(pool, 100))
                .onceReturned(pool -> assertThat(balance(pool, TO)).isEqualTo(30))
                .check(pool -> assertThat(sum(pool)).isEqualTo(100));
    }
}
