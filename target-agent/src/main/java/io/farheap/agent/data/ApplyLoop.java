package io.farheap.agent.data;

import io.farheap.agent.store.ReplicaStore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The thread that applies committed records to the image, beside the one that answers commits.
 * While records come it looks every millisecond, so that many are applied and flushed at once and
 * no answer pays for waking it; after a while without any it sleeps until woken. Where records come
 * without a word it is the one that finds them, and never sleeps for long.
 */
public final class ApplyLoop implements Runnable {
    private static final long LOOK_NANOS = 1_000_000;
    private static final int LOOKS_BEFORE_SLEEP = 50;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000;

    private final ReplicaStore store;
    private final Consumer<RuntimeException> onFailure;
    private final Thread thread = new Thread(this, "apply");
    private volatile boolean stopping;
    private volatile boolean asleep;

    /**
     * @param onFailure told once when a record can't be applied; nothing is applied any more then
     */
    public ApplyLoop(ReplicaStore store, Consumer<RuntimeException> onFailure) {
        this.store = store;
        this.onFailure = onFailure;
        thread.setDaemon(true);
    }

    /** Starts its thread; once. */
    public void start() {
        thread.start();
    }

    /** There may be something to apply. Cheap while the thread is not asleep. */
    void wake() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        int looks = 0;
        try {
            while (!stopping) {
                boolean found = store.intake().look();
                if (store.applyBatch() > 0 || found) {
                    looks = 0;
                } else if (looks < LOOKS_BEFORE_SLEEP) {
                    looks++;
                    LockSupport.parkNanos(this, LOOK_NANOS);
                } else if (store.intake().isWatching()) {
                    doze(looks);
                    looks += looks < Integer.MAX_VALUE ? 1 : 0;
                } else {
                    sleep();
                    looks = 0;
                }
            }
        } catch (RuntimeException e) {
            onFailure.accept(e);
        } catch (Error e) {
            onFailure.accept(new IllegalStateException("The agent failed: " + e, e));
        }
    }

    /** Nobody wakes it for a record: it looks less often, the longer it has found none. */
    private void doze(int looks) {
        long pause = LOOK_NANOS * (looks / LOOKS_BEFORE_SLEEP);
        LockSupport.parkNanos(this, Math.min(pause, LONGEST_PAUSE_NANOS));
    }

    private void sleep() {
        asleep = true;
        // Whoever extends the tail after this look finds us asleep, and wakes us.
        if (!stopping && !store.canApply()) {
            LockSupport.park(this);
        } else if (!stopping) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        asleep = false;
    }

    /** Ends the thread after the batch it is at; waits for that. */
    void stop() throws InterruptedException {
        stopping = true;
        LockSupport.unpark(thread);
        if (thread.isAlive()) {
            thread.join();
        }
    }
}
