package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import io.farheap.memory.Persistence;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whether the devices below a pool lost data while it was open, by the shutdown state in the first
 * header of each replica (docs/format.md#shutdown-state).
 */
final class ShutdownStates {
    private static final String LOST_DATA =
            "an ADR failure was detected, the pool might be corrupted: restore it from a replica";

    private ShutdownStates() {}

    /**
     * Refuses a replica that lost data.
     *
     * @throws FarheapException BAD_DATA
     */
    static void check(ReplicaFiles replica) {
        if (lostData(replica)) {
            throw FarheapException.badData("%s: %s", replica.path(0), LOST_DATA);
        }
    }

    static void eachFault(List<ReplicaFiles> replicas, Consumer<PoolFault> found) {
        for (ReplicaFiles replica : replicas) {
            if (lostData(replica)) {
                found.accept(
                        new PoolFault(PoolFault.Kind.SHUTDOWN_STATE, replica.path(0), LOST_DATA));
            }
        }
    }

    /** Forgets in memory what tells of lost data; what the file lacks of that. */
    static PartPatch forgotten(ReplicaFiles replica, String why) {
        PoolHeader header = replica.headers().get(0);
        header.forgetShutdowns();
        return new PartPatch(
                replica.path(0),
                0,
                header.bytes().toArray(ValueLayout.JAVA_BYTE),
                "zero the shutdown state of " + replica.path(0) + " (" + why + ")");
    }

    static boolean lostData(ReplicaFiles replica) {
        PoolHeader header = replica.headers().get(0);
        return header.features().hasShutdownState()
                && tellsOfLostData(header.shutdownState(), replica.paths());
    }

    /**
     * Whether a shutdown state tells of data lost on the devices of these parts. Growth may have
     * been cut before the last of them was counted in.
     */
    static boolean tellsOfLostData(ShutdownState state, List<Path> parts) {
        DeviceState all = DeviceState.of(parts);
        DeviceState before = DeviceState.of(parts.subList(0, Math.max(1, parts.size() - 1)));
        return state.tellsOfLostData(all.unsafeShutdowns(), all.identity())
                && state.tellsOfLostData(before.unsafeShutdowns(), before.identity());
    }

    /** From here on a power failure counts; durable. */
    static void open(List<ReplicaFiles> replicas) {
        for (ReplicaFiles replica : replicas) {
            DeviceState devices = DeviceState.of(replica.paths());
            change(replica, state -> state.open(devices.unsafeShutdowns(), devices.identity()));
        }
    }

    /** All is where it should be: a power failure takes nothing any more; durable. */
    static void close(ReplicaFiles replica) {
        change(replica, ShutdownState::close);
    }

    private static void change(ReplicaFiles replica, Consumer<ShutdownState> change) {
        PoolHeader header = replica.headers().get(0);
        FeatureFlags features = header.features();
        // Without the short checksum the header could not be changed in one step.
        if (features.hasShutdownState() && features.hasShortChecksum()) {
            change.accept(header.shutdownState());
            Persistence persistence = replica.headerPersistence();
            persistence.flush(ShutdownState.OFFSET, ShutdownState.SIZE);
            persistence.fence();
        }
    }
}
