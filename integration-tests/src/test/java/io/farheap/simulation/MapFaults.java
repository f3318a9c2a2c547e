package io.farheap.simulation;

import io.farheap.base.FarheapException;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.World;
import java.util.Random;

/** What goes wrong with the disk that has the dirty maps: the program's own. */
final class MapFaults implements SimulatedMaps.Faults {
    /** In nanoseconds. */
    private static final long A_WHILE = 250_000_000;

    private final World world;
    private final int share;
    private final boolean keepsFiles;
    private final long until;

    /** Of its own: what else happens is what it would be without. */
    private final Random random;

    MapFaults(World world, Plan plan) {
        this.world = world;
        this.share = plan.mapFaults();
        this.keepsFiles = plan.keepsMapFiles();
        this.until = plan.isFullForAWhile() ? world.now() + A_WHILE : Long.MAX_VALUE;
        this.random = new Random(plan.fastest());
    }

    @Override
    public void at(SimulatedMaps.Call call) {
        if (world.now() > until || !fails(call)) {
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

    private boolean fails(SimulatedMaps.Call call) {
        return switch (call) {
            case FLUSH -> random.nextInt(share) == 0;
            case REMOVE -> keepsFiles || random.nextBoolean();
            case FIND, CREATE -> !keepsFiles && random.nextBoolean();
        };
    }
}
