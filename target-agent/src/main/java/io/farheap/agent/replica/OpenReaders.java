package io.farheap.agent.replica;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.store.ReplicaReaders;
import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.SideFiles;
import io.farheap.readers.ReadAdmission;
import io.farheap.readers.ReadersFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The file by which readers and this agent keep out of each other's way, taken up with the replica.
 * Where it can't be made, nobody can read the replica, and nothing else is the worse for it.
 *
 * @param file null: there is none
 * @param fault why; "" where that is as it should be
 */
record OpenReaders(ReadersFile file, ReplicaReaders readers, String fault)
        implements AutoCloseable {
    /** Of what nobody reads but its owner. */
    static final OpenReaders NONE = new OpenReaders(null, new ReplicaReaders(), "");

    private static final int PERMISSIONS = 0777;

    static OpenReaders of(ReplicaPaths paths, PoolUuid pool) {
        Path part = paths.parts().get(0).path();
        try {
            int mode = (int) Files.getAttribute(part, "unix:mode") & PERMISSIONS;
            ReadersFile file = ReadersFile.take(new SideFiles(part).readers(), pool, mode);
            Duration hold = AgentConfiguration.DEFAULT_READ_HOLD;
            return new OpenReaders(file, new ReplicaReaders(ReadAdmission.of(file, hold)), "");
        } catch (FarheapException e) {
            return without(e.getMessage());
        } catch (IOException | UnsupportedOperationException e) {
            return without("the mode of " + part + " is not known: " + e);
        }
    }

    private static OpenReaders without(String fault) {
        return new OpenReaders(null, new ReplicaReaders(), fault);
    }

    /** Behind the end of whoever uses it. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
