package io.farheap.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.examples.Bank.Audit;
import io.farheap.examples.Bank.Ledger;
import io.farheap.objects.PersistentHeap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BankTest {
    private static final int OWNERS = 8;
    private static final int TRANSFERS = 300;

    @Test
    void aTransferIsWholeOrNothing() {
        try (PersistentHeap<Ledger> heap = PersistentHeap.inMemory(Ledger.class)) {
            Bank bank = new Bank(heap);
            bank.deposit("Ada", 100);
            bank.deposit("Bob", 5);

            bank.transfer("Ada", "Bob", 30, "rent");
            assertThatThrownBy(() -> bank.transfer("Ada", "Bob", 71, "too much"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("Only 70 left; not 71");
            assertThatThrownBy(() -> bank.transfer("Eve", "Bob", 1, "from nobody"))
                    .isInstanceOf(IllegalArgumentException.class);

            assertThat(heap.root().accounts().get("Ada").balance()).isEqualTo(70);
            assertThat(heap.root().accounts().get("Bob").balance()).isEqualTo(35);
            assertThat(heap.root().accounts().get("Bob").entries())
                    .extracting(Bank.Entry::text)
                    .containsExactly("deposit", "rent");
        }
    }

    /** Nothing is made or lost by transfers, and no audit sees the middle of one. */
    @Test
    void auditsWhileThreadsTransferSeeTheSameSum() throws Exception {
        try (PersistentHeap<Ledger> heap = PersistentHeap.inMemory(Ledger.class);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            Bank bank = new Bank(heap);
            for (int i = 0; i < OWNERS; i++) {
                bank.deposit("owner " + i, 1000);
            }

            List<Future<?>> transfers = new ArrayList<>();
            for (long seed = 1; seed <= 3; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                transfers.add(threads.submit(() -> transferAtRandom(bank, random)));
            }
            do {
                assertThat(bank.audit()).isEqualTo(new Audit(1000 * OWNERS, 1000 * OWNERS));
            } while (!transfers.stream().allMatch(Future::isDone));

            for (Future<?> transfer : transfers) {
                assertThat(transfer.get()).isNull();
            }
            assertThat(heap.root().accounts().values())
                    .flatMap(account -> account.entries())
                    .hasSize(OWNERS + 2 * 3 * TRANSFERS);
        }
    }

    private static void transferAtRandom(Bank bank, SplittableRandom random) {
        for (int i = 0; i < TRANSFERS; i++) {
            int from = random.nextInt(OWNERS);
            int to = (from + 1 + random.nextInt(OWNERS - 1)) % OWNERS;
            bank.transfer("owner " + from, "owner " + to, 1, "transfer " + i);
        }
    }

    @Test
    void whatItHasIsThereAfterItIsOpenedAgain(@TempDir Path directory) {
        Path file = directory.resolve("bank");
        try (PersistentHeap<Ledger> heap =
                PersistentHeap.openOrCreate(file, 16L << 20, Ledger.class)) {
            new Bank(heap).deposit("Ada", 100);
            new Bank(heap).deposit("Bob", 5);
        }

        try (PersistentHeap<Ledger> heap = PersistentHeap.open(file, Ledger.class)) {
            new Bank(heap).transfer("Ada", "Bob", 1, "rent");
            assertThat(new Bank(heap).audit()).isEqualTo(new Audit(105, 105));
        }
    }
}
