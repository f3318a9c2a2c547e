package io.farheap.it.docs;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.nio.file.Path;

/** The example at the top of README.md, word for word. */
final class ReadmeExample {
    private ReadmeExample() {}

    // README, types: begin
    @Persistent
    interface Bank {
        PersistentMap<String, Account> accounts();
    }

    @Persistent
    interface Account {
        long balance();

        void balance(long value);
    }

    // README, types: end

    static long run(Path bankSet) {
        // README: begin
        // bank.set decides where the bytes live and who else has them. This code never changes.
        try (PersistentHeap<Bank> heap = PersistentHeap.open(bankSet, Bank.class)) {
            heap.transaction(
                    bank -> {
                        Account ada =
                                bank.accounts()
                                        .computeIfAbsent(
                                                "Ada", owner -> heap.create(Account.class));
                        ada.balance(ada.balance() + 100);
                    }); // returned: durable here and on every replica
            return heap.read(
                    bank -> bank.accounts().values().stream().mapToLong(Account::balance).sum());
        }
        // README: end
    }
}
