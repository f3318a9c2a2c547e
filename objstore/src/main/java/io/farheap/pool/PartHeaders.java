package io.farheap.pool;

import io.farheap.layout.PoolFeature;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.PoolSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** What the headers of a pool's healthy parts say of each other and of those that are lost. */
final class PartHeaders {
    private final PoolSet set;
    private final List<List<PartInspection>> replicas;

    PartHeaders(PoolSet set, List<List<PartInspection>> replicas) {
        this.set = set;
        this.replicas = replicas;
    }

    /**
     * Why they can't be those of one pool; null where they can.
     *
     * @param first one that is the pool's
     */
    String conflict(PoolHeader first) {
        List<PartInspection> known =
                replicas.stream()
                        .flatMap(List::stream)
                        .filter(part -> part.isHealthy() && part.header() != null)
                        .toList();
        for (PartInspection part : known) {
            if (!part.header().poolsetUuid().equals(first.poolsetUuid())) {
                return part.path()
                        + ": different poolset uuids: the part is another pool's than the parts"
                        + " before it";
            }
            PoolHeader before = headers(part.replica()).get(0);
            if (!part.header().features().equals(before.features())) {
                return part.path()
                        + ": incompatible feature flags"
                        + (cutFeature() == null ? "" : ": a change of one was cut");
            }
        }
        return known.stream()
                .map(this::wrongLink)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** See {@link PoolInspection#cutFeature}. */
    CutFeature cutFeature() {
        return IntStream.range(0, replicas.size())
                .mapToObj(r -> cutFeature(headers(r)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static CutFeature cutFeature(List<PoolHeader> headers) {
        for (PoolFeature feature : PoolFeature.values()) {
            long on = headers.stream().filter(header -> feature.isOn(header.features())).count();
            long others =
                    headers.stream()
                            .map(header -> feature.switched(header.features(), true))
                            .distinct()
                            .count();
            if (on > 0 && on < headers.size() && others == 1) {
                return new CutFeature(feature, feature.isOn(headers.get(0).features()));
            }
        }
        return null;
    }

    /** Those of a replica's healthy parts. */
    private List<PoolHeader> headers(int replica) {
        return replicas.get(replica).stream()
                .filter(PartInspection::isHealthy)
                .map(PartInspection::header)
                .filter(Objects::nonNull)
                .toList();
    }

    private String wrongLink(PartInspection part) {
        int r = part.replica();
        List<PartInspection> parts = replicas.get(r);
        int headers = set.hasHeader(1) ? parts.size() : 1;
        PoolHeader.Links links = part.header().links();
        PartInspection previous = parts.get(Math.floorMod(part.index() - 1, headers));
        PartInspection next = parts.get((part.index() + 1) % headers);
        if (contradicts(previous, links.previousPart()) || contradicts(next, links.nextPart())) {
            return part.path() + ": wrong part UUID: the parts are not in order, or of two pools";
        }
        PartInspection before = replicas.get(Math.floorMod(r - 1, replicas.size())).get(0);
        PartInspection after = replicas.get((r + 1) % replicas.size()).get(0);
        boolean remotes = !set.remoteReplicas().isEmpty();
        if (!remotes
                && (isOther(before, links.previousReplica())
                        || isOther(after, links.nextReplica()))) {
            return part.path() + ": wrong replica UUID: the pool was made with other replicas";
        }
        return null;
    }

    private static boolean contradicts(PartInspection neighbour, PoolUuid link) {
        return neighbour.isHealthy() && !neighbour.header().uuid().equals(link);
    }

    /** A part that has another one's header is out of place, whatever else is wrong with it. */
    private static boolean isOther(PartInspection first, PoolUuid link) {
        PoolHeader header = first.header();
        return header != null
                && HeaderValidation.ownFault(header) == null
                && !header.uuid().equals(link);
    }

    /** See {@link PoolInspection#knownUuid}. */
    PoolUuid knownUuid(int replica, int index) {
        List<PartInspection> parts = replicas.get(replica);
        if (parts.get(index).isHealthy()) {
            return parts.get(index).header().uuid();
        }
        int headers = set.hasHeader(1) ? parts.size() : 1;
        PartInspection previous = parts.get(Math.floorMod(index - 1, headers));
        if (previous.isHealthy()) {
            return previous.header().links().nextPart();
        }
        PartInspection next = parts.get((index + 1) % headers);
        if (next.isHealthy()) {
            return next.header().links().previousPart();
        }
        return index == 0 ? knownByReplicas(replica) : null;
    }

    private PoolUuid knownByReplicas(int replica) {
        int count = replicas.size();
        for (PartInspection part : replicas.get(Math.floorMod(replica - 1, count))) {
            if (part.isHealthy() && part.header() != null) {
                return part.header().links().nextReplica();
            }
        }
        for (PartInspection part : replicas.get((replica + 1) % count)) {
            if (part.isHealthy() && part.header() != null) {
                return part.header().links().previousReplica();
            }
        }
        return null;
    }
}
