package io.farheap.it.failover;

import io.farheap.it.support.Network;
import io.farheap.it.support.Network.Loss;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Cuts of a network between hosts: packets that a router does not forward. */
final class NetworkCuts implements Cuts {
    private final Network network;

    /** How many cuts lose these. */
    private final Map<Loss, Integer> losses = new HashMap<>();

    /**
     * @param network with {@link TurnNodes#hosts}
     */
    NetworkCuts(Network network) {
        this.network = network;
    }

    @Override
    public synchronized void make(Cut cut) {
        for (Loss loss : losses(cut)) {
            if (losses.merge(loss, 1, Integer::sum) == 1) {
                network.make(loss);
            }
        }
    }

    @Override
    public synchronized void mend(Cut cut) {
        for (Loss loss : losses(cut)) {
            if (losses.merge(loss, -1, Integer::sum) == 0) {
                network.mend(loss);
            }
        }
    }

    private static List<Loss> losses(Cut cut) {
        List<String> others =
                switch (cut.from()) {
                    case "" -> TurnNodes.hosts();
                    case TurnNodes.STORE -> TurnNodes.STORES;
                    default -> List.of(cut.from());
                };
        boolean told = cut.fate() == Fate.LOST;
        List<Loss> all = new ArrayList<>();
        for (String other : others) {
            if (!other.equals(cut.node())) {
                if (cut.way() != Way.IN) {
                    all.add(new Loss(cut.node(), other, told));
                }
                if (cut.way() != Way.OUT) {
                    all.add(new Loss(other, cut.node(), told));
                }
            }
        }
        return all;
    }
}
