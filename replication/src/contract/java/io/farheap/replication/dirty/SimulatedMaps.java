package io.farheap.replication.dirty;

import io.farheap.poolset.RemoteReplica;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The dirty maps beside a simulated pool, which lose power when its machine does. What is asked of
 * their disk may fail, and whatever failed may be done or not.
 */
public final class SimulatedMaps {
    private static final byte[] POOL = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /** What is asked of the disk. */
    public enum Call {
        FIND,
        CREATE,
        FLUSH,
        REMOVE
    }

    /** Makes calls fail. */
    public interface Faults {
        /** None. */
        Faults NONE = call -> {};

        /** Throws, if the call is to fail. */
        void at(Call call);
    }

    private final Map<String, CrashSimulation> files = new TreeMap<>();

    /** Files whose names are gone, which is not durable. */
    private final Map<String, CrashSimulation> unlinked = new TreeMap<>();

    private final long imageBytes;
    private Faults faults = Faults.NONE;

    /** No map is there. */
    public SimulatedMaps(long imageBytes) {
        this.imageBytes = imageBytes;
    }

    /** From now on these are what fails. */
    public void setFaults(Faults made) {
        faults = made;
    }

    /** A power loss: what was not durable may be gone, and what is gone may be back. */
    public void losePower(Random random) {
        files.values().forEach(file -> file.losePower(CrashSimulation.Loss.RANDOM, random));
        unlinked.forEach(
                (name, file) -> {
                    if (random.nextBoolean() && !files.containsKey(name)) {
                        file.losePower(CrashSimulation.Loss.RANDOM, random);
                        files.put(name, file);
                    }
                });
        unlinked.clear();
    }

    /** Becomes what the other machine has. */
    public void copy(SimulatedMaps other) {
        files.clear();
        unlinked.clear();
        other.files.forEach(
                (name, file) -> files.put(name, new CrashSimulation(file.memory().image())));
    }

    /** None is left, and nothing fails. */
    public void clear() {
        files.clear();
        unlinked.clear();
        faults = Faults.NONE;
    }

    /** As the replication module sees them. */
    public DirtyMaps open() {
        return new DirtyMaps() {
            @Override
            public DirtyMap find(RemoteReplica replica, long number) {
                CrashSimulation file = files.get(replica.toString());
                if (file == null) {
                    return null;
                }
                faults.at(Call.FIND);
                flushesMayFail(file);
                return DirtyMap.open(file.memory(), identity(replica), number);
            }

            @Override
            public DirtyMap create(
                    RemoteReplica replica, Bases bases, long number, boolean coversLag) {
                remove(replica);
                faults.at(Call.CREATE);
                CrashSimulation file = new CrashSimulation(DirtyMap.fileBytes(imageBytes));
                files.put(replica.toString(), file);
                flushesMayFail(file);
                return DirtyMap.create(
                        file.memory(), identity(replica), imageBytes, bases, number, coversLag);
            }

            @Override
            public void remove(RemoteReplica replica) {
                String name = replica.toString();
                if (!files.containsKey(name) && !unlinked.containsKey(name)) {
                    return;
                }
                boolean unlinks = files.containsKey(name) && (files.get(name).flushes() & 1) == 0;
                try {
                    faults.at(Call.REMOVE);
                } catch (RuntimeException e) {
                    if (unlinks) { // and the directory is not flushed
                        unlinked.put(name, files.remove(name));
                    }
                    throw e;
                }
                CrashSimulation unused = files.remove(name);
                unused = unlinked.remove(name);
            }

            @Override
            public void close() {}
        };
    }

    /** After the first one that fails all do: the product asks for no more then. */
    private void flushesMayFail(CrashSimulation file) {
        RuntimeException[] failed = {null};
        file.beforeEachStep(
                () -> {
                    if (failed[0] != null) {
                        throw failed[0];
                    }
                    try {
                        faults.at(Call.FLUSH);
                    } catch (RuntimeException e) {
                        failed[0] = e;
                        throw e;
                    }
                });
    }

    private static MemorySegment identity(RemoteReplica replica) {
        return DirtyMap.identity(POOL, replica.toString());
    }
}
