package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetRules;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The part files of a poolset whose parts are directories (docs/format.md#directories): {@code
 * NNNNNN.pmem} is part NNNNNN of its replica, in whichever of the replica's directories it lies.
 * The sizes in the poolset file are not theirs: their sum is how large a replica may become.
 */
final class DirectoryParts {
    /** Part 0 of a new pool. */
    private static final long FIRST_PART_BYTES = PoolSetRules.MIN_POOL_BYTES;

    private static final Pattern NAME = Pattern.compile("([0-9]+).*\\.pmem");
    private static final int MOST_PARTS = 1_000_000;

    private final PoolSet written;

    /** Of each local replica, by index. */
    private final List<SortedMap<Integer, Path>> found;

    private DirectoryParts(PoolSet written, List<SortedMap<Integer, Path>> found) {
        this.written = written;
        this.found = found;
    }

    /**
     * Looks into the directories.
     *
     * @param written a set of directories, as its file says
     * @throws FarheapException BAD_DATA where two files say that they are one part
     */
    static DirectoryParts of(PoolSet written) {
        List<SortedMap<Integer, Path>> found = new ArrayList<>();
        for (LocalReplica replica : written.localReplicas()) {
            SortedMap<Integer, Path> parts = new TreeMap<>();
            replica.parts().forEach(directory -> scan(directory.path(), parts));
            found.add(parts);
        }
        return new DirectoryParts(written, found);
    }

    private static void scan(Path directory, SortedMap<Integer, Path> parts) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    add(parts, name.group(1), file);
                }
            }
        } catch (IOException e) {
            throw FileStatus.unreadableDirectory(directory, e);
        }
    }

    private static void add(SortedMap<Integer, Path> parts, String number, Path file) {
        int index = number.length() > 9 ? MOST_PARTS : Integer.parseInt(number);
        if (index >= MOST_PARTS) {
            throw FarheapException.badData("%s: no pool has so many parts: move it away", file);
        }
        Path other = parts.put(index, file);
        if (other != null) {
            throw FarheapException.badData(
                    "%s and %s are both part %s: move the one away that is not the pool's",
                    other, file, index);
        }
    }

    /** Whether there is any part. */
    boolean exist() {
        return found.stream().anyMatch(parts -> !parts.isEmpty());
    }

    /** How many bytes the smallest replica may have: what growth must not exceed. */
    long mostBytes() {
        return written.poolSize();
    }

    /**
     * The set of the files that there are. A replica that lacks parts is supposed to have them in
     * its first directory. Only parts that are not in all replicas, and that the heap does not
     * reach, are left out: growth was cut before they were made everywhere.
     *
     * @throws FarheapException ENVIRONMENT when there is none, BAD_DATA when one in the middle is
     *     missing everywhere
     */
    PoolSet existing() {
        if (!exist()) {
            throw FarheapException.environment(
                    "%s: no part files in its directories; put them back from a backup, or"
                            + " create the pool if there was none",
                    written.file());
        }
        List<Long> sizes = sizes();
        long needed = neededBytes();
        long bytes = 0;
        int count = 0;
        while (count < sizes.size() && (bytes < needed || isEverywhere(count))) {
            bytes += sizes.get(count) & -4096L;
            count++;
        }
        return files(sizes.subList(0, count));
    }

    /** Every part file. */
    List<Path> files() {
        return found.stream().flatMap(parts -> parts.values().stream()).toList();
    }

    /** Files that {@link #existing} leaves out. */
    List<Path> unfinished(PoolSet existing) {
        int count = existing.master().parts().size();
        return found.stream().flatMap(parts -> parts.tailMap(count).values().stream()).toList();
    }

    /** The set of the files of a new pool: those that there are, else one of 8 MiB. */
    PoolSet forCreation() {
        return files(exist() ? sizes() : List.of(FIRST_PART_BYTES));
    }

    /** Size of each part, as the first replica that has it says. */
    private List<Long> sizes() {
        int count = found.stream().mapToInt(DirectoryParts::count).max().orElse(0);
        List<Long> sizes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            Path file =
                    found.stream()
                            .map(parts -> parts.get(index))
                            .filter(path -> path != null)
                            .findFirst()
                            .orElseThrow(() -> missing(index));
            sizes.add(size(file));
        }
        return sizes;
    }

    private static int count(SortedMap<Integer, Path> parts) {
        return parts.isEmpty() ? 0 : parts.lastKey() + 1;
    }

    private FarheapException missing(int index) {
        return FarheapException.badData(
                "%s: part %s is missing in all its directories: put it back from a backup",
                written.file(), fileName(index));
    }

    private static long size(Path file) {
        try {
            return Math.max(1, Files.size(file));
        } catch (IOException e) {
            throw FarheapException.environment(e, "cannot find the size of %s: %s", file, e);
        }
    }

    private boolean isEverywhere(int index) {
        return found.stream().allMatch(parts -> parts.containsKey(index));
    }

    /**
     * Where the heap ends as the first descriptor says that can be read; 0: none can. Of a pool
     * that was left with a disk journal, where it may end as a journal says.
     */
    private long neededBytes() {
        long needed = 0;
        long journaled = 0;
        boolean marked = false;
        for (SortedMap<Integer, Path> parts : found) {
            if (parts.containsKey(0) && HeaderMark.isMarked(parts.get(0))) {
                marked = true;
                journaled = Math.max(journaled, ReplicaJournal.usedBytes(parts.get(0)));
            }
            if (needed == 0 && parts.containsKey(0)) {
                needed = heapEnd(parts.get(0));
            }
        }
        boolean unknown = marked && journaled == 0; // opening says which journal is missing
        return unknown ? Long.MAX_VALUE : Math.max(needed, journaled);
    }

    private static long heapEnd(Path part) {
        ByteBuffer words = ByteBuffer.allocate((int) Descriptor.END);
        try (NativeFile file = NativeFile.openReadOnly(part)) {
            long unused = file.read(MemorySegment.ofBuffer(words), 0);
        }
        words.order(ByteOrder.LITTLE_ENDIAN);
        long size = words.getLong((int) Descriptor.HEAP_SIZE);
        return size == 0 ? 0 : words.getLong((int) Descriptor.HEAP_OFFSET) + size;
    }

    private PoolSet files(List<Long> sizes) {
        List<LocalReplica> replicas = new ArrayList<>();
        for (int r = 0; r < found.size(); r++) {
            List<Part> parts = new ArrayList<>();
            for (int i = 0; i < sizes.size(); i++) {
                Path file = found.get(r).get(i);
                boolean supposed = file == null;
                parts.add(
                        Part.file(
                                supposed ? directory(r, 0).resolve(fileName(i)) : file,
                                supposed ? sizes.get(i) : size(file)));
            }
            replicas.add(new LocalReplica(parts));
        }
        return written.withLocalReplicas(replicas);
    }

    /** The set as its file says. */
    PoolSet written() {
        return written;
    }

    /** The set with one more part of so many bytes in each replica, in one directory by turns. */
    PoolSet longer(PoolSet files, long bytes) {
        int index = files.master().parts().size();
        List<LocalReplica> longer = new ArrayList<>();
        for (int r = 0; r < found.size(); r++) {
            List<Part> parts = new ArrayList<>(files.localReplicas().get(r).parts());
            int directories = written.localReplicas().get(r).parts().size();
            Path file = directory(r, index % directories).resolve(fileName(index));
            parts.add(Part.file(file, bytes));
            longer.add(new LocalReplica(parts));
        }
        return files.withLocalReplicas(longer);
    }

    private Path directory(int replica, int index) {
        return written.localReplicas().get(replica).parts().get(index).path();
    }

    private static String fileName(int index) {
        return String.format("%06d.pmem", index);
    }
}
