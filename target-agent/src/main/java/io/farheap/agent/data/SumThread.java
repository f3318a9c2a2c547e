package io.farheap.agent.data;

import io.farheap.agent.store.ReplicaStore;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Sums ranges that an initiator compares, one request at a time, on a thread of its own, which
 * there is from the first request on. For one thread.
 */
final class SumThread {
    private final ReplicaStore store;

    /**
     * Of fixed size: the single-threaded kind registers itself with a cleaner, which would hold
     * this object, and the store, forever where nobody calls {@link #stop}.
     */
    private final ExecutorService requests = Executors.newFixedThreadPool(1, this::started);

    /** Null until the first request. */
    private volatile Thread thread;

    private MemorySegment answer = MemorySegment.NULL;

    /** The length of the answer; null: nothing is asked for. */
    private CompletableFuture<Integer> length;

    SumThread(ReplicaStore store) {
        this.store = store;
    }

    boolean isIdle() {
        return length == null;
    }

    /**
     * Begins a request; to be called while idle.
     *
     * @param made run when the sums are made, or can't be
     */
    void begin(long offset, long bytes, long chunk, Runnable made) {
        if (answer.byteSize() == 0) {
            answer = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, Long.BYTES);
        }
        length =
                CompletableFuture.supplyAsync(
                        () -> store.sumImage(answer, offset, bytes, chunk), requests);
        var unused = length.whenComplete((done, failure) -> made.run());
    }

    /** Whether what was begun is over, well or not. */
    boolean areMade() {
        return length.isDone();
    }

    /** Where the answer is until the next request begins. */
    MemorySegment answer() {
        return answer;
    }

    /**
     * The length of the answer; idle again.
     *
     * @throws RuntimeException why there is none
     */
    int take() {
        CompletableFuture<Integer> made = length;
        length = null;
        try {
            return made.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error why) {
                throw why;
            }
            throw e.getCause() instanceof RuntimeException why ? why : e;
        }
    }

    private Thread started(Runnable work) {
        thread = Thread.ofPlatform().daemon().name("sums").unstarted(work);
        return thread;
    }

    /** Ends the thread after the request it is at; waits for that. */
    void stop() throws InterruptedException {
        requests.shutdown();
        Thread ending = thread;
        if (ending != null) {
            ending.join();
        }
    }
}
