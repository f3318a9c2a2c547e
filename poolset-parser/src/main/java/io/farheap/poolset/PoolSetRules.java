package io.farheap.poolset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a pool set must satisfy beyond the grammar, by its use (docs/format.md#rules). */
public final class PoolSetRules {
    /** Smallest pool. */
    public static final long MIN_POOL_BYTES = 8L << 20;

    /** Smallest part. */
    public static final long MIN_PART_BYTES = 2L << 20;

    private final PoolSet set;

    private PoolSetRules(PoolSet set) {
        this.set = set;
    }

    /**
     * Checks a set whose master is used on this machine.
     *
     * @throws PoolSetSyntaxException with the line of the first rule broken
     */
    public static void checkLocal(PoolSet set) {
        PoolSetRules rules = new PoolSetRules(set);
        if (set.has(PoolSet.Option.NOHDRS)) {
            throw rules.error(
                    rules.lineOf(PoolSet.Option.NOHDRS),
                    "the NOHDRS poolset option is not supported for local poolsets",
                    "NOHDRS only in the set on the target of a replication");
        }
        rules.check();
    }

    /**
     * Checks a set that is a remote replica, on the target.
     *
     * @throws PoolSetSyntaxException with the line of the first rule broken
     */
    public static void checkTarget(PoolSet set) {
        PoolSetRules rules = new PoolSetRules(set);
        if (set.replicas().size() > 1) {
            throw rules.error(
                    set.lineOfReplica(1),
                    "a remote replica has replicas of its own",
                    "no REPLICA line in the set on the target of a replication");
        }
        rules.check();
    }

    private void check() {
        if (set.isDirectorySet() && !set.has(PoolSet.Option.SINGLEHDR)) {
            throw error(
                    set.lineOfPart(0, 0),
                    "directory based pools are not supported for poolsets with headers (without"
                            + " SINGLEHDR option)",
                    "OPTION SINGLEHDR");
        }
        Set<Object> seen = new HashSet<>();
        Set<RemoteReplica> seenRemote = new HashSet<>();
        List<Replica> replicas = set.replicas();
        for (int r = 0; r < replicas.size(); r++) {
            switch (replicas.get(r)) {
                case LocalReplica replica -> checkReplica(r, replica, seen);
                case RemoteReplica replica -> checkRemote(r, replica, seenRemote);
            }
        }
    }

    private void checkReplica(int index, LocalReplica replica, Set<Object> seen) {
        for (int p = 0; p < replica.parts().size(); p++) {
            Part part = replica.parts().get(p);
            if (part.size() < MIN_PART_BYTES) {
                throw error(
                        set.lineOfPart(index, p),
                        "size " + part.size() + " smaller than " + MIN_PART_BYTES,
                        "parts of at least 2M");
            }
            Set<Object> names = names(part.path());
            if (!Collections.disjoint(seen, names)) {
                throw error(
                        set.lineOfPart(index, p),
                        "the same file is used twice: " + part.path(),
                        "another file for each part");
            }
            seen.addAll(names);
        }
        long size = set.replicaSize(replica);
        if (size < MIN_POOL_BYTES) {
            throw error(
                    set.lineOfReplica(index),
                    (set.isDirectorySet() ? "reservation" : "net")
                            + " pool size "
                            + size
                            + " smaller than "
                            + MIN_POOL_BYTES,
                    "replicas of at least 8M, headers not counted");
        }
    }

    /** What tells a file from others: its path, that without links, and what it is by itself. */
    private static Set<Object> names(Path path) {
        Set<Object> names = new HashSet<>();
        names.add(path.normalize());
        if (path.getParent() == null) {
            return names;
        }
        try {
            names.add(path.getParent().toRealPath().resolve(path.getFileName()));
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            if (key != null) {
                names.add(key);
            }
        } catch (IOException e) {
            // What is not there, or can't be looked at, is told by its path.
            return names;
        }
        return names;
    }

    private void checkRemote(int index, RemoteReplica replica, Set<RemoteReplica> seen) {
        RemoteReplica place =
                new RemoteReplica(
                        replica.user(),
                        replica.host().toLowerCase(Locale.ROOT),
                        replica.port(),
                        Path.of(replica.descriptor()).normalize().toString());
        if (!seen.add(place)) {
            throw error(
                    set.lineOfReplica(index),
                    "the same remote replica is used twice: " + replica,
                    "another host, or another poolset on it, for each replica");
        }
    }

    private int lineOf(PoolSet.Option option) {
        int line = 1;
        for (Line candidate : set.lines()) {
            if (candidate.content() instanceof Line.Options names
                    && names.options().contains(option)) {
                return line;
            }
            line++;
        }
        throw new IllegalArgumentException("no option " + option);
    }

    private PoolSetSyntaxException error(int line, String problem, String expected) {
        return new PoolSetSyntaxException(set.file(), line, 1, problem, expected);
    }
}
