package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.sync.Placement.Link;
import io.farheap.tools.sync.Placement.Row;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What more than one local part has of the pool: it has to be the same in each, and it may prove
 * where parts lie. Reads only.
 */
final class CommonBytes {
    private static final long BUFFER = 1 << 20;

    private final FoundReplicas findings;
    private final PoolInspection local;
    private final PoolSet set;
    private final List<Piece> pieces;
    private final LongWork work;
    private final Placement placement;
    private final PartEvidence evidence;
    private final PagePairs pairs = new PagePairs();

    /** Which bytes have proven. */
    private Set<Link> links = Set.of();

    /**
     * @param pieces the image from its first byte to its last
     */
    CommonBytes(FoundReplicas findings, List<Piece> pieces, LongWork work) {
        this.findings = findings;
        this.local = findings.local();
        this.set = local.poolSet();
        this.pieces = pieces;
        this.work = work;
        this.placement = new Placement(local);
        this.evidence = new PartEvidence(local);
    }

    /** Which rows lie to each other as their lines say, as bytes prove. */
    Set<Link> links() {
        return links;
    }

    /**
     * All that stays in its place has to be what is put together.
     *
     * @throws FarheapException BAD_DATA where it is not
     */
    void requireAgreement(PoolMemory memory) {
        OverlapPages used = new OverlapPages(memory);
        for (List<PartInspection> parts : local.replicas()) {
            boolean stays = parts.stream().anyMatch(PartInspection::isHealthy);
            parts.stream()
                    .filter(part -> stays && isEvidence(part))
                    .forEach(part -> requireSame(part, used));
        }
        if (!pairs.isEmpty()) {
            healthy().forEach(this::lookForRepetitions);
            links = pairs.proven();
        }
    }

    private Stream<PartInspection> healthy() {
        return local.replicas().stream().flatMap(List::stream).filter(PartInspection::isHealthy);
    }

    /** A first part with a wrong header stands for the number that is behind it. */
    private boolean isEvidence(PartInspection part) {
        return part.isHealthy() || evidence.hasNumber(part);
    }

    private void requireSame(PartInspection part, OverlapPages used) {
        Piece all = Piece.of(set, part).withoutHeader();
        boolean tellsPlaces = part.isHealthy() && evidence.hasNumber(first(all));
        for (Piece piece : pieces) {
            if (!piece.isInSamePartAs(all)) {
                // Where headers don't prove the run the bytes have to, free memory included.
                boolean proven = first(all).isHealthy() && first(piece).isHealthy();
                OverlapPages pages = proven ? used : new OverlapPages(null);
                Piece common = all.within(piece.offset(), piece.end());
                // Between these is what a process keeps for itself while it has the pool open.
                requireSame(piece, common.within(0, Descriptor.SCRATCH), pages, null);
                requireSame(
                        piece,
                        common.within(Descriptor.END, Long.MAX_VALUE),
                        pages,
                        tellsPlaces ? used : null);
            }
        }
    }

    /**
     * @param used finds what proves the place of one by the other's; null: nothing shall
     */
    private void requireSame(Piece piece, Piece common, OverlapPages pages, OverlapPages used) {
        Link link = new Link(placement.rowOf(piece), placement.rowOf(common));
        if (common.isEmpty()) {
            return;
        }
        try (NativeFile one = open(piece);
                NativeFile other = open(common);
                Arena arena = Arena.ofConfined()) {
            MemorySegment first = arena.allocate(BUFFER);
            MemorySegment second = arena.allocate(BUFFER);
            for (long at = common.offset(); at < common.end(); at += BUFFER) {
                long length = Math.min(BUFFER, common.end() - at);
                work.pacer().take(length);
                read(one, piece.inFile(set, at), first.asSlice(0, length));
                read(other, common.inFile(set, at), second.asSlice(0, length));
                OverlapPages.Range differing =
                        pages.firstDifference(
                                at, first.asSlice(0, length), second.asSlice(0, length));
                if (differing != null) {
                    throw different(piece, common.within(differing.offset(), differing.end()));
                }
                if (used != null && !link.isOfNoUse()) {
                    used.tellingPairs(
                            at,
                            first.asSlice(0, length),
                            (offset, hash) -> pairs.add(link, offset, hash));
                }
            }
        }
    }

    /** All of the part's file, what lies behind the pool's end included. */
    private void lookForRepetitions(PartInspection part) {
        LocalReplica replica = set.localReplicas().get(part.replica());
        long start = set.imageOffset(replica, part.index());
        long end = start + set.imageSize(replica, part.index());
        Piece all = new Piece(part.replica(), part.index(), start, end);
        long page = PagePairs.PAGE;
        try (NativeFile file = open(all);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(BUFFER);
            long before = 0;
            long first = Math.ceilDiv(start, page) * page;
            for (long at = first; at + page <= end; at += BUFFER) {
                long length = Math.min(BUFFER, end - at) / page * page;
                work.pacer().take(length);
                read(file, all.inFile(set, at), buffer.asSlice(0, length));
                for (long in = 0; in < length; in += page) {
                    long hash = PagePairs.hash(buffer.asSlice(in, page));
                    if (at + in > first) {
                        pairs.seen(at + in - page, PagePairs.hash(before, hash));
                    }
                    before = hash;
                }
            }
        }
    }

    private FarheapException different(Piece piece, Piece differing) {
        String moved = mayBeMoved(Stream.of(piece, differing));
        return FarheapException.badData(
                "cannot restore: %s and %s differ in %s, and which is right can't be told, as no"
                        + " replica is whole; nothing was changed.%s Look at the bytes there; move"
                        + " the one that is wrong away, and run this again, which says whether the"
                        + " others still have all of it",
                findings.named(piece), findings.named(differing), differing.range(), moved);
    }

    /** Another reason why what is put together may be wrong, as a sentence; or nothing. */
    String mayBeMoved(Stream<Piece> some) {
        Set<Row> placed = placement.placed(links, false);
        String moved =
                some.filter(piece -> !placed.contains(placement.rowOf(piece)))
                        .map(findings::named)
                        .distinct()
                        .collect(Collectors.joining(", "));
        return moved.isEmpty() ? "" : " It may be that " + Placement.doubt(moved) + ".";
    }

    private PartInspection first(Piece piece) {
        return local.replicas().get(piece.replica()).get(0);
    }

    private NativeFile open(Piece piece) {
        return NativeFile.openReadOnly(findings.part(piece).path());
    }

    private static void read(NativeFile file, long offset, MemorySegment buffer) {
        if (file.read(buffer, offset) < buffer.byteSize()) {
            throw FarheapException.environment(
                    "%s ends before byte %s: somebody cut it off meanwhile; look for who did, then"
                            + " sync again",
                    file.path(), offset + buffer.byteSize());
        }
    }
}
