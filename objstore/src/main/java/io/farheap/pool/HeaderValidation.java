package io.farheap.pool;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import io.farheap.poolset.RemoteReplica;
import io.farheap.poolset.Replica;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The headers of a whole pool against each other and against the poolset file, in the order and
 * with the texts of libpmemobj (docs/format.md#checks-of-headers). Changes nothing.
 */
final class HeaderValidation {
    private static final String NEWER =
            "; its checksum is right, so nothing of it is damaged: a newer version made it, use"
                    + " that";

    /** Who does not look for the journal must not take the files for the pool. */
    static final String NOT_CLOSED =
            "the pool was not closed, and its newest commits are in its disk journal, beside its"
                    + " first part: farheap recover puts them where they belong, as does the next"
                    + " program that opens the pool";

    private static final String OTHER_MACHINE =
            "; its checksum is right, so nothing of it is damaged: another kind of machine made it";

    private final PoolSet set;
    private final List<ReplicaFiles> replicas;
    private final Consumer<PoolFault> faults;

    /** What is wrong with a header by itself, or null. */
    private final Function<PoolHeader, String> own;

    private HeaderValidation(
            PoolSet set,
            List<ReplicaFiles> replicas,
            Function<PoolHeader, String> own,
            Consumer<PoolFault> faults) {
        this.set = set;
        this.replicas = replicas;
        this.own = own;
        this.faults = faults;
    }

    /**
     * All local replicas of a pool, the links between them included.
     *
     * @throws FarheapException BAD_DATA naming the file
     */
    static void ofPool(PoolSet set, List<ReplicaFiles> replicas) {
        eachFault(set, replicas, PoolFault::refuse);
    }

    /** As {@link #ofPool}, but goes on, without blaming anybody for a damaged neighbour. */
    static void eachFault(PoolSet set, List<ReplicaFiles> replicas, Consumer<PoolFault> faults) {
        boolean journaled = replicas.stream().anyMatch(ReplicaFiles::isJournaled);
        HeaderValidation validation =
                new HeaderValidation(
                        set,
                        replicas,
                        header -> ownFault(journaled ? header.withoutMark() : header),
                        faults);
        for (int r = 0; r < replicas.size(); r++) {
            validation.parts(replicas.get(r));
            validation.replicaLinks(r);
        }
    }

    /**
     * One replica whose neighbours are elsewhere: its parts must agree on who they are.
     *
     * @throws FarheapException BAD_DATA naming the file
     */
    static void ofReplica(PoolSet set, ReplicaFiles replica) {
        new HeaderValidation(
                        set,
                        List.of(replica),
                        header -> ownFault(replica.isJournaled() ? header.withoutMark() : header),
                        PoolFault::refuse)
                .alone(replica);
    }

    /**
     * Remote memory of a program, whose parts must agree on who they are.
     *
     * @throws FarheapException BAD_DATA naming the file
     */
    static void ofMemory(PoolSet set, ReplicaFiles memory) {
        HeaderValidation validation =
                new HeaderValidation(
                        set, List.of(memory), HeaderValidation::memoryFault, PoolFault::refuse);
        validation.alone(memory);
        PoolHeader first = memory.headers().get(0);
        for (int p = 1; p < memory.headers().size(); p++) {
            if (!memory.headers().get(p).isKindOf(first)) {
                validation.bad(
                        memory, p, "pool signature, version or user flags mismatch in part " + p);
            }
        }
    }

    private void alone(ReplicaFiles replica) {
        parts(replica);
        PoolHeader.Links first = replica.headers().get(0).links();
        for (int p = 1; p < replica.headers().size(); p++) {
            PoolHeader.Links links = replica.headers().get(p).links();
            if (!links.previousReplica().equals(first.previousReplica())) {
                bad(replica, p, "wrong previous replica UUID in part " + p);
            }
            if (!links.nextReplica().equals(first.nextReplica())) {
                bad(replica, p, "wrong next replica UUID in part " + p);
            }
        }
    }

    /**
     * What a header of a program's remote memory must not be, wherever it comes from.
     *
     * @return the first thing wrong, or null
     */
    static String memoryFault(PoolHeader header) {
        if (header.isZero()) {
            return "pool header zeroed";
        }
        if (header.hasSignature()) {
            return "the signature "
                    + PoolHeader.SIGNATURE
                    + " is that of object pools, which are replicated by a REPLICA line";
        }
        return header.checksumMatches() ? null : "invalid checksum of pool header";
    }

    /**
     * What a header must say of itself, wherever it comes from: 1 to 6 of the list.
     *
     * @return the first thing wrong, or null
     */
    static String ownFault(PoolHeader header) {
        FeatureFlags features = header.features();
        if (header.major() == 0) {
            return "invalid major version (0): no pool was made here";
        }
        if (!header.hasSignature()) {
            return "wrong pool type: \"" + header.signature() + "\"";
        }
        String newer = header.isIntact() ? NEWER : "";
        if (header.major() != PoolHeader.MAJOR) {
            boolean older = header.major() < PoolHeader.MAJOR && header.major() > 0;
            return "pool version "
                    + Integer.toUnsignedString(header.major())
                    + " (library expects "
                    + PoolHeader.MAJOR
                    + ")"
                    + (older ? ": convert it with pmdk-convert" : newer);
        }
        if (header.isMarked() && header.withoutMark().checksumMatches()) {
            return NOT_CLOSED;
        }
        if (features.unknownIncompat() != 0) {
            return "unsafe to continue due to unknown incompat features: 0x"
                    + Integer.toHexString(features.unknownIncompat())
                    + newer;
        }
        if (features.roCompat() != 0) {
            return "switching to read-only mode due to unknown ro_compat features: 0x"
                    + Integer.toHexString(features.roCompat())
                    + ", but read-only mode is not supported"
                    + newer;
        }
        if (!header.checksumMatches()) {
            return "invalid checksum of pool header";
        }
        return header.hasThisArchitecture() ? null : "wrong architecture flags" + OTHER_MACHINE;
    }

    private void parts(ReplicaFiles replica) {
        PoolUuid poolsetUuid = replicas.get(0).headers().get(0).poolsetUuid();
        List<PoolHeader> headers = replica.headers();
        PoolHeader first = headers.get(0);
        // First each by itself: else a sound one would be blamed for its neighbour.
        boolean sound = isSound(replicas.get(0).headers().get(0));
        for (int p = 0; p < headers.size(); p++) {
            String fault = own.apply(headers.get(p));
            if (fault != null) {
                boolean told = NOT_CLOSED.equals(fault) && replica.journalFault() != null;
                bad(replica, p, told ? replica.journalFault() : fault);
                sound = false;
            }
        }
        for (int p = 0; sound && p < headers.size(); p++) {
            PoolHeader header = headers.get(p);
            if (!header.poolsetUuid().equals(poolsetUuid)) {
                bad(replica, p, "wrong pool set UUID: the part is another pool's");
            }
            PoolUuid previous = headers.get((p + headers.size() - 1) % headers.size()).uuid();
            PoolUuid next = headers.get((p + 1) % headers.size()).uuid();
            if (!header.links().previousPart().equals(previous)
                    || !header.links().nextPart().equals(next)) {
                bad(replica, p, "wrong part UUID: the parts are not in order, or of two pools");
            }
            // A crash may have come between the marks of two parts.
            if (!header.withoutMark().features().equals(first.withoutMark().features())) {
                bad(replica, p, "incompatible feature flags");
            }
            singleHeader(replica, p, header.features());
        }
    }

    private boolean isSound(PoolHeader header) {
        return own.apply(header) == null;
    }

    private void singleHeader(ReplicaFiles replica, int part, FeatureFlags features) {
        boolean wanted = set.has(Option.SINGLEHDR);
        if (features.hasSingleHeader() != wanted) {
            bad(
                    replica,
                    part,
                    "poolset file options ("
                            + (wanted ? 1 : 0)
                            + ") do not match incompat feature flags (0x"
                            + Integer.toHexString(features.incompat())
                            + ")");
        }
    }

    private void replicaLinks(int r) {
        ReplicaFiles replica = replicas.get(r);
        boolean sound =
                replicas.stream().map(any -> any.headers().get(0)).allMatch(this::isSound)
                        && replica.headers().stream().allMatch(this::isSound);
        if (!sound) {
            return;
        }
        for (int p = 0; p < replica.headers().size(); p++) {
            PoolHeader.Links links = replica.headers().get(p).links();
            if (!isNeighbour(r, -1, links.previousReplica())
                    || !isNeighbour(r, 1, links.nextReplica())) {
                bad(replica, p, "wrong replica UUID: the pool was made with other replicas");
            }
        }
    }

    /**
     * Our headers link the local replicas only, so that a remote one can come and go; libpmemobj
     * counts remote ones too, whose uuids are not known here: there any uuid is accepted.
     */
    private boolean isNeighbour(int r, int step, PoolUuid uuid) {
        int local = Math.floorMod(r + step, replicas.size());
        if (uuid.equals(replicas.get(local).headers().get(0).uuid())) {
            return true;
        }
        List<Replica> all = set.replicas();
        int position = all.indexOf(set.localReplicas().get(r));
        boolean besideRemote =
                all.get(Math.floorMod(position + step, all.size())) instanceof RemoteReplica;
        return besideRemote && !uuid.isZero();
    }

    private void bad(ReplicaFiles replica, int part, String text) {
        faults.accept(new PoolFault(PoolFault.Kind.HEADER, replica.path(part), text));
    }
}
