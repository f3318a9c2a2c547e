package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.NativeFile;
import io.farheap.pool.Ownership;
import io.farheap.pool.PoolSource;
import io.farheap.pool.UnfinishedFiles;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.WholeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies of all part files of a pool as they were before it was repaired. A note beside them says
 * so until the repair is done: a repair that was cut is gone on with by the same command, and must
 * not replace them by what it has half written. The note has the sizes and numbers of the pool,
 * which no repair changes and every use does: copies of another time are not taken for these. No
 * other file is ever replaced.
 */
final class PoolBackup {
    private static final String NOTE = ".repairing";
    private static final long PIECE = 1 << 20;
    private static final String UNFINISHED = ".farheap-unfinished";

    private final Path pool;
    private final Path destination;
    private final Path note;

    /**
     * @param destination the backup's file, or a poolset file of the same shape as the pool's
     */
    PoolBackup(Path pool, Path destination) {
        this.pool = pool.toAbsolutePath();
        this.destination = destination.toAbsolutePath();
        this.note = this.destination.resolveSibling(this.destination.getFileName() + NOTE);
    }

    /**
     * Copies them, durably. On failure nothing is left.
     *
     * @param parts of a pool that is locked
     * @return whether some were there already, of a repair that was cut
     */
    boolean make(List<Path> parts) throws IOException {
        List<Path> copies = copies(parts);
        String text = text(parts);
        boolean resumed = Files.exists(note) && Files.readString(note).equals(text);
        if (!resumed) {
            for (Path copy : copies) {
                if (Files.exists(copy)) {
                    throw FarheapException.wrongUse(
                            "destination of the backup already exists: %s; name another", copy);
                }
            }
        }
        List<Path> made = new ArrayList<>();
        try {
            if (!resumed) {
                made.add(note);
                WholeFile.write(note, text.getBytes(StandardCharsets.UTF_8));
            }
            for (int i = 0; i < copies.size(); i++) {
                // What is there was made before the first change.
                if (!Files.exists(copies.get(i))) {
                    copy(parts.get(i), copies.get(i));
                    made.add(copies.get(i));
                    NativeFile.syncDirectory(copies.get(i).getParent());
                }
            }
            return resumed;
        } catch (RuntimeException e) {
            for (Path file : made) {
                removeAfter(file, e);
            }
            throw e;
        }
    }

    private static void removeAfter(Path file, RuntimeException failure) {
        try {
            boolean unused = NativeFile.delete(file);
        } catch (FarheapException e) {
            failure.addSuppressed(e);
        }
    }

    private String text(List<Path> parts) throws IOException {
        StringBuilder text = new StringBuilder().append(pool).append('\n');
        for (Path part : parts) {
            text.append(Files.size(part)).append(' ').append(part).append('\n');
        }
        for (LocalReplica replica : PoolSource.of(pool).existing().localReplicas()) {
            text.append("run ").append(runId(replica.parts().get(0).path())).append('\n');
        }
        return text.toString();
    }

    private static long runId(Path first) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(first)) {
            while (word.hasRemaining()
                    && file.read(word, Descriptor.RUN_ID + word.position()) >= 0) {
                continue;
            }
        }
        return word.getLong(0);
    }

    /** The repair is over: what comes next is another one. */
    void keep() {
        WholeFile.delete(note);
    }

    private List<Path> copies(List<Path> parts) throws IOException {
        PoolSource target = PoolSource.of(destination);
        if (target.isPoolSet()) {
            PoolSet set = target.existing();
            List<Part> copies =
                    set.localReplicas().stream()
                            .map(LocalReplica::parts)
                            .flatMap(List::stream)
                            .toList();
            boolean fits = copies.size() == parts.size();
            for (int i = 0; fits && i < parts.size(); i++) {
                fits = copies.get(i).size() == Files.size(parts.get(i));
            }
            if (fits) {
                return copies.stream().map(Part::path).toList();
            }
        } else if (parts.size() == 1) {
            return List.of(destination);
        }
        throw FarheapException.wrongUse(
                "the pool has %s part files: name a poolset file with as many of the"
                        + " same sizes for the backup",
                parts.size());
    }

    /** Replaces nothing, and removes nothing that it did not make. */
    static void copy(Path part, Path copy) {
        Path unfinished = copy.resolveSibling(copy.getFileName() + UNFINISHED);
        UnfinishedFiles.removeLeftover(unfinished);
        try (NativeFile from = NativeFile.openReadOnly(part);
                NativeFile made = NativeFile.create(unfinished)) {
            try {
                made.lock();
                Ownership.of(part).giveTo(made);
                copy(from, made);
                made.sync();
                if (Files.exists(copy, LinkOption.NOFOLLOW_LINKS)) {
                    throw FarheapException.wrongUse(
                            "%s was made by somebody else meanwhile, and is not replaced: name"
                                    + " another destination of the backup",
                            copy);
                }
                NativeFile.rename(unfinished, copy);
            } catch (FarheapException e) {
                UnfinishedFiles.deleteAfter(unfinished, e);
                throw e;
            }
        }
    }

    private static void copy(NativeFile from, NativeFile to) {
        long size = from.size();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(Math.min(PIECE, size));
            for (long at = 0; at < size; at += piece.byteSize()) {
                long length = Math.min(piece.byteSize(), size - at);
                MemorySegment asked = piece.asSlice(0, length);
                long read = from.read(asked, at);
                if (read < length) {
                    throw FarheapException.environment(
                            "%s ends at %s of its %s bytes: it was cut off",
                            from.path(), at + read, size);
                }
                to.write(asked, at);
            }
        }
    }
}
