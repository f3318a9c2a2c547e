package io.farheap.pool;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolHeader.Links;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSet.Option;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What damaged headers were, from sound ones, their neighbours' links, and what the format leaves
 * no choice of. It counts as proven when the checksum that is stored is right for it, or the uuid
 * that is stored is the one that neighbours name. A header whose checksum is right is not damaged,
 * whatever it says: one that does not fit is of another pool, or of another order, and one that we
 * do not understand is a newer version's, or another machine's. All these are left alone.
 */
final class HeaderRepair {
    private static final int SUMMED_SWITCHES = FeatureFlags.CKSUM_2K | FeatureFlags.SHUTDOWN_STATE;

    private final PoolSet set;
    private final List<ReplicaFiles> replicas;
    private final boolean assume;
    private final long now = System.currentTimeMillis() / 1000;

    /** Any of the sound ones; null where there is none. */
    private final PoolHeader example;

    HeaderRepair(PoolSet set, List<ReplicaFiles> replicas, boolean assume) {
        this.set = set;
        this.replicas = replicas;
        this.assume = assume;
        this.example = sound().findFirst().orElse(null);
    }

    private Stream<PoolHeader> sound() {
        return replicas.stream().flatMap(r -> r.headers().stream()).filter(HeaderRepair::isSound);
    }

    private static boolean isSound(PoolHeader header) {
        return HeaderValidation.ownFault(header) == null;
    }

    /** Restores headers where they are mapped. */
    List<PartPatch> run() {
        if (!agree(PoolHeader::poolsetUuid) || !agree(PoolHeader::features)) {
            return new ArrayList<>();
        }
        // All are restored from what was sound before the first of them.
        List<PartPatch> patches = new ArrayList<>();
        List<PoolHeader> damaged = new ArrayList<>();
        for (int r = 0; r < replicas.size(); r++) {
            for (int p = 0; p < replicas.get(r).headers().size(); p++) {
                PoolHeader header = replicas.get(r).headers().get(p);
                PartPatch patch = header.isIntact() ? null : restored(r, p, header);
                if (patch != null) {
                    damaged.add(header);
                    patches.add(patch);
                }
            }
        }
        for (int i = 0; i < damaged.size(); i++) {
            damaged.get(i).become(new PoolHeader(MemorySegment.ofArray(patches.get(i).bytes())));
        }
        return patches;
    }

    private boolean agree(Function<PoolHeader, Object> fact) {
        return sound().map(fact).distinct().count() <= 1;
    }

    private PartPatch restored(int r, int p, PoolHeader old) {
        Path path = replicas.get(r).path(p);
        long stored = old.storedChecksum();
        for (FeatureFlags features : possible(old)) {
            PoolHeader header = written(r, p, old, features, old.creationSeconds());
            if (header.storedChecksum() == stored) {
                return patch(path, header, "the stored checksum proves it");
            }
        }
        PoolHeader header = written(r, p, old, features(old), old.creationSeconds());
        if (header.correctWord(stored) && isPossibleTime(header)) {
            return patch(path, header, "the stored checksum proves it");
        }
        long time = isPossibleTime(old) ? old.creationSeconds() : replicas.get(r).changedSeconds(p);
        // Of two words that may be wrong none is taken for right.
        boolean unclear = example == null && header.mayHaveWrongWord(stored);
        header = written(r, p, old, features(old), time);
        if (example != null && old.uuid().equals(named(r, p))) {
            return patch(path, header, "from other headers, which name its uuid");
        }
        boolean founded = example != null ? named(r, p) != null : hasOneUuid(r, old);
        return assume && founded && !unclear
                ? patch(path, header, "assumed: nothing in it proves whose part it is")
                : null;
    }

    private static PartPatch patch(Path path, PoolHeader header, String why) {
        byte[] bytes = header.bytes().toArray(ValueLayout.JAVA_BYTE);
        return new PartPatch(
                path, 0, bytes, "restore the pool header of " + path + " (" + why + ")");
    }

    private boolean isPossibleTime(PoolHeader header) {
        return header.creationSeconds() > 0 && header.creationSeconds() <= now;
    }

    // ---- what a header must have said ----

    private PoolHeader written(int r, int p, PoolHeader old, FeatureFlags features, long time) {
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(new byte[(int) PoolHeader.SIZE]));
        PoolUuid pool = example != null ? example.poolsetUuid() : old.poolsetUuid();
        header.restore(old, features, pool, uuid(r, p), links(r, p, old), time);
        return header;
    }

    /** Those of the others; else what is stored, without what cannot be. */
    private FeatureFlags features(PoolHeader old) {
        if (example != null) {
            return example.features();
        }
        FeatureFlags stored = old.features();
        return new FeatureFlags(
                stored.compat() & FeatureFlags.CHECK_BAD_BLOCKS,
                stored.incompat() & SUMMED_SWITCHES | singleHeader(),
                0);
    }

    private int singleHeader() {
        return set.has(Option.SINGLEHDR) ? FeatureFlags.SINGLEHDR : 0;
    }

    /** The likely one first. */
    private Set<FeatureFlags> possible(PoolHeader old) {
        Set<FeatureFlags> all = new LinkedHashSet<>(List.of(features(old)));
        if (example == null) {
            for (int compat : new int[] {FeatureFlags.CHECK_BAD_BLOCKS, 0}) {
                for (int switches : new int[] {SUMMED_SWITCHES, FeatureFlags.CKSUM_2K, 0}) {
                    all.add(new FeatureFlags(compat, switches | singleHeader(), 0));
                }
            }
        }
        return all;
    }

    private Links links(int r, int p, PoolHeader old) {
        List<PoolHeader> parts = replicas.get(r).headers();
        PoolUuid previous = uuid(r, Math.floorMod(p - 1, parts.size()));
        PoolUuid next = uuid(r, (p + 1) % parts.size());
        Links stored =
                parts.stream()
                        .filter(HeaderRepair::isSound)
                        .findFirst()
                        .map(PoolHeader::links)
                        .orElse(null);
        if (stored == null && set.remoteReplicas().isEmpty()) {
            int count = replicas.size();
            return new Links(
                    previous, next, uuid(Math.floorMod(r - 1, count), 0), uuid((r + 1) % count, 0));
        }
        // A remote neighbour's uuid is nowhere else.
        Links replicaLinks = stored == null ? old.links() : stored;
        return new Links(
                previous, next, replicaLinks.previousReplica(), replicaLinks.nextReplica());
    }

    private PoolUuid uuid(int r, int p) {
        PoolHeader header = replicas.get(r).headers().get(p);
        PoolUuid named = isSound(header) ? header.uuid() : named(r, p);
        return named != null ? named : mostNamed(r, header);
    }

    /** The uuid of a damaged header as sound neighbours name it; null where there are none. */
    private PoolUuid named(int r, int p) {
        List<PoolHeader> parts = replicas.get(r).headers();
        Set<PoolUuid> names = new LinkedHashSet<>();
        if (parts.size() > 1) {
            PoolHeader previous = parts.get(Math.floorMod(p - 1, parts.size()));
            PoolHeader next = parts.get((p + 1) % parts.size());
            if (isSound(previous)) {
                names.add(previous.links().nextPart());
            }
            if (isSound(next)) {
                names.add(next.links().previousPart());
            }
        }
        int count = replicas.size();
        if (p == 0 && count > 1 && set.remoteReplicas().isEmpty()) {
            headers(Math.floorMod(r - 1, count)).forEach(h -> names.add(h.links().nextReplica()));
            headers((r + 1) % count).forEach(h -> names.add(h.links().previousReplica()));
        }
        return names.size() == 1 ? names.iterator().next() : null;
    }

    private Stream<PoolHeader> headers(int r) {
        return replicas.get(r).headers().stream().filter(HeaderRepair::isSound);
    }

    /** A part without neighbours has its own uuid in its links, too. */
    private Stream<PoolUuid> copies(int r, PoolHeader header) {
        Links links = header.links();
        if (replicas.get(r).headers().size() > 1) {
            return Stream.of(header.uuid());
        }
        boolean alone = set.replicas().size() == 1;
        return Stream.concat(
                Stream.of(header.uuid(), links.previousPart(), links.nextPart()),
                alone ? Stream.of(links.previousReplica(), links.nextReplica()) : Stream.empty());
    }

    private PoolUuid mostNamed(int r, PoolHeader header) {
        Map<PoolUuid, Long> votes =
                copies(r, header)
                        .filter(uuid -> !uuid.isZero())
                        .collect(Collectors.groupingBy(uuid -> uuid, Collectors.counting()));
        return votes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(header.uuid());
    }

    /** Whether what is stored names one part throughout, of some pool. */
    private boolean hasOneUuid(int r, PoolHeader header) {
        List<PoolUuid> copies = copies(r, header).distinct().toList();
        return copies.size() == 1
                && replicas.get(r).headers().size() == 1
                && !copies.get(0).isZero()
                && !header.poolsetUuid().isZero();
    }
}
