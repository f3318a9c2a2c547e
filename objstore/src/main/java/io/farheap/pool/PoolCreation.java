package io.farheap.pool;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolHeader.Links;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Makes a pool: the part files of all local replicas, their headers with new uuids, content. */
final class PoolCreation {

    private PoolCreation() {}

    /** Makes the files, writes headers and content, completes them; on failure none is left. */
    static PoolFiles create(
            PoolSet set,
            DirectoryParts directories,
            Consumer<List<ReplicaFiles>> headers,
            CreateOptions options,
            Journaling journaling,
            Consumer<PoolMemory> content) {
        List<ReplicaFiles> replicas = files(set, PoolFiles.mostBytes(directories), options);
        PoolJournal journal = null;
        try {
            headers.accept(replicas);
            PoolFiles files = new PoolFiles(set, Access.SHARED, replicas, directories);
            content.accept(files.memory());
            boolean journaled = journaling.isFor(set);
            if (journaled) {
                replicas.forEach(PoolFiles::finish); // it is whole before it gets a journal
            } else {
                ShutdownStates.open(replicas);
            }
            replicas.forEach(replica -> replica.complete(options.mode()));
            if (journaled) {
                replicas.forEach(ReplicaFiles::mapJournaled);
                journal = PoolJournal.make(set.poolSize(), replicas, journaling.settings());
                journal.begin();
                files = new PoolFiles(set, Access.JOURNALED, replicas, directories, journal);
                files.startUse();
            }
            if (options.prefault()) {
                files.prefault();
            }
            replicas.forEach(ReplicaFiles::keep);
            return files;
        } catch (Throwable e) {
            closeAll(replicas, e);
            if (journal != null) {
                journal.discardAfter(e);
            }
            throw e;
        }
    }

    /** Creates every part file; on failure none is left. */
    static List<ReplicaFiles> files(PoolSet set, long mostBytes, CreateOptions options) {
        RestorationLeftovers.requireNoneUnderWay(set);
        List<ReplicaFiles> made = new ArrayList<>();
        try {
            for (LocalReplica replica : set.localReplicas()) {
                made.add(ReplicaFiles.create(set, replica, mostBytes, options));
            }
            return made;
        } catch (Throwable e) {
            closeAll(made, e);
            throw e;
        }
    }

    /**
     * Writes all headers, durably; links go around the local replicas
     * (docs/format.md#links-between-headers).
     */
    static void headers(List<ReplicaFiles> replicas, FeatureFlags features, PoolUuid poolsetUuid) {
        List<List<PoolUuid>> uuids = new ArrayList<>();
        for (ReplicaFiles replica : replicas) {
            uuids.add(replica.headers().stream().map(header -> PoolUuid.random()).toList());
        }
        for (int r = 0; r < replicas.size(); r++) {
            ReplicaFiles replica = replicas.get(r);
            replica.formatting();
            for (int p = 0; p < replica.headers().size(); p++) {
                PoolHeader header = replica.headers().get(p);
                header.format(
                        features,
                        poolsetUuid,
                        uuids.get(r).get(p),
                        links(uuids, r, p),
                        replica.changedSeconds(p));
            }
            replica.persistHeaders();
        }
    }

    /**
     * Writes the headers of a program's remote memory, durably. The parts keep what identifies
     * them, but for the first, whose uuid is an attribute.
     *
     * @param fresh the parts are new: each gets a uuid
     */
    static void memoryHeaders(ReplicaFiles memory, PoolHeader attributes, boolean fresh) {
        List<PoolUuid> uuids = new ArrayList<>();
        for (PoolHeader header : memory.headers()) {
            boolean first = uuids.isEmpty();
            PoolUuid kept = fresh ? PoolUuid.random() : header.uuid();
            uuids.add(first ? attributes.uuid() : kept);
        }
        if (fresh) {
            memory.formatting();
        }
        for (int p = 0; p < uuids.size(); p++) {
            PoolHeader header = memory.headers().get(p);
            Links links = links(List.of(uuids), 0, p);
            header.formatPart(
                    attributes,
                    uuids.get(p),
                    links.previousPart(),
                    links.nextPart(),
                    fresh ? memory.changedSeconds(p) : header.creationSeconds());
        }
        memory.persistHeaders();
    }

    /** The neighbours of part {@code p} of replica {@code r}, in the order of the poolset file. */
    static Links links(List<List<PoolUuid>> uuids, int r, int p) {
        List<PoolUuid> parts = uuids.get(r);
        int replicas = uuids.size();
        return new Links(
                parts.get(Math.floorMod(p - 1, parts.size())),
                parts.get((p + 1) % parts.size()),
                uuids.get(Math.floorMod(r - 1, replicas)).get(0),
                uuids.get((r + 1) % replicas).get(0));
    }

    /** Closes what was opened before {@code cause} happened. */
    static void closeAll(List<ReplicaFiles> replicas, Throwable cause) {
        after(replicas, ReplicaFiles::close, cause);
    }

    /** Does the same with every replica because {@code cause} happened. */
    static void after(List<ReplicaFiles> replicas, Consumer<ReplicaFiles> action, Throwable cause) {
        for (ReplicaFiles replica : replicas) {
            try {
                action.accept(replica);
            } catch (Throwable e) {
                cause.addSuppressed(e);
            }
        }
    }
}
