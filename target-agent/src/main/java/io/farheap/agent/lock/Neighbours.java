package io.farheap.agent.lock;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which sessions of one process have replicas, by the replicas' lock files: one that is to be ended
 * takes no other with it. Thread-safe.
 */
public final class Neighbours {
    /** Of a process with one session. */
    public static final Neighbours NONE = new Neighbours(false);

    private final boolean several;
    private final Map<Path, Runnable> holders = new ConcurrentHashMap<>();

    private Neighbours(boolean several) {
        this.several = several;
    }

    /** Of a process that listens. */
    public static Neighbours inService() {
        return new Neighbours(true);
    }

    /** Whether this process serves others, too: nobody may end it for one replica. */
    boolean areSeveral() {
        return several;
    }

    /**
     * A session has that lock.
     *
     * @param end ends it, without waiting
     */
    public void took(Path lock, Runnable end) {
        if (several) {
            holders.put(lock, end);
        }
    }

    /** It is about to let it go. */
    public void leaves(Path lock, Runnable end) {
        boolean unused = holders.remove(lock, end);
    }

    /** Heeds the orders of other processes ({@link LetGoOrder}). */
    public void heedOrders() {
        holders.forEach(
                (lock, end) -> {
                    if (LetGoOrder.take(lock)) {
                        end.run();
                    }
                });
    }

    /** Orders the session that has the lock, if one has it, to let it go. */
    void end(Path lock) {
        Runnable holder = holders.get(lock);
        if (holder != null) {
            holder.run();
        }
    }
}
