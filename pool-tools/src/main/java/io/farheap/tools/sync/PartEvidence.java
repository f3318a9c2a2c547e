package io.farheap.tools.sync;

import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;

/**
 * What a local part says of the pool though it may be lost. A file in a part's place need not be
 * that part: of one whose header is wrong only what names this pool is taken for evidence.
 */
final class PartEvidence {
    private final PoolInspection local;

    PartEvidence(PoolInspection local) {
        this.local = local;
    }

    /** Whether the file is the pool's part: it has the size of its line, whatever its content. */
    boolean isThere(PartInspection part) {
        return part.isHealthy() || isNamed(part);
    }

    /**
     * Whether the first part of a replica tells the number of its run. Behind a header that is
     * wrong the number may be right; the bytes have to prove that.
     */
    boolean hasNumber(PartInspection first) {
        return first.index() == 0 && first.header() != null && first.runId() != 0 && isThere(first);
    }

    /** Its header names the pool, no neighbour says otherwise, and its last sector was written. */
    private boolean isNamed(PartInspection part) {
        PoolHeader header = part.header();
        PoolHeader any = local.anyHeader();
        if (header == null || any == null || !header.hasSignature()) {
            return false;
        }
        PoolUuid known = local.knownUuid(part.replica(), part.index());
        return header.poolsetUuid().equals(any.poolsetUuid())
                && header.storedChecksum() != 0
                && (known == null || known.equals(header.uuid()));
    }
}
