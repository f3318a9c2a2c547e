package io.farheap.objects.transaction;

import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

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

    private final Cleaner.Cleanable cleanable;

    ThreadTransactions(HeapState heap) {
        Holders holders = new Holders(heap);
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

    /** The heap is closed, and no transaction or read runs any more. */
    void forget() {
        cleanable.clean();
        Arrays.fill(recent, null);
    }
}
