package io.farheap.poolset;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What a poolset file says: options and replicas, the first of which is local and the master. It
 * remembers every line it came from, so that {@link PoolSetWriter} gives comments, order, blanks
 * and line ends back; two sets are equal when all of that is.
 *
 * <p>Immutable. Sizes are bytes; the image sizes follow "pool layout, 1": part 0 gives all its
 * whole pages, every later part those behind its own header, when it has one.
 */
public final class PoolSet {
    /** A name on an {@code OPTION} line; options hold for the whole set. */
    public enum Option {
        /** Only part 0 of each replica has a header. */
        SINGLEHDR,
        /** No part has a header; only for the set on the target of a replication. */
        NOHDRS
    }

    /** First line of every poolset file, and how a file is told to be one. */
    public static final String SIGNATURE = "PMEMPOOLSET";

    /** Bytes of a pool header, at the start of each part that has one. */
    public static final long HEADER_BYTES = 4096;

    private static final long PAGE_BYTES = 4096;

    private final String file;
    private final List<Line> lines;
    private final Set<Option> options;
    private final List<Replica> replicas;

    PoolSet(String file, List<Line> lines) {
        this.file = Objects.requireNonNull(file);
        this.lines = List.copyOf(lines);
        EnumSet<Option> found = EnumSet.noneOf(Option.class);
        List<Replica> all = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        for (Line line : this.lines) {
            if (line.content() instanceof Line.Options names) {
                found.addAll(names.options());
            } else if (line.content() instanceof Line.PartLine part) {
                parts.add(part.part());
            } else if (line.content() instanceof Line.ReplicaStart) {
                closeLocal(parts, all);
            } else if (line.content() instanceof Line.Remote remote) {
                closeLocal(parts, all);
                all.add(remote.replica());
            }
        }
        closeLocal(parts, all);
        this.options = Set.copyOf(found);
        this.replicas = List.copyOf(all);
        if (replicas.isEmpty() || !(replicas.get(0) instanceof LocalReplica)) {
            throw new IllegalArgumentException("the first replica of a pool set is local");
        }
    }

    private static void closeLocal(List<Part> parts, List<Replica> all) {
        if (!parts.isEmpty()) {
            all.add(new LocalReplica(parts));
            parts.clear();
        }
    }

    /** A set that comes from no file, to be written or used as it is. */
    public static PoolSet of(Set<Option> options, List<? extends Replica> replicas) {
        return new PoolSet("", PoolSetEdits.lines(options, replicas));
    }

    /** The name of the file it was parsed from, as given to the parser; "" when from none. */
    public String file() {
        return file;
    }

    /** The options of the whole set. */
    public Set<Option> options() {
        return options;
    }

    /** Whether the set has an option. */
    public boolean has(Option option) {
        return options.contains(option);
    }

    /** All replicas in the order of the file. */
    public List<Replica> replicas() {
        return replicas;
    }

    /** Replica 0: data is read from it and copied from it to the others. */
    public LocalReplica master() {
        return (LocalReplica) replicas.get(0);
    }

    /** The local replicas, master first. */
    public List<LocalReplica> localReplicas() {
        return ofType(LocalReplica.class);
    }

    /** The remote replicas, in their order. */
    public List<RemoteReplica> remoteReplicas() {
        return ofType(RemoteReplica.class);
    }

    private <T> List<T> ofType(Class<T> type) {
        return replicas.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Whether the parts are directories; the parser refuses a mix. */
    public boolean isDirectorySet() {
        return master().parts().get(0).kind() == Part.Kind.DIRECTORY;
    }

    /** Both options at once: recorded by libpmemobj as an error, but parsed. */
    public boolean hasConflictingOptions() {
        return has(Option.SINGLEHDR) && has(Option.NOHDRS);
    }

    /** Whether part {@code index} of each replica starts with a pool header. */
    public boolean hasHeader(int index) {
        return !has(Option.NOHDRS) && (index == 0 || !has(Option.SINGLEHDR));
    }

    /**
     * Offset in part file {@code index} where its share of the image starts: 0 in part 0, whose
     * header belongs to the image, else behind its header.
     */
    public long imageStart(int index) {
        return index > 0 && hasHeader(index) ? HEADER_BYTES : 0;
    }

    /**
     * Bytes of the image that part {@code index} of {@code replica} gives; 0 for too small a part.
     */
    public long imageSize(LocalReplica replica, int index) {
        long pages = replica.parts().get(index).size() & -PAGE_BYTES;
        return Math.max(0, pages - imageStart(index));
    }

    /** Offset in the image of the first byte that part {@code index} of {@code replica} gives. */
    public long imageOffset(LocalReplica replica, int index) {
        long offset = 0;
        for (int i = 0; i < index; i++) {
            offset += imageSize(replica, i);
        }
        return offset;
    }

    /** Bytes of the image that all parts of {@code replica} give together. */
    public long replicaSize(LocalReplica replica) {
        return imageOffset(replica, replica.parts().size());
    }

    /** Size of the pool: that of the smallest local replica. */
    public long poolSize() {
        return localReplicas().stream().mapToLong(this::replicaSize).min().orElseThrow();
    }

    /** Line, from 1, of part {@code part} of the {@code replica}-th replica (remote ones count). */
    public int lineOfPart(int replica, int part) {
        return PoolSetEdits.indexOfPart(lines, replica, part) + 1;
    }

    /** Line, from 1, where the {@code replica}-th replica starts; of the master its first part. */
    public int lineOfReplica(int replica) {
        return PoolSetEdits.indexOfReplica(lines, replica) + 1;
    }

    /** This set with {@code replica} as its last one. */
    public PoolSet withReplica(Replica replica) {
        return new PoolSet(file, PoolSetEdits.appendReplica(lines, replica));
    }

    /**
     * This set without its {@code index}-th replica. All comments stay.
     *
     * @throws IllegalArgumentException when no local replica would come first
     */
    public PoolSet withoutReplica(int index) {
        return new PoolSet(file, PoolSetEdits.removeReplica(lines, index));
    }

    /** This set with part {@code part} of the {@code replica}-th replica replaced, in its line. */
    public PoolSet withPart(int replica, int part, Part replacement) {
        return new PoolSet(file, PoolSetEdits.replacePart(lines, replica, part, replacement));
    }

    /**
     * What this set of directories stands for: the same replicas and options, with the files found
     * in them as parts. It keeps the name of its file and forgets the lines.
     *
     * @param files as many as there are local replicas, in their order
     */
    public PoolSet withLocalReplicas(List<LocalReplica> files) {
        if (files.size() != localReplicas().size()) {
            throw new IllegalArgumentException(files.size() + " replicas for " + this);
        }
        List<Replica> all = new ArrayList<>();
        int next = 0;
        for (Replica replica : replicas) {
            all.add(replica instanceof LocalReplica ? files.get(next++) : replica);
        }
        return new PoolSet(file, PoolSetEdits.lines(options, all));
    }

    /** This set with {@code option} on a line of its own, unless it is there already. */
    public PoolSet withOption(Option option) {
        return has(option) ? this : new PoolSet(file, PoolSetEdits.addOption(lines, option));
    }

    /** This set without {@code option}; other names on its lines stay. */
    public PoolSet withoutOption(Option option) {
        return has(option) ? new PoolSet(file, PoolSetEdits.removeOption(lines, option)) : this;
    }

    List<Line> lines() {
        return lines;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PoolSet set && lines.equals(set.lines);
    }

    @Override
    public int hashCode() {
        return lines.hashCode();
    }

    /** The text of the file. */
    @Override
    public String toString() {
        return PoolSetWriter.toText(this);
    }
}
