package io.farheap.it.failover;

import io.farheap.it.support.Cables;
import io.farheap.it.support.Cables.Fate;
import io.farheap.it.support.Cables.Lane;
import io.farheap.it.support.Cables.Route;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Which nodes do not reach which, or the store, at the moment. */
final class Cuts {
    private final List<Cut> cuts = new CopyOnWriteArrayList<>();

    /** What does not arrive. */
    enum Way {
        BOTH,
        OUT,
        IN
    }

    /**
     * A node that is cut off.
     *
     * @param from another node or the store; empty: all of them
     * @param way as the node sees it
     * @param fate of what does not arrive
     */
    record Cut(String node, String from, Way way, Fate fate) {
        private boolean concerns(Route route, Lane lane) {
            boolean begins =
                    route.from().equals(node) && (from.isEmpty() || route.to().equals(from));
            boolean ends = route.to().equals(node) && (from.isEmpty() || route.from().equals(from));
            return way == Way.BOTH
                    ? begins || ends
                    : (begins || ends) && (begins == lane.isThere()) == (way == Way.OUT);
        }

        @Override
        public String toString() {
            return node + " | " + (from.isEmpty() ? "all" : from) + ", " + way + " " + fate;
        }
    }

    Cuts(Cables cables) {
        cables.disturb(this::fate);
    }

    private Fate fate(Route route, Lane lane) {
        for (Cut cut : cuts) {
            if (cut.concerns(route, lane)) {
                return cut.fate();
            }
        }
        return Fate.CARRIED;
    }

    void make(Cut cut) {
        cuts.add(cut);
    }

    void mend(Cut cut) {
        cuts.remove(cut);
    }
}
