package io.farheap.replication;

import io.farheap.memory.CrashSimulation;
import io.farheap.poolset.RemoteReplica;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** The dirty maps beside a simulated pool, which lose power when its machine does. */
public final class SimulatedMaps {
    private static final byte[] POOL = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final Map<String, CrashSimulation> files = new TreeMap<>();
    private final long imageBytes;

    /** No map is there. */
    public SimulatedMaps(long imageBytes) {
        this.imageBytes = imageBytes;
    }

    /** A power loss: what was not durable may be gone. */
    public void losePower(Random random) {
        files.values().forEach(file -> file.losePower(CrashSimulation.Loss.RANDOM, random));
    }

    /** Becomes what the other machine has. */
    public void copy(SimulatedMaps other) {
        files.clear();
        other.files.forEach(
                (name, file) -> files.put(name, new CrashSimulation(file.memory().image())));
    }

    /** None is left. */
    public void clear() {
        files.clear();
    }

    /** As the replication module sees them. */
    DirtyMaps open() {
        return new DirtyMaps() {
            @Override
            public DirtyMap find(RemoteReplica replica, long number) {
                CrashSimulation file = files.get(replica.toString());
                return file == null
                        ? null
                        : DirtyMap.open(file.memory(), identity(replica), number);
            }

            @Override
            public DirtyMap create(
                    RemoteReplica replica, List<Long> bases, long number, boolean coversLag) {
                CrashSimulation file = new CrashSimulation(DirtyMap.fileBytes(imageBytes));
                files.put(replica.toString(), file);
                return DirtyMap.create(
                        file.memory(), identity(replica), imageBytes, bases, number, coversLag);
            }

            @Override
            public void remove(RemoteReplica replica) {
                CrashSimulation unused = files.remove(replica.toString());
            }

            @Override
            public void close() {}
        };
    }

    private static MemorySegment identity(RemoteReplica replica) {
        return DirtyMap.identity(POOL, replica.toString());
    }
}
