package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.schema.SortedBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sorted collections of objects: what was taken out may be changed or deleted, wherever in the tree
 * it was.
 */
class SortedReferencesTest {
    private static final int ACCOUNTS = 2_000;

    @Persistent
    interface Root {
        @SortedBy(ByBalance.class)
        PersistentSortedSet<Account> set();

        @SortedBy(ByBalance.class)
        PersistentSortedMap<Account, Long> map();
    }

    @Persistent
    interface Account {
        long balance();

        void balance(long value);
    }

    static final class ByBalance implements Comparator<Account> {
        @Override
        public int compare(Account one, Account other) {
            return Long.compare(one.balance(), other.balance());
        }
    }

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
    private final List<Account> accounts = new ArrayList<>();

    @AfterEach
    void close() {
        heap.close();
    }

    private void fill() {
        System.out.println("SortedReferencesTest: seed " + seed);
        heap.transaction(
                root -> {
                    for (int i = 0; i < ACCOUNTS; i++) {
                        long balance = 10L * i;
                        Account account = heap.create(Account.class, one -> one.balance(balance));
                        accounts.add(account);
                        root.set().add(account);
                        root.map().put(account, balance);
                    }
                });
    }

    private Account takeOne() {
        Account account = accounts.remove(random.nextInt(accounts.size()));
        assertThat(heap.root().set().remove(account)).isTrue();
        assertThat(heap.root().map().remove(account)).isEqualTo(account.balance());
        return account;
    }

    private void requireAll() {
        heap.view(
                root -> {
                    assertThat(root.set()).hasSameSizeAs(accounts);
                    assertThat(root.map()).hasSameSizeAs(accounts);
                    for (Account account : accounts) {
                        assertThat(root.set().contains(account)).as("seed %d", seed).isTrue();
                        assertThat(root.map().get(account)).isEqualTo(account.balance());
                    }
                });
    }

    @Test
    void whatWasTakenOutCanBeDeleted() {
        fill();
        while (!accounts.isEmpty()) {
            heap.delete(takeOne());
            if (accounts.size() % 200 == 0) {
                requireAll();
                heap.reclaim();
                assertThat(heap.unreachable().objects()).isZero();
            }
        }
    }

    @Test
    void whatWasTakenOutCanBeChangedAndComesBackElsewhere() {
        fill();
        for (int i = 0; i < ACCOUNTS; i++) {
            Account account = takeOne();
            account.balance(10L * random.nextInt(ACCOUNTS) + 1 + random.nextInt(9));
            if (heap.root().set().add(account)) {
                assertThat(heap.root().map().put(account, account.balance())).isNull();
                accounts.add(account);
            }
            if (i % 200 == 0) {
                requireAll();
            }
        }
        requireAll();
    }
}
