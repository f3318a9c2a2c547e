package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.MappedImage.Access;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/**
 * The part files that lie on a replication's target: of a replica whose pool is elsewhere, or of a
 * program's remote memory. What is in the image is not looked at: it may be anything until the
 * program has sent it.
 *
 * <p>Each succeeds or throws one {@link FarheapException} and leaves everything as it was.
 */
public final class TargetFiles {

    /** Nobody else reads what a program keeps. */
    private static final int OWNER_ONLY = 0600;

    private TargetFiles() {}

    /**
     * Creates the files of a replica: headers as the pool's, parts with uuids of their own, the
     * image all zero, to be written through {@link PoolFiles#memory}. Until its descriptor is
     * written nobody can open it as a pool. Where they lie in memory they get their space by and
     * by: {@link io.farheap.memory.PoolMemory#reserveSpace} before what is in them counts.
     *
     * @param set one local replica
     * @param header a header of the pool, 4096 bytes: its features, poolset uuid and architecture
     *     count
     * @param imageSize bytes the image must hold
     * @param mode permission bits of the files
     */
    public static PoolFiles createReplica(
            PoolSet set, MemorySegment header, long imageSize, int mode) {
        PoolHeader pools = new PoolHeader(header);
        String fault = HeaderValidation.ownFault(pools);
        if (fault != null) {
            throw FarheapException.badData(
                    "the header to copy for %s: %s", PoolFiles.place(set), fault);
        }
        requireFit(set, pools.features(), imageSize);
        return create(
                set,
                CreateOptions.fillingUp(mode),
                replicas -> PoolCreation.headers(replicas, pools.features(), pools.poolsetUuid()));
    }

    /**
     * Creates the files of a program's remote memory: headers by its attributes, everything behind
     * the first one zero.
     *
     * @param set one local replica
     * @param attributes written by {@link PoolHeader#formatAttributes}
     * @param imageSize bytes the image must hold, the header's included
     */
    public static PoolFiles createMemory(PoolSet set, PoolHeader attributes, long imageSize) {
        requireSound(set, attributes);
        requireFit(set, attributes.features(), imageSize);
        return create(
                set,
                new CreateOptions("", OWNER_ONLY),
                replicas -> PoolCreation.memoryHeaders(replicas.get(0), attributes, true));
    }

    private static PoolFiles create(
            PoolSet set, CreateOptions options, Consumer<List<ReplicaFiles>> headers) {
        return PoolCreation.create(set, null, headers, options, Journaling.NONE, memory -> {});
    }

    /** Opens the files of a replica. Only the headers are looked at. */
    public static PoolFiles openReplica(PoolSet set) {
        return open(set, replica -> HeaderValidation.ofReplica(set, replica));
    }

    /**
     * Opens a program's remote memory. Only the headers are looked at.
     *
     * @param pending attributes whose writing a crash may have cut: they are written first; or null
     */
    public static PoolFiles openMemory(PoolSet set, PoolHeader pending) {
        return open(
                set,
                memory -> {
                    if (pending != null) {
                        requireSound(set, pending);
                        PoolCreation.memoryHeaders(memory, pending, false);
                    }
                    HeaderValidation.ofMemory(set, memory);
                });
    }

    private static PoolFiles open(PoolSet set, Consumer<ReplicaFiles> headers) {
        List<ReplicaFiles> replicas = PoolFilesOpening.openAll(set, Access.SHARED, 0);
        try {
            for (ReplicaFiles replica : replicas) {
                headers.accept(replica);
                ShutdownStates.check(replica);
            }
            PoolFiles files = new PoolFiles(set, Access.SHARED, replicas, null);
            ShutdownStates.open(replicas);
            return files;
        } catch (Throwable e) {
            PoolCreation.closeAll(replicas, e);
            throw e;
        }
    }

    /**
     * Whether a program's remote memory can have these attributes.
     *
     * @throws FarheapException saying why not
     */
    public static void requireAttributes(PoolFiles memory, PoolHeader attributes) {
        requireSound(memory.poolSet(), attributes);
        requireFit(memory.poolSet(), attributes.features(), 0);
    }

    /**
     * Gives a program's remote memory other attributes; durable on return. A crash in the middle
     * leaves headers that only {@link #openMemory} with the same attributes puts right.
     *
     * @param attributes after {@link #requireAttributes}
     */
    public static void setAttributes(PoolFiles memory, PoolHeader attributes) {
        PoolCreation.memoryHeaders(memory.replicas().get(0), attributes, false);
        ShutdownStates.open(memory.replicas()); // which it may have to keep only now
    }

    private static void requireSound(PoolSet set, PoolHeader attributes) {
        String fault = HeaderValidation.memoryFault(attributes);
        if (fault != null) {
            throw FarheapException.badData(
                    "the attributes for %s: %s", PoolFiles.place(set), fault);
        }
    }

    private static void requireFit(PoolSet set, FeatureFlags features, long imageSize) {
        if (set.has(Option.NOHDRS) || features.hasSingleHeader() != set.has(Option.SINGLEHDR)) {
            throw FarheapException.wrongUse(
                    "%s: pool incompat feature flags and remote poolset options do not"
                            + " match: OPTION SINGLEHDR must stand in both sets or in none",
                    PoolFiles.place(set));
        }
        if (set.poolSize() < imageSize) {
            throw FarheapException.wrongUse(
                    "%s has room for %s bytes, the pool has %s: give it larger parts",
                    PoolFiles.place(set), set.poolSize(), imageSize);
        }
    }
}
