package io.farheap.it.typed;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A bank in which each transaction of a thread is known by its number: what accounts, a ledger in
 * every kind of collection, and receipts must be after so many transactions of each thread.
 */
final class TypedBank implements AutoCloseable {
    private static final int ACCOUNTS = 16;
    private static final long FIRST_BALANCE = 100;

    /** So many transactions of a thread the ledger has. */
    private static final int WINDOW = 48;

    private static final int QUEUE = 32;

    /** Every so many receipts are left to reclaim, the others deleted. */
    private static final int LEFT = 5;

    private static final int RECLAIM = 64;

    /** The root. */
    @Persistent(name = "Bank")
    interface Bank {
        PersistentMap<String, Account> accounts();

        PersistentMap<Integer, Teller> tellers();

        PersistentSortedMap<Long, Entry> ledger();

        PersistentSet<Long> seen();

        PersistentSortedSet<Long> order();

        PersistentList<Long> recent();

        PersistentDeque<Long> queue();

        PersistentCounter transfers();

        PersistentBlob log();
    }

    /** Who has a balance. */
    @Persistent(name = "Account")
    interface Account {
        long balance();

        void balance(long value);
    }

    /** A thread of the program. */
    @Persistent(name = "Teller")
    interface Teller {
        long number();

        void number(long value);

        Receipt receipt();

        void receipt(Receipt value);
    }

    /** Of a teller's last transaction. */
    @Persistent(name = "Receipt")
    interface Receipt {
        String text();

        void text(String value);
    }

    /** One transfer, as the ledger has it. */
    record Entry(String from, String to, long amount) {
        static Entry of(long seed, int thread, long number) {
            Random random = new Random(seed + 31 * number + thread);
            return new Entry(
                    "account " + random.nextInt(ACCOUNTS),
                    "account, with a longer name, " + random.nextInt(ACCOUNTS),
                    random.nextInt(10));
        }

        /** Names of accounts are short in the one and long in the other place. */
        String toName() {
            return to.replace(", with a longer name,", "");
        }
    }

    private final PersistentHeap<Bank> heap;
    private final long seed;
    private final int threads;

    private TypedBank(PersistentHeap<Bank> heap, long seed, int threads) {
        this.heap = heap;
        this.seed = seed;
        this.threads = threads;
        heap.transaction(
                bank -> {
                    for (int i = 0; i < ACCOUNTS && bank.tellers().isEmpty(); i++) {
                        Account account = heap.create(Account.class);
                        account.balance(FIRST_BALANCE);
                        bank.accounts().put("account " + i, account);
                    }
                    for (int i = 0; i < threads; i++) {
                        var unused =
                                bank.tellers().computeIfAbsent(i, t -> heap.create(Teller.class));
                    }
                });
    }

    static TypedBank open(Path set, long seed, int threads) {
        return new TypedBank(PersistentHeap.open(set, Bank.class), seed, threads);
    }

    /** The last transaction of a thread. */
    long number(int thread) {
        return heap.read(bank -> bank.tellers().get(thread).number());
    }

    // ---- one transaction ----

    /** Returns its number; durable then. */
    long commit(int thread) {
        long number = heap.compute(bank -> next(bank, thread));
        if (thread == 0 && number % RECLAIM == 0) {
            var unused = heap.reclaim();
        }
        return number;
    }

    private long next(Bank bank, int thread) {
        Teller teller = bank.tellers().get(thread);
        long number = teller.number() + 1;
        Entry entry = Entry.of(seed, thread, number);
        move(bank, entry.from(), -entry.amount());
        move(bank, entry.toName(), entry.amount());
        long id = id(thread, number);
        bank.ledger().put(id, entry);
        boolean isNew = bank.seen().add(id) && bank.order().add(id) && bank.recent().add(id);
        assertThat(isNew).isTrue();
        bank.queue().addLast(id);
        if (bank.queue().size() > QUEUE) {
            bank.queue().removeFirst();
        }
        bank.transfers().add(1);
        append(bank.log(), id);
        if (number > WINDOW) {
            forget(bank, id(thread, number - WINDOW));
        }
        receipt(teller, number);
        teller.number(number);
        return number;
    }

    private long id(int thread, long number) {
        return number * threads + thread;
    }

    private static void move(Bank bank, String name, long amount) {
        Account account = bank.accounts().get(name);
        account.balance(account.balance() + amount);
    }

    private static void append(PersistentBlob log, long id) {
        try {
            log.newOutputStream().write(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void forget(Bank bank, long id) {
        assertThat(bank.ledger().remove(id)).isNotNull();
        boolean wasThere =
                bank.seen().remove(id) && bank.order().remove(id) && bank.recent().remove(id);
        assertThat(wasThere).isTrue();
    }

    private void receipt(Teller teller, long number) {
        Receipt old = teller.receipt();
        teller.receipt(heap.create(Receipt.class, receipt -> receipt.text(text(number))));
        if (old != null && number % LEFT != 0) {
            heap.delete(old);
        }
    }

    private static String text(long number) {
        return "the receipt of transaction " + number;
    }

    // ---- what must be there ----

    /**
     * That all of the heap is what so many transactions of each thread leave, no more and no less.
     *
     * @return by thread, how many
     */
    long[] assertWhole() {
        long[] numbers = heap.read(this::wholeNumbers);
        var unused = heap.reclaim();
        assertThat(heap.unreachable().objects()).as("unreachable after a reclaim").isZero();
        assertThat(heap.read(this::wholeNumbers)).as("after a reclaim").isEqualTo(numbers);
        return numbers;
    }

    private long[] wholeNumbers(Bank bank) {
        long[] numbers = new long[threads];
        Map<String, Long> balances = new HashMap<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            balances.put("account " + i, FIRST_BALANCE);
        }
        Map<Long, Entry> ledger = new TreeMap<>();
        List<Long> all = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Teller teller = bank.tellers().get(thread);
            numbers[thread] = teller.number();
            for (long number = 1; number <= numbers[thread]; number++) {
                Entry entry = Entry.of(seed, thread, number);
                balances.merge(entry.from(), -entry.amount(), Long::sum);
                balances.merge(entry.toName(), entry.amount(), Long::sum);
                all.add(id(thread, number));
                if (number > numbers[thread] - WINDOW) {
                    ledger.put(id(thread, number), entry);
                }
            }
            Receipt receipt = teller.receipt();
            assertThat(receipt == null ? text(0) : receipt.text()).isEqualTo(text(numbers[thread]));
        }
        Map<String, Long> found = new HashMap<>();
        bank.accounts().forEach((name, account) -> found.put(name, account.balance()));
        assertThat(found).isEqualTo(balances);
        assertThat(found.values().stream().mapToLong(balance -> balance).sum())
                .isEqualTo(ACCOUNTS * FIRST_BALANCE);
        assertLedger(bank, ledger, all);
        return numbers;
    }

    private static void assertLedger(Bank bank, Map<Long, Entry> ledger, List<Long> all) {
        assertThat(new TreeMap<>(bank.ledger())).isEqualTo(ledger);
        assertThat(new TreeSet<>(bank.seen())).isEqualTo(ledger.keySet());
        assertThat(new ArrayList<>(bank.order())).isEqualTo(List.copyOf(ledger.keySet()));
        assertThat(bank.recent()).containsExactlyInAnyOrderElementsOf(ledger.keySet());
        assertThat(bank.queue())
                .hasSize(Math.min(QUEUE, all.size()))
                .doesNotHaveDuplicates()
                .isSubsetOf(all);
        assertThat(bank.transfers().get()).isEqualTo(all.size());
        List<Long> logged = logged(bank.log());
        assertThat(logged).containsExactlyInAnyOrderElementsOf(all);
        int queued = bank.queue().size();
        assertThat(new ArrayList<>(bank.queue()))
                .isEqualTo(logged.subList(logged.size() - queued, logged.size()));
    }

    private static List<Long> logged(PersistentBlob log) {
        ByteBuffer bytes = ByteBuffer.allocate((int) log.size());
        try (SeekableByteChannel channel = log.newChannel()) {
            while (bytes.hasRemaining()) {
                assertThat(channel.read(bytes)).isPositive();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        bytes.flip();
        List<Long> ids = new ArrayList<>();
        while (bytes.hasRemaining()) {
            ids.add(bytes.getLong());
        }
        return ids;
    }

    @Override
    public void close() {
        heap.close();
    }
}
