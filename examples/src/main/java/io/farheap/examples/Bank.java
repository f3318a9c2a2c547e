package io.farheap.examples;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import java.time.Instant;
import java.util.Optional;

/** Accounts, transfers between them, and an audit that sees one instant while transfers go on. */
final class Bank {
    @Persistent
    interface Ledger {
        PersistentMap<String, Account> accounts();
    }

    @Persistent
    interface Account {
        long balance();

        void balance(long value);

        PersistentList<Entry> entries();

        default void book(long amount, String text) {
            if (balance() + amount < 0) {
                throw new IllegalStateException("Only " + balance() + " left; not " + -amount);
            }
            balance(balance() + amount);
            entries().add(new Entry(Instant.now(), amount, text));
        }
    }

    record Entry(Instant when, long amount, String text) {}

    record Audit(long balances, long booked) {}

    private final PersistentHeap<Ledger> heap;

    Bank(PersistentHeap<Ledger> heap) {
        this.heap = heap;
    }

    void deposit(String owner, long amount) {
        heap.transaction(
                ledger ->
                        ledger.accounts()
                                .computeIfAbsent(owner, name -> heap.create(Account.class))
                                .book(amount, "deposit"));
    }

    /** All of it or, when there is not enough or no such account, nothing of it. */
    void transfer(String from, String to, long amount, String text) {
        heap.transaction(
                ledger -> {
                    account(ledger, to).book(amount, text);
                    account(ledger, from).book(-amount, text);
                });
    }

    /** What all accounts have, and what was ever booked: equal at every instant. */
    Audit audit() {
        return heap.read(
                ledger -> {
                    long balances = 0;
                    long booked = 0;
                    for (Account account : ledger.accounts().values()) {
                        balances += account.balance();
                        booked += account.entries().stream().mapToLong(Entry::amount).sum();
                    }
                    return new Audit(balances, booked);
                });
    }

    private static Account account(Ledger ledger, String owner) {
        return Optional.ofNullable(ledger.accounts().get(owner))
                .orElseThrow(() -> new IllegalArgumentException("No account of " + owner));
    }
}
