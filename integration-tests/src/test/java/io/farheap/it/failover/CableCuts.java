package io.farheap.it.failover;

import io.farheap.it.support.Cables;
import io.farheap.it.support.Cables.Lane;
import io.farheap.it.support.Cables.Route;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Cuts of proxies between processes of one host. */
final class CableCuts implements Cuts {
    private final List<Cut> cuts = new CopyOnWriteArrayList<>();

    CableCuts(Cables cables) {
        cables.disturb(this::fate);
    }

    private Cables.Fate fate(Route route, Lane lane) {
        for (Cut cut : cuts) {
            if (concerns(cut, route, lane)) {
                return cut.fate() == Fate.HELD ? Cables.Fate.HELD : Cables.Fate.LOST;
            }
        }
        return Cables.Fate.CARRIED;
    }

    private static boolean concerns(Cut cut, Route route, Lane lane) {
        boolean begins = route.from().equals(cut.node()) && isFrom(cut, route.to());
        boolean ends = route.to().equals(cut.node()) && isFrom(cut, route.from());
        return cut.way() == Way.BOTH
                ? begins || ends
                : (begins || ends) && (begins == lane.isThere()) == (cut.way() == Way.OUT);
    }

    private static boolean isFrom(Cut cut, String other) {
        return cut.from().isEmpty() || cut.from().equals(other);
    }

    @Override
    public void make(Cut cut) {
        cuts.add(cut);
    }

    @Override
    public void mend(Cut cut) {
        cuts.remove(cut);
    }
}
