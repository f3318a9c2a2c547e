package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionLock;
import io.farheap.base.Ref;
import io.farheap.it.system.LedgerScript.Change;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The objects that the threads of a load work on: a ledger each, and one count for all.
 *
 * <pre>
 * root                                   ledger
 *   0  transactions that count for all     0  transactions, of this thread
 *  16  references to the ledgers, 16 each  16  references to objects, 16 each
 * </pre>
 */
public final class Ledgers {
    public static final String LAYOUT = "ledgers";

    private static final long LEDGER_TYPE = 1;
    private static final int REFERENCES = 16;
    private static final int LEDGER_BYTES = REFERENCES + LedgerScript.SLOTS * Ref.BYTES;

    private final ObjectPool pool;
    private final Ref root;
    private final List<Ref> ledgers = new ArrayList<>();
    private final TransactionLock countLock = new TransactionLock();

    /** Finds the ledgers, or makes them. */
    Ledgers(ObjectPool pool, int threads) {
        this.pool = pool;
        root = pool.root(REFERENCES + (long) threads * Ref.BYTES);
        if (pool.getRef(root, reference(0)).isNull()) {
            pool.transaction(
                    tx -> {
                        for (int t = 0; t < threads; t++) {
                            Ref ledger = tx.allocateZeroed(LEDGER_BYTES, LEDGER_TYPE);
                            tx.setRef(root, reference(t), ledger);
                        }
                    });
        }
        for (int t = 0; t < threads; t++) {
            ledgers.add(pool.getRef(root, reference(t)));
        }
    }

    private static int reference(int index) {
        return REFERENCES + index * Ref.BYTES;
    }

    /** How many transactions of a thread there were. */
    long number(int thread) {
        return pool.getLong(ledgers.get(thread), 0);
    }

    /** One transaction of a thread; durable, here and on the replicas, on return. */
    void commit(int thread, LedgerScript script) {
        List<Change> changes = script.next();
        long number = script.number() + 1;
        Ref ledger = ledgers.get(thread);
        pool.transaction(
                tx -> {
                    tx.setLong(ledger, 0, number);
                    for (Change change : changes) {
                        apply(tx, ledger, change, script);
                    }
                    if (LedgerScript.countsForAll(number)) {
                        tx.lock(countLock);
                        tx.setLong(root, 0, tx.getLong(root, 0) + 1);
                    }
                });
        script.accept(changes);
    }

    private static void apply(Transaction tx, Ref ledger, Change change, LedgerScript script) {
        int slot = reference(change.slot());
        Ref held = tx.getRef(ledger, slot);
        switch (change.kind()) {
            case ALLOCATE -> {
                Ref object = tx.allocate(change.size(), change.type());
                tx.writeBytes(object, 0, change.bytes(change.size()));
                tx.setRef(ledger, slot, object);
            }
            case FREE -> {
                tx.free(held);
                tx.setRef(ledger, slot, Ref.NULL);
            }
            case REALLOCATE -> {
                Ref object = tx.reallocate(held, change.size(), change.type());
                int kept = Math.min(script.size(change.slot()), change.size());
                if (kept < change.size()) {
                    tx.writeBytes(object, kept, change.bytes(change.size() - kept));
                }
                tx.setRef(ledger, slot, object);
            }
            case REWRITE -> tx.writeBytes(held, change.offset(), change.bytes(change.size()));
            case STORE -> {
                MemorySegment place = tx.snapshot(held, change.offset(), change.size());
                place.copyFrom(MemorySegment.ofArray(change.bytes(change.size())));
            }
        }
    }

    /**
     * Bytes that transactions of a thread store, at least.
     *
     * @param after the last transaction that doesn't count
     */
    public static long bytes(long seed, int thread, long after, long upTo) {
        LedgerScript script = LedgerScript.after(seed, thread, after);
        long bytes = 0;
        while (script.number() < upTo) {
            bytes += script.bytesOfNext();
            script.accept(script.next());
        }
        return bytes;
    }

    /**
     * That the pool is what some number of whole transactions of each thread leave behind, and
     * nothing else is in it.
     *
     * @return the numbers
     */
    public static long[] assertWhole(ObjectPool pool, long seed, int threads) {
        Ledgers ledgers = new Ledgers(pool, threads);
        long[] numbers = new long[threads];
        long forAll = 0;
        List<Ref> reachable = new ArrayList<>(ledgers.ledgers);
        for (int t = 0; t < threads; t++) {
            numbers[t] = ledgers.number(t);
            forAll += numbers[t] / 4;
            ledgers.assertWhole(t, LedgerScript.after(seed, t, numbers[t]), reachable);
        }
        assertThat(pool.getLong(ledgers.root, 0))
                .as("transactions that count for all, seed %d", seed)
                .isEqualTo(forAll);
        assertThat(pool.objects())
                .as("objects of the heap against reachable ones, seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(reachable);
        return numbers;
    }

    private void assertWhole(int thread, LedgerScript script, List<Ref> reachable) {
        for (int slot = 0; slot < LedgerScript.SLOTS; slot++) {
            String what =
                    "slot %d of thread %d after transaction %d"
                            .formatted(slot, thread, script.number());
            Ref object = pool.getRef(ledgers.get(thread), reference(slot));
            byte[] expected = script.bytes(slot);
            assertThat(object.isNull()).as(what).isEqualTo(expected == null);
            if (expected != null) {
                reachable.add(object);
                assertThat(pool.typeNumber(object)).as(what).isEqualTo(script.type(slot));
                assertThat(pool.readBytes(object, 0, expected.length)).as(what).isEqualTo(expected);
            }
        }
    }
}
