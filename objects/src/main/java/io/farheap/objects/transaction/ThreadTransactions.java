package io.farheap.objects.transaction;

import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.stream.Collectors;

/**
 * The {@link HeapTransaction} of each thread. A thread that lives on keeps nothing of a heap that
 * was closed, nor of one that nobody has any more. Thread-safe.
 */
final class ThreadTransactions {
    /** With the JVM's own thread, which keeps no class of the program's. */
    private static final Cleaner CLEANER = Cleaner.create();

    private static final int RECENT = 64;

    private final ThreadLocal<Object[]> mine;

    /**
     * Those of threads that asked lately, at the places that their numbers say: who finds its own
     * here needs not ask the thread. Without an order of memory: a thread takes only the one with
     * its number, which it has put there itself.
     */
    private final HeapTransaction[] recent = new HeapTransaction[RECENT];

    private final Holders holders;
    private final Cleaner.Cleanable cleanable;

    ThreadTransactions(HeapState heap) {
        this.holders = new Holders(heap);
        this.mine = ThreadLocal.withInitial(holders::added);
        this.cleanable = CLEANER.register(this, holders);
    }

    /** Of each thread an array with one element, which can be taken away from it. */
    private static final class Holders implements Runnable {
        private final HeapState heap;
        private final Set<Object[]> held = Collections.newSetFromMap(new WeakHashMap<>());

        Holders(HeapState heap) {
            this.heap = heap;
        }

        synchronized Object[] added() {
            Object[] holder = {new HeapTransaction(heap)};
            held.add(holder);
            return holder;
        }

        synchronized Set<Long> active() {
            return held.stream()
                    .map(holder -> (HeapTransaction) holder[0])
                    .filter(tx -> tx != null && tx.isActive())
                    .map(HeapTransaction::thread)
                    .collect(Collectors.toCollection(HashSet::new));
        }

        @Override
        public synchronized void run() {
            held.forEach(holder -> holder[0] = null);
        }
    }

    /** The calling thread's, active or not; may be null after {@link #forget}. */
    HeapTransaction mine() {
        long thread = Thread.currentThread().threadId();
        HeapTransaction tx = recent[(int) thread & RECENT - 1];
        return tx != null && tx.thread() == thread ? tx : asked(thread);
    }

    private HeapTransaction asked(long thread) {
        HeapTransaction tx = (HeapTransaction) mine.get()[0];
        recent[(int) thread & RECENT - 1] = tx;
        return tx;
    }

    /** Threads in a transaction or read now, for a person: names, or numbers of virtual ones. */
    String active() {
        Set<Long> active = holders.active();
        Set<String> names = new TreeSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (active.remove(thread.threadId())) {
                names.add(thread.getName());
            }
        }
        active.forEach(thread -> names.add("number " + thread));
        return String.join(", ", names);
    }

    /** The heap is closed, and no transaction or read runs any more. */
    void forget() {
        cleanable.clean();
        Arrays.fill(recent, null);
    }
}
