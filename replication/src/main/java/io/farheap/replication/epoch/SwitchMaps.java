package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.dirty.Bases;
import io.farheap.replication.dirty.DirtyBits;
import io.farheap.replication.dirty.DirtyMap;
import io.farheap.replication.dirty.DirtyMaps;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.dirty.UnmarkableException;
import io.farheap.spi.ReplicatedPool;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dirty maps of a pool's replicas as switches make, keep and give up them
 * (docs/protocol.md#dirty-maps). For one thread at a time; {@link #unmarked} is for any.
 */
final class SwitchMaps {
    private static final Logger LOG = LoggerFactory.getLogger(SwitchMaps.class);

    private final ReplicatedPool pool;
    private final DirtyMaps maps;
    private final List<ReplicaTracker> copies;

    /**
     * @param copies all remote replicas of the pool
     */
    SwitchMaps(ReplicatedPool pool, DirtyMaps maps, List<ReplicaTracker> copies) {
        this.pool = pool;
        this.maps = maps;
        this.copies = copies;
    }

    /** At open: whoever has a map that goes with the pool's number. */
    void findAll() {
        copies.forEach(copy -> copy.setMap(find(copy)));
    }

    /** A map that can't be read is none. */
    private DirtyMap find(ReplicaTracker copy) {
        try {
            return maps.find(copy.remote(), pool.runId());
        } catch (FarheapException | InternalError e) {
            LOG.warn("{}: {}", pool.poolsetFile(), e.getMessage());
            return null;
        }
    }

    /** The maps of those left out, for every commit to mark. */
    DirtyBits[] absent() {
        return copies.stream()
                .filter(copy -> copy.state() != State.ATTACHED)
                .map(ReplicaTracker::map)
                .filter(Objects::nonNull)
                .map(DirtyMap::bits)
                .toArray(DirtyBits[]::new);
    }

    /** The maps of members that may lag. */
    LagDirtyMaps lagging(Duration bound) {
        return new LagDirtyMaps(
                copies.stream()
                        .filter(copy -> copy.state() == State.ATTACHED && copy.isAsync())
                        .map(ReplicaTracker::map)
                        .filter(Objects::nonNull)
                        .toList(),
                bound);
    }

    /** A sync begins: the map proves nothing any more. */
    void consumed(ReplicaTracker copy) {
        copy.forgetContent();
        remove(copy);
    }

    /** A member that does not lag has all: it needs none. */
    void attached(ReplicaTracker copy) {
        if (copy.map() != null && !copy.isAsync()) {
            copy.setMap(null);
            remove(copy);
        }
    }

    /**
     * It is a replica of the pool no more, whose number is not in its map. Nobody marks that from
     * here on, so it must not be found again (docs/protocol.md#unnamed-map).
     */
    void departed(ReplicaTracker copy) {
        copy.setMap(null);
        remove(copy);
    }

    /** A commit could not mark a map: it is given up in the next switch. On any thread. */
    void unmarked(UnmarkableException why) {
        for (ReplicaTracker copy : copies) {
            DirtyMap map = copy.map();
            if (map != null && map.has(why.bits())) {
                map.fail(why.getMessage());
            }
        }
    }

    /**
     * Step 5: whoever is not among them, or may lag, has a map that goes with the new number, or
     * none. A map that fails may have the new number all the same, on the medium, and is not marked
     * any more: the pool must never have that number then.
     *
     * @param going leave with it: the new number is not to be in their maps
     */
    void note(List<ReplicaTracker> taking, List<ReplicaTracker> going, long next)
            throws LeftOutException {
        boolean told = false;
        for (ReplicaTracker copy : copies) {
            boolean member = taking.contains(copy);
            if (member && !copy.isAsync() || going.contains(copy)) {
                continue;
            }
            try {
                requireMarkable(copy);
                if (member) {
                    noteLag(copy, next);
                } else {
                    noteAbsence(copy, next);
                }
            } catch (FarheapException | InternalError e) {
                told |= copy.map() != null;
                giveUpMap(copy, e.getMessage());
            }
        }
        if (told) {
            throw new LeftOutException();
        }
    }

    private static void requireMarkable(ReplicaTracker copy) {
        if (copy.map() != null && copy.map().failure() != null) {
            throw new FarheapException(FarheapException.Category.ENVIRONMENT, copy.map().failure());
        }
    }

    /**
     * A member that may lag has everything now: what is committed from here on is noted, until it
     * is known to have it.
     */
    private void noteLag(ReplicaTracker copy, long next) {
        long number = pool.runId();
        Bases bases = Bases.of(number, next).reached(number, copy.bases().sequenceIn(number));
        boolean covered = copy.map() != null && copy.map().coversLag();
        if (!covered && !copy.hasGap()) {
            copy.setMap(maps.create(copy.remote(), bases, pool.runId(), true));
        }
        if (copy.map() != null) {
            copy.map().switching(pool.runId(), next, bases);
        }
    }

    private void noteAbsence(ReplicaTracker copy, long next) {
        if (copy.map() == null && !copy.hasGap() && !copy.bases().isEmpty()) {
            copy.setMap(maps.create(copy.remote(), copy.bases(), pool.runId(), false));
        }
        if (copy.map() != null) {
            copy.map().switching(pool.runId(), next);
        }
    }

    private void giveUpMap(ReplicaTracker copy, String why) {
        LOG.warn(
                "{}: what changes is not noted for the replica {}, which is compared as a whole"
                        + " when it is back: {}",
                pool.poolsetFile(),
                copy.remote(),
                why);
        copy.giveUpMap(why);
        remove(copy);
    }

    /** One that stays does no harm: the pool's next number is not in it. */
    private void remove(ReplicaTracker copy) {
        try {
            maps.remove(copy.remote());
        } catch (FarheapException e) {
            LOG.warn(
                    "{}: {}; it means nothing any more and may be removed",
                    pool.poolsetFile(),
                    e.getMessage());
        }
    }

    /** Nobody marks maps any more. */
    void close() {
        maps.close();
    }
}
