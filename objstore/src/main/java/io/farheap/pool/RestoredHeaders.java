package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.PoolSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The headers that lost parts get anew: those of the pool, with the uuids that the healthy parts'
 * links name, so that old and new parts pass for one pool.
 */
final class RestoredHeaders {
    private final PoolHeader reference;
    private final List<List<PoolUuid>> uuids;

    /**
     * @param reference a header of the pool: from any healthy part
     * @throws FarheapException BAD_DATA where the pool would have one uuid twice
     */
    RestoredHeaders(PoolInspection inspection, PoolHeader reference) {
        this.reference = reference;
        this.uuids = uuids(inspection);
    }

    /** The uuids that the pool had, new ones where nobody is left who knows. */
    private static List<List<PoolUuid>> uuids(PoolInspection inspection) {
        PoolSet set = inspection.poolSet();
        Set<PoolUuid> used = new HashSet<>();
        List<List<PoolUuid>> all = new ArrayList<>();
        for (int r = 0; r < inspection.replicas().size(); r++) {
            List<PoolUuid> replica = new ArrayList<>();
            int headers = set.hasHeader(1) ? inspection.replicas().get(r).size() : 1;
            for (int p = 0; p < headers; p++) {
                PoolUuid known = inspection.knownUuid(r, p);
                PoolUuid uuid = known == null || known.isZero() ? PoolUuid.random() : known;
                if (!used.add(uuid)) {
                    throw FarheapException.badData(
                            "cannot restore %s: repeated uuid: some replicas were created with a"
                                    + " different poolset file; name the replicas in it that the pool"
                                    + " was made with (farheap transform adds others)",
                            inspection.replicas().get(r).get(p).path());
                }
                replica.add(uuid);
            }
            all.add(replica);
        }
        return all;
    }

    /** Writes the header of one part, durably. */
    void write(PartInspection part, NativeFile file) {
        int r = part.replica();
        int p = part.index();
        Share page = new Share(file, 0, PoolHeader.SIZE);
        try (MappedImage header = MappedImage.map(List.of(page), Access.SHARED)) {
            new PoolHeader(header.segment())
                    .format(
                            reference.features(),
                            reference.poolsetUuid(),
                            uuids.get(r).get(p),
                            PoolCreation.links(uuids, r, p),
                            System.currentTimeMillis() / 1000);
            header.syncPages();
        }
    }
}
