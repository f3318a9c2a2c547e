package io.farheap.agent.service;

import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.store.ReplicaFigures;
import io.farheap.agent.store.ReplicaStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What an agent that listens knows of itself and of the replicas that its sessions have or had.
 * Thread-safe.
 */
final class ServiceFigures {
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final Map<Path, Served> replicas = new ConcurrentSkipListMap<>();

    /**
     * @param paths the replica's files
     * @param store open, of the session that has it; null: no session has it
     */
    private record Served(ReplicaPaths paths, ReplicaStore store) {}

    /**
     * A replica at the moment.
     *
     * @param poolset the target's own poolset file
     * @param part its first part
     * @param held a session has it
     * @param figures how it stands; empty where its journal can't be read
     */
    record Replica(Path poolset, Path part, boolean held, Optional<ReplicaFigures> figures) {}

    void sessionBegins() {
        begun.increment();
    }

    /**
     * @param good in good order
     */
    void sessionEnds(boolean good) {
        ended.increment();
        if (!good) {
            broken.increment();
        }
    }

    /** Somebody who said something was not let in. */
    void connectionRefused() {
        refused.increment();
    }

    /** A session has that replica. */
    void holds(ReplicaPaths paths, ReplicaStore store) {
        replicas.put(paths.poolsetFile(), new Served(paths, store));
    }

    /** It is about to let it go. */
    void leaves(ReplicaPaths paths, ReplicaStore store) {
        replicas.computeIfPresent(
                paths.poolsetFile(),
                (file, served) -> served.store() == store ? new Served(paths, null) : served);
    }

    long sessionsBegun() {
        return begun.sum();
    }

    long sessionsBroken() {
        return broken.sum();
    }

    long connectionsRefused() {
        return refused.sum();
    }

    /** How many sessions there are. */
    long sessions() {
        long before = ended.sum();
        return begun.sum() - before;
    }

    /** The replicas, by their poolset files; one that no session has and that is gone goes. */
    List<Replica> replicas() {
        replicas.values()
                .removeIf(each -> each.store() == null && !each.paths().journal().exists());
        List<Replica> found = new ArrayList<>();
        for (Served each : replicas.values()) {
            ReplicaStore store = each.store();
            found.add(
                    new Replica(
                            each.paths().poolsetFile(),
                            each.paths().parts().get(0).path(),
                            store != null,
                            store != null
                                    ? Optional.of(store.figures())
                                    : ReplicaInspection.slotOf(each.paths().journal())
                                            .map(ReplicaFigures::of)));
        }
        return found;
    }
}
