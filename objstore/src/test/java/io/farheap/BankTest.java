package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads move money and open and close accounts; the sum never changes. */
class BankTest {
    private static final int ACCOUNTS = 32;
    private static final int THREADS = 4;
    private static final int TRANSFERS = 400;
    private static final long START_BALANCE = 1000;
    private static final long ACCOUNT = 1;
    private static final long RECEIPT = 2;

    @TempDir Path dir;

    private final TransactionLock[] locks = new TransactionLock[ACCOUNTS];

    private static long balance(Transaction tx, Ref root, int account) {
        return tx.getLong(tx.getRef(root, 16L * account), 0);
    }

    private void transfer(ObjectPool pool, Random random) {
        int from = random.nextInt(ACCOUNTS);
        int to = random.nextInt(ACCOUNTS);
        long amount = random.nextInt(50);
        Ref root = pool.root();
        pool.transaction(
                tx -> {
                    tx.lock(locks[Math.min(from, to)]);
                    tx.lock(locks[Math.max(from, to)]);
                    Ref source = tx.getRef(root, 16L * from);
                    Ref target = tx.getRef(root, 16L * to);
                    tx.setLong(source, 0, tx.getLong(source, 0) - amount);
                    tx.setLong(target, 0, tx.getLong(target, 0) + amount);
                    Ref receipt = tx.getRef(source, 8);
                    if (!receipt.isNull()) {
                        tx.free(receipt);
                    }
                    Ref written = tx.allocate(20 + random.nextInt(500), RECEIPT);
                    tx.setLong(written, 0, amount);
                    tx.setRef(source, 8, written);
                    if (random.nextInt(10) == 0) {
                        throw new TransactionAbortedException("changed their mind");
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSumIsTheSameAfterReopening(boolean virtualThreads) throws InterruptedException {
        long seed = 20261121;
        Path file = dir.resolve("bank.pool");
        for (int i = 0; i < ACCOUNTS; i++) {
            locks[i] = new TransactionLock();
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("bank").size(16 << 20).create()) {
            Ref root = pool.root(16 * ACCOUNTS);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < ACCOUNTS; i++) {
                            Ref account = tx.allocateZeroed(32, ACCOUNT);
                            tx.setLong(account, 0, START_BALANCE);
                            tx.setRef(root, 16L * i, account);
                        }
                    });
            runTransfers(pool, seed, virtualThreads);
        }
        try (ObjectPool pool = ObjectPool.open(file, "bank")) {
            long sum =
                    pool.compute(
                            tx -> {
                                long all = 0;
                                for (int i = 0; i < ACCOUNTS; i++) {
                                    all += balance(tx, pool.root(), i);
                                }
                                return all;
                            });
            assertThat(sum).as("seed " + seed).isEqualTo(ACCOUNTS * START_BALANCE);
            int receipts = 0;
            for (Ref account : pool.objects(ACCOUNT)) {
                receipts += pool.getRef(account, 8).isNull() ? 0 : 1;
            }
            assertThat(pool.objects(RECEIPT)).as("seed " + seed).hasSize(receipts);
        }
    }

    private void runTransfers(ObjectPool pool, long seed, boolean virtualThreads)
            throws InterruptedException {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            Random random = new Random(seed + t);
            Runnable work =
                    () -> {
                        for (int i = 0; i < TRANSFERS; i++) {
                            try {
                                transfer(pool, random);
                            } catch (TransactionAbortedException expected) {
                                assertThat(expected).hasMessage("changed their mind");
                            } catch (Throwable failure) {
                                failures.add(failure);
                                return;
                            }
                        }
                    };
            threads.add(
                    virtualThreads
                            ? Thread.ofVirtual().start(work)
                            : Thread.ofPlatform().start(work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).as("seed " + seed).isEmpty();
    }
}
