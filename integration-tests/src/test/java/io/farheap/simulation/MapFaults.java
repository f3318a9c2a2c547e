package io.farheap.simulation;

import io.farheap.FarheapException;
import io.farheap.replication.SimulatedMaps;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.World;
import java.util.Random;

/** What goes wrong with the disk that has the dirty maps: the program's own. */
final class MapFaults implements SimulatedMaps.Faults {
    private final World world;
    private final int share;

    /** Of its own: what else happens is what it would be without. */
    private final Random random;

    MapFaults(World world, Plan plan) {
        this.world = world;
        this.share = plan.mapFaults();
        this.random = new Random(plan.fastest());
    }

    @Override
    public void at(SimulatedMaps.Call call) {
        boolean seldomAsked = call == SimulatedMaps.Call.FIND;
        if (random.nextInt(seldomAsked ? 2 : share) > 0) {
            return;
        }
        world.note("dirty map: " + call + " fails");
        world.count(
                switch (call) {
                    case FIND -> Happening.MAP_NOT_READ;
                    case CREATE -> Happening.MAP_NOT_MADE;
                    case FLUSH -> Happening.MAP_NOT_FLUSHED;
                    case REMOVE -> Happening.MAP_NOT_REMOVED;
                });
        throw new FarheapException(
                FarheapException.Category.ENVIRONMENT, call + " failed: Input/output error");
    }
}
