package io.farheap.availability;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * That a node's turn to write is over, or is to end: whoever wants to know is told once, each in a
 * thread of its own, for it may wait as long as it likes. Thread-safe.
 */
final class WriterLoss {
    private static final Logger LOG = LoggerFactory.getLogger(WriterLoss.class);

    private final List<Consumer<String>> actions = new ArrayList<>();

    /** Null: not over. */
    private String why;

    /** The first reason counts. */
    void lost(String reason) {
        List<Consumer<String>> due;
        synchronized (this) {
            if (why != null) {
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
