package io.farheap.pool;

import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How a poolset file differs from the pool that its part files are: the headers name the pool, the
 * neighbours of each part and the first part of the neighbouring replicas. Then the files are as
 * they should be, and the poolset file is not.
 *
 * @param finding what differs, a sentence
 * @param nextStep what puts it right without touching a part file
 */
public record PoolSetEdit(String finding, String nextStep) {

    /** A part file whose header is sound. */
    private record Found(int replica, int index, Path path, PoolHeader header) {}

    /** Where a part belongs: the uuid of its replica's first part, and how far it is behind it. */
    private record Home(PoolUuid replica, int index) {}

    /**
     * Looks at the headers of all local parts, of whatever size the files are.
     *
     * @return null where the poolset file is as the pool was made, or the headers don't tell
     */
    static PoolSetEdit of(PoolSet set) {
        if (set.file().isEmpty() || !set.hasHeader(0)) {
            return null;
        }
        List<Found> found = headers(set);
        if (found.isEmpty()) {
            return null;
        }
        PoolSetEdit foreign = foreign(found);
        if (foreign != null) {
            return foreign;
        }
        Map<PoolUuid, Home> homes = homes(found);
        PoolSetEdit order = partOrder(set, found, homes);
        if (order != null) {
            return order;
        }
        PoolSetEdit many = tooMany(set, found);
        return many != null ? many : replicas(set, found, homes);
    }

    /**
     * Beside remote replicas a header may name one of those, as libpmemobj's do; a replica that is
     * neither one of them nor a local one of the poolset file is one that this lacks.
     *
     * @param remotes the uuids of all remote replicas
     * @return null where nothing tells of such a replica
     */
    static PoolSetEdit beside(PoolSet set, Set<PoolUuid> remotes) {
        List<Found> found = set.hasHeader(0) ? headers(set) : List.of();
        Set<PoolUuid> named = named(found);
        named.removeAll(remotes);
        int unknown = 0;
        for (int r = 0; r < set.localReplicas().size(); r++) {
            int replica = r;
            List<Found> its = found.stream().filter(part -> part.replica() == replica).toList();
            PoolUuid first = first(its, set.localReplicas().get(r).parts().size());
            if (first == null && !its.isEmpty()) {
                return null;
            }
            unknown += first == null ? 1 : 0;
            named.remove(first);
        }
        return named.size() <= unknown ? null : lacking(set, named);
    }

    /** The uuid of a replica's first part, be that lost; null where what is left does not tell. */
    private static PoolUuid first(List<Found> parts, int count) {
        for (Found part : parts) {
            PoolHeader.Links links = part.header().links();
            if (part.index() == 0) {
                return part.header().uuid();
            } else if (part.index() == 1) {
                return links.previousPart();
            } else if (part.index() == count - 1) {
                return links.nextPart();
            }
        }
        return null;
    }

    private static Set<PoolUuid> named(List<Found> found) {
        Set<PoolUuid> named = new HashSet<>();
        for (Found part : found) {
            named.add(part.header().links().nextReplica());
            named.add(part.header().links().previousReplica());
        }
        return named;
    }

    private static List<Found> headers(PoolSet set) {
        List<Found> found = new ArrayList<>();
        for (int r = 0; r < set.localReplicas().size(); r++) {
            LocalReplica replica = set.localReplicas().get(r);
            for (int p = 0; p < replica.parts().size(); p++) {
                Path path = replica.parts().get(p).path();
                PoolHeader header = set.hasHeader(p) ? header(path) : null;
                if (header != null && HeaderValidation.ownFault(header) == null) {
                    found.add(new Found(r, p, path, header));
                }
            }
        }
        return found;
    }

    private static PoolHeader header(Path path) {
        if (!Files.isRegularFile(path)) {
            return null;
        }
        byte[] bytes = new byte[(int) PoolHeader.SIZE];
        try (InputStream file = Files.newInputStream(path)) {
            int unused = file.readNBytes(bytes, 0, bytes.length);
        } catch (IOException unreadable) {
            return null; // who opens it says so
        }
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, Long.BYTES);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, page, 0, bytes.length);
        return new PoolHeader(page);
    }

    // ---- of which pool ----

    private static PoolSetEdit foreign(List<Found> found) {
        Map<PoolUuid, List<Found>> pools = new LinkedHashMap<>();
        for (Found part : found) {
            pools.computeIfAbsent(part.header().poolsetUuid(), uuid -> new ArrayList<>()).add(part);
        }
        if (pools.size() == 1) {
            return null;
        }
        PoolUuid most = found.get(0).header().poolsetUuid();
        for (Map.Entry<PoolUuid, List<Found>> pool : pools.entrySet()) {
            most = pool.getValue().size() > pools.get(most).size() ? pool.getKey() : most;
        }
        for (Found part : found) {
            PoolUuid its = part.header().poolsetUuid();
            if (!its.equals(most)) {
                return new PoolSetEdit(
                        part.path()
                                + " belongs to another pool ("
                                + its
                                + ") than the other parts ("
                                + most
                                + ")",
                        "name the file that belongs there in the poolset file; it is left as it"
                                + " is");
            }
        }
        return null;
    }

    // ---- where each part belongs ----

    /** By the uuid of each part that is found; those of which nothing tells are not in it. */
    private static Map<PoolUuid, Home> homes(List<Found> found) {
        Map<PoolUuid, Found> byUuid = new HashMap<>();
        found.forEach(part -> byUuid.put(part.header().uuid(), part));
        Map<PoolUuid, Home> homes = new HashMap<>();
        named(found).forEach(first -> follow(first, byUuid, homes));
        // Of the one replica that is left nobody names the first part.
        for (Found part : found) {
            if (part.index() == 0) {
                follow(part.header().uuid(), byUuid, homes);
            }
        }
        return homes;
    }

    private static void follow(
            PoolUuid first, Map<PoolUuid, Found> byUuid, Map<PoolUuid, Home> homes) {
        PoolUuid at = first;
        for (int index = 0; byUuid.containsKey(at) && !homes.containsKey(at); index++) {
            homes.put(at, new Home(first, index));
            at = byUuid.get(at).header().links().nextPart();
        }
    }

    private static PoolSetEdit partOrder(
            PoolSet set, List<Found> found, Map<PoolUuid, Home> homes) {
        List<String> wrong = new ArrayList<>();
        Map<Integer, PoolUuid> owners = new HashMap<>();
        for (Found part : found) {
            Home home = homes.get(part.header().uuid());
            if (home != null && (set.hasHeader(1) || part.index() == 0)) {
                PoolUuid owner = owners.putIfAbsent(part.replica(), home.replica());
                boolean elsewhere = owner != null && !owner.equals(home.replica());
                if (elsewhere || home.index() != part.index()) {
                    wrong.add(
                            part.path()
                                    + " was made as part "
                                    + home.index()
                                    + (elsewhere ? " of another replica" : "")
                                    + ", and is named as part "
                                    + part.index());
                }
            }
        }
        return wrong.isEmpty()
                ? null
                : new PoolSetEdit(
                        "the parts are in another order than the pool was made with: "
                                + String.join("; ", wrong),
                        "write the lines of the poolset file "
                                + set.file()
                                + " in that order again; the files are left as they are");
    }

    // ---- which replicas there are ----

    private static PoolSetEdit replicas(PoolSet set, List<Found> found, Map<PoolUuid, Home> homes) {
        Map<Integer, PoolUuid> present = new HashMap<>();
        for (Found part : found) {
            if (homes.containsKey(part.header().uuid())) {
                present.put(part.replica(), homes.get(part.header().uuid()).replica());
            }
        }
        Set<PoolUuid> named = named(found);
        named.removeAll(present.values());
        int locals = set.localReplicas().size();
        if (!named.isEmpty()) {
            // libpmemobj links remote replicas, too.
            boolean lacking = present.size() == locals && set.remoteReplicas().isEmpty();
            return lacking ? lacking(set, named) : null;
        }
        for (int r = 0; r < locals; r++) {
            if (!present.containsKey(r)) {
                return added(set, r);
            }
        }
        return null;
    }

    /**
     * The headers of one replica name the one behind it, and those of the next one that is found
     * the one before that: where both are the same, only one is between them.
     */
    private static PoolSetEdit tooMany(PoolSet set, List<Found> found) {
        int locals = set.localReplicas().size();
        PoolHeader.Links[] links = new PoolHeader.Links[locals];
        found.forEach(part -> links[part.replica()] = part.header().links());
        for (int r = 0; r < locals; r++) {
            int lost = 0;
            while (links[r] != null && links[(r + lost + 1) % locals] == null) {
                lost++;
            }
            boolean one =
                    lost > 1
                            && links[r].nextReplica()
                                    .equals(links[(r + lost + 1) % locals].previousReplica());
            if (one) {
                return oneOf(set, r + 1, lost);
            }
        }
        return null;
    }

    private static PoolSetEdit oneOf(PoolSet set, int from, int count) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int replica = (from + i) % set.localReplicas().size();
            lines.add(set.localReplicas().get(replica).parts().get(0).path().toString());
        }
        return new PoolSetEdit(
                "of the replicas of "
                        + String.join(" and ", lines)
                        + " the pool was made with one: each other line is new",
                takeOut(set));
    }

    private static String takeOut(PoolSet set) {
        return "take it out of "
                + set.file()
                + " again; to add it: farheap transform "
                + set.file()
                + " NEW.set, where NEW.set has it";
    }

    private static PoolSetEdit lacking(PoolSet set, Set<PoolUuid> named) {
        return new PoolSetEdit(
                "the pool was made with "
                        + (named.size() == 1 ? "one more replica" : named.size() + " more replicas")
                        + ", which the poolset file "
                        + set.file()
                        + " lacks (first part: uuid "
                        + named.iterator().next()
                        + ")",
                "put the REPLICA line and its parts back into it; to have the pool without that"
                        + " replica: farheap transform");
    }

    private static PoolSetEdit added(PoolSet set, int replica) {
        LocalReplica line = set.localReplicas().get(replica);
        return new PoolSetEdit(
                "the REPLICA line of "
                        + line.parts().get(0).path()
                        + " is new: the pool was made without it",
                takeOut(set));
    }

    /** Both in one. */
    public String text() {
        return finding + "; " + nextStep;
    }
}
