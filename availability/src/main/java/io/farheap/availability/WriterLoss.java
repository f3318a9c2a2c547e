package io.farheap.availability;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * That a node's turn to write is over, or is to end: whoever wants to know is told of each order
 * once, and once that it is over, each in a thread of its own, for it may wait as long as it likes.
 * Thread-safe.
 */
final class WriterLoss {
    private static final Logger LOG = LoggerFactory.getLogger(WriterLoss.class);

    private final List<Consumer<String>> actions = new ArrayList<>();

    /** What holds now; null: the turn goes on. */
    private String why;

    private boolean over;

    /** The newest one that was told. */
    private long order;

    /** Another node has taken over: the first reason counts, and nothing comes after it. */
    void lost(String reason) {
        tellIf(
                () -> {
                    boolean first = !over;
                    over = true;
                    return first;
                },
                reason);
    }

    /**
     * A person wants another node to write.
     *
     * @param version of the order: the same one is told once
     */
    void ordered(long version, String reason) {
        tellIf(
                () -> {
                    boolean isNew = !over && version > order;
                    order = Math.max(order, version);
                    return isNew;
                },
                reason);
    }

    /** No order is left: who asks from now on is not told of the last one. */
    synchronized void withdrawn() {
        why = over ? why : null;
    }

    private interface Condition {
        boolean isMet();
    }

    private void tellIf(Condition news, String reason) {
        List<Consumer<String>> due;
        synchronized (this) {
            if (!news.isMet()) {
                return;
            }
            why = reason;
            due = List.copyOf(actions);
        }
        LOG.warn("{}", reason);
        due.forEach(action -> tell(action, reason));
    }

    void onLost(Consumer<String> action) {
        String reason;
        synchronized (this) {
            actions.add(action);
            reason = why;
        }
        if (reason != null) {
            tell(action, reason);
        }
    }

    private static void tell(Consumer<String> action, String reason) {
        Thread.ofPlatform().daemon().name("farheap-writer-loss").start(() -> action.accept(reason));
    }
}
