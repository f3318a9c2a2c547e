package io.farheap.availability;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What of a pool in the catalogue wants a person's attention. */
final class PoolConcerns {
    private final CataloguedPool pool;
    private final List<String> found = new ArrayList<>();

    private PoolConcerns(CataloguedPool pool) {
        this.pool = pool;
    }

    static List<String> of(CataloguedPool pool) {
        PoolConcerns concerns = new PoolConcerns(pool);
        concerns.found.addAll(new TreeMap<>(pool.unreadable()).values());
        concerns.lookAtWriter();
        concerns.lookAtCopies();
        concerns.lookAtOrders();
        return List.copyOf(concerns.found);
    }

    private boolean isKnown(String part) {
        return !pool.unreadable().containsKey(part);
    }

    private void lookAtWriter() {
        if (!isKnown("lead")) {
            return;
        }
        if (pool.leader().isEmpty()) {
            found.add("nobody is announced as the writer" + waiting());
        } else if (pool.leaderTerm() == 0) {
            found.add(pool.leader() + " is about to write, and does not yet");
        } else if (isKnown("record") && pool.leaderTerm() > pool.term()) {
            found.add(
                    String.format(
                            "%s writes in term %d, and the record knows term %d: an older copy of"
                                    + " the store was restored",
                            pool.leader(), pool.leaderTerm(), pool.term()));
        } else if (isKnown("record")
                && (pool.leaderTerm() != pool.term() || !pool.leader().equals(pool.writer()))) {
            found.add(
                    String.format(
                            "%s is announced in term %d, and %s has taken over in term %d",
                            pool.leader(), pool.leaderTerm(), pool.writer(), pool.term()));
        }
    }

    private String waiting() {
        if (pool.set().isEmpty()) {
            return "";
        }
        List<String> able = pool.waiting().stream().filter(pool.set()::contains).toList();
        return able.isEmpty()
                ? "; no program of " + String.join(", ", pool.set()) + " waits for its turn"
                : "; a program waits on " + String.join(", ", able);
    }

    private void lookAtCopies() {
        if (!isKnown("record")) {
            return;
        }
        if (!pool.missing().isEmpty()) {
            found.add("commits do without the copy of " + String.join(", ", pool.missing()));
        }
        if (!pool.apart().isEmpty()) {
            found.add(
                    "set apart, and left alone until farheap ha discard there: the copy of "
                            + String.join(", ", pool.apart()));
        }
        if (pool.set().size() < pool.minCopies()) {
            found.add(
                    String.format(
                            "the set has %d of the %d copies that commits need",
                            pool.set().size(), pool.minCopies()));
        }
        if (pool.nodes().isEmpty() && pool.set().size() == 1) {
            found.add("one copy alone has every commit: " + pool.set().get(0) + "'s");
        }
    }

    private void lookAtOrders() {
        if (pool.paused()) {
            found.add("take-overs are paused: farheap ha resume lets them go on");
        }
        boolean done = pool.leaderTerm() > 0 && pool.ordered().equals(pool.leader());
        if (!pool.ordered().isEmpty() && !done) {
            found.add("a switch-over to " + pool.ordered() + " is asked for");
        }
    }
}
